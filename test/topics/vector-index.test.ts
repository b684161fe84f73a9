// The index over vectors: exact while small, a graph when large, and nothing bad gets near the graph.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CuratedError } from '../../src/errors.js';
import { cosine } from '../../src/pool/vectors.js';
import { seeded } from '../../src/random.js';
import { Owner } from '../../src/topics/index/owner.js';
import { Rows } from '../../src/topics/index/rows.js';
import { VectorIndex } from '../../src/topics/index/vector-index.js';

/** Deterministic vectors around a few centres. */
function cloud(n: number, dims: number, seed = 7): Float32Array[] {
  const random = seeded(seed);
  const next = () => random() - 0.5;
  const centres = Array.from({ length: 20 }, () => Float32Array.from({ length: dims }, next));
  return Array.from({ length: n }, (_, i) => centres[i % 20]!.map((x) => x + 0.4 * next()));
}

test('a flat scan finds what sorting all cosines finds', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer(),
      (n, dims, seed) => {
        const vectors = cloud(n, dims, seed);
        const rows = new Rows(dims);
        for (const [i, v] of vectors.entries()) rows.add(i, v);
        const q = vectors[n >> 1]!;
        const found = rows.nearest(q, 5);
        const all = vectors.map((v) => cosine(v, q)).sort((a, b) => b - a);
        assert.equal(found.length, Math.min(5, n));
        found.forEach((f, i) => {
          assert.ok(Math.abs(f.similarity - all[i]!) < 1e-5);
        });
      },
    ),
    { numRuns: 40 },
  );
});

test('L3-17 beyond its size the index moves to a graph in the background and answers alike', async () => {
  const owner = new Owner();
  const vectors = cloud(1500, 32);
  const index = new VectorIndex(32, { promoteAt: 1000, owner });
  for (const [i, v] of vectors.entries()) index.add(i, v);
  assert.equal(index.kind, 'flat');
  await index.settled();
  assert.equal(index.kind, 'graph');
  const rows = new Rows(32);
  for (const [i, v] of vectors.entries()) rows.add(i, v);
  let hits = 0;
  for (let q = 0; q < 50; q += 1) {
    const exact = rows.nearest(vectors[q * 29]!, 5).map((n) => n.label);
    const found = (await index.nearest(vectors[q * 29]!, 5)).map((n) => n.label);
    hits += found.filter((l) => exact.includes(l)).length;
  }
  assert.ok(hits >= 240, `${hits} of 250`);
  await owner.close();
});

test('L3-17 a graph whose thread is lost is made again from the rows', async () => {
  const owner = new Owner();
  const index = new VectorIndex(8, { promoteAt: 50, owner });
  for (const [i, v] of cloud(80, 8).entries()) index.add(i, v);
  await index.settled();
  await owner.close();
  const [first] = await index.nearest(cloud(80, 8)[3]!, 1);
  assert.equal(first!.label, 3);
  await index.settled();
  assert.equal(index.kind, 'graph');
  assert.equal((await index.nearest(cloud(80, 8)[4]!, 1))[0]!.label, 4);
  await owner.close();
});

test('F34 nothing but numbers gets into the index, and the process lives', async () => {
  const owner = new Owner();
  const index = new VectorIndex(2, { promoteAt: 4, owner });
  const bad: unknown[] = [
    ['1', 2],
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, 1],
    [1],
    [1, 2, 3],
    [0, 0],
    [null, 1],
    [1e300, 1],
    'ab',
    {},
  ];
  for (let i = 0; i < 6; i += 1) index.add(i, [1, i]);
  await index.settled();
  for (const v of bad) {
    const refused = (e: unknown) => e instanceof CuratedError && e.kind === 'BAD_VECTOR';
    assert.throws(() => index.add(9, v as number[]), refused);
    await assert.rejects(index.nearest(v as number[], 1), refused);
  }
  assert.equal(index.size, 6);
  assert.equal((await index.nearest([1, 5], 1))[0]!.label, 5);
  await owner.close();
});

test('a flat scan that goes over steps of 16 bits first gives the same as one that compares all, to the last bit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 257, max: 700 }),
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 0, max: 12 }),
      fc.integer(),
      (n, dims, k, seed) => {
        const vectors = cloud(n, dims, seed);
        // Doubles, and vectors that differ by less than a step.
        vectors[4] = vectors[5]!;
        vectors[6] = vectors[7]!.map((x) => x * (1 + 1e-7));
        const rows = new Rows(dims);
        for (const [i, v] of vectors.entries()) rows.add(i, v);
        // Each row alone in an index is compared exactly.
        const q = vectors[n >> 1]!;
        const exact = vectors.map((v, label) => {
          const one = new Rows(dims);
          one.add(label, v);
          return one.nearest(q, 1)[0]!;
        });
        exact.sort((a, b) => b.similarity - a.similarity || a.label - b.label);
        assert.deepEqual(rows.nearest(q, k), exact.slice(0, k));
      },
    ),
    { numRuns: 15 },
  );
});
