// Topics from documents: the properties that hold for any, and what a rebuild keeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clusterCount, clusters, largest, nearest } from '../../src/context/clusters.js';
import { inherit, labels } from '../../src/context/labels.js';
import type { Document } from '../../src/context/project-files.js';
import { assign, type Built, build, update } from '../../src/context/topic-builder.js';
import { checkFinite, similarity, vectorOf } from '../../src/context/vectors.js';
import { about } from './project.js';

function run<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function documents(each: number): Document[] {
  return [0, 1, 2].flatMap((s) =>
    Array.from({ length: each }, (_, i) => ({
      id: `${s}/${i}`,
      collection: 'code__x',
      text: about(s, i),
      stamp: '1',
    })),
  );
}

test('R-15 three subjects give topics of their own words, twice the same', () => {
  const first = run(build(documents(40)));
  assert.deepEqual(run(build(documents(40))), first);
  const sizes = first.topics.map((t) => t.doc_count);
  assert.equal(
    sizes.reduce((a, b) => a + b),
    120,
  );
  for (const topic of first.topics) {
    assert.equal(topic.label.split(' ').length, 3);
    assert.ok(topic.terms!.length <= 10);
  }
  for (const word of ['tokenizer', 'socket', 'invoice'])
    assert.ok(
      first.topics.some((t) => t.terms!.includes(word)),
      word,
    );
});

test('R-15 clusters: at least 5, at most max(n/4, 50), for any vectors; no document twice', () => {
  const vector = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(vector, { maxLength: 300 }), (rows) => {
      const vectors = rows.map((r) => Float32Array.from(r));
      const found = run(clusters(vectors));
      for (const c of found) {
        assert.ok(c.members.length >= 5);
        assert.ok(c.members.length <= largest(vectors.length));
      }
      const all = found.flatMap((c) => c.members);
      assert.equal(new Set(all).size, all.length);
    }),
    { numRuns: 60 },
  );
  const alike = Array.from({ length: 230 }, () => Float32Array.from([1, 0]));
  assert.ok(run(clusters(alike)).every((c) => c.members.length <= 57));
  assert.equal(clusterCount(90_000), 100);
  assert.equal(clusterCount(5001), 23);
});

test('R-15 all noise gives no topic and a warning; a vector that is not finite gives an error', () => {
  const noise = Array.from({ length: 4 }, (_, i) => ({
    id: String(i),
    collection: 'docs__x',
    text: `lonely${'abcd'[i]} word`,
    stamp: '1',
  }));
  const built = run(build(noise));
  assert.deepEqual(built.topics, []);
  assert.match(built.warnings[0]!, /docs__x: 4 documents/);
  const bad = Array.from({ length: 9 }, () => Float32Array.from([1, Number.NaN]));
  assert.throws(() => run(clusters(bad)), { kind: 'BAD_VECTOR' });
  assert.throws(() => checkFinite([Float32Array.from([1]), Float32Array.from([1, 2])]), {
    kind: 'BAD_VECTOR',
  });
});

test('R-15 labels have no stop words, and one file alone names nothing', () => {
  const bag = (words: string) => new Map(words.split(' ').map((w) => [w, 1] as const));
  const [label] = labels([
    [bag('socket frame odd'), bag('socket frame'), bag('socket frames')],
    [bag('ledger'), bag('ledger money'), bag('ledger money')],
  ]);
  assert.equal(label!.label, 'socket frame');
});

test('R-16 few new documents join the nearest topic; more than five percent mean a rebuild', () => {
  const before = run(build(documents(40)));
  const one = { id: 'new', collection: 'code__x', text: about(1, 99), stamp: '1' };
  const after = update([...documents(40), one], before)!;
  const home = after.documents['new']![1];
  assert.ok(after.topics[home]!.terms!.includes('socket'));
  assert.equal(after.topics[home]!.doc_count, before.topics[home]!.doc_count + 1);
  const gone = update(documents(40).slice(1), before)!;
  assert.equal(gone.documents['0/0'], undefined);
  const seven = Array.from({ length: 7 }, (_, i) => ({ ...one, id: `n${i}` }));
  assert.equal(update([...documents(40), ...seven], before), undefined);
});

test('R-16 a dimension that differs assigns nothing', () => {
  assert.equal(nearest(Float32Array.from([1, 0]), [[1, 0, 0]]), -1);
  const topics = [{ collection: 'code__x', label: 'a', doc_count: 1, centroid: [1, 2] }];
  assert.equal(assign({ collection: 'code__x', text: about(0, 0) }, topics, {}), -1);
});

test('R-16 labels move to the like cluster, one claim each; what a person named survives rebuilds', () => {
  const before = run(build(documents(40)));
  const named: Built = {
    ...before,
    topics: before.topics.map((t, i) => (i === 0 ? { ...t, label: 'My words', pinned: true } : t)),
  };
  const more = [...documents(40), ...documents(4).map((d) => ({ ...d, id: `more${d.id}` }))];
  const after = run(build(more, named));
  const kept = after.topics.filter((t) => t.label === 'My words');
  assert.equal(kept.length, 1);
  assert.equal(kept[0]!.pinned, true);
  const centroid = [1, 0];
  const twins = [0, 1].map((i) => ({ collection: 'c', label: `new ${i}`, doc_count: 1, centroid }));
  const out = inherit(twins, [{ collection: 'c', label: 'old', doc_count: 1, centroid }]);
  assert.deepEqual(
    out.map((t) => t.label),
    ['old', 'new 1'],
  );
});

test('M-10 a similarity is never negative and has three decimals', () => {
  assert.equal(similarity(0.1273), 0.873);
  assert.equal(similarity(1.7), 0);
  assert.ok(vectorOf(new Map(), () => 1).every((x) => x === 0));
});
