// The index alone: rare words lead, common ones still find, and the newest matches bound what is ranked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecallIndex } from '../../src/context/recall/index-file.js';
import type { NewRow } from '../../src/context/recall/rows.js';

function filled(): RecallIndex {
  const index = new RecallIndex(':memory:');
  const row = (seq: number, text: string): NewRow => ({
    seq,
    part: 0,
    turn: 0,
    role: 'user',
    tool: null,
    handle: `r${seq}`,
    tokens: 1,
    text,
  });
  const at = { seq: 1, hash: 'h', format: 'anthropic', project: '', inputs: 0 };
  const rows = Array.from({ length: 3000 }, (_, i) =>
    row(i, `common words number ${i}${i === 5 ? ' axolotl' : ''}`),
  );
  index.add('t', 'big', rows, at);
  index.add('t', 'small', [row(9000, 'common ground')], at);
  return index;
}

const QUERY = { tenant: 't', must: '', k: 5 };

test('M-10 a rare word is found among thousands of matches of a common one, and a common one alone still finds', () => {
  const index = filled();
  const find = (query: string, o: object = {}) =>
    index.search({ ...QUERY, query, ...o }).map((h) => h.handle);
  assert.equal(find('common axolotl')[0], 'r5');
  assert.equal(find('common').length, 5);
  assert.deepEqual(find('axolotl common', { session: 'small' }), ['r9000']);
  assert.deepEqual(find('nothing'), []);
  assert.deepEqual(find('axolotl', { must: 'ground' }), []);
  assert.deepEqual(find('', { must: 'axolotl' }), ['r5']);
  assert.deepEqual(find('common', { tenant: 'other' }), []);
});

test('M-7 R-8 whatever is added, moved and erased: each scope finds exactly its passages that have a word', () => {
  const WORDS = ['kettle', 'quokka', 'axolotl', 'ocelot'];
  const PROJECTS = ['', '/one', '/two'];
  const step = fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      session: fc.nat(2),
      project: fc.nat(2),
      texts: fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
    }),
    fc.record({ do: fc.constant('erase' as const), session: fc.nat(2) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const index = new RecallIndex(':memory:');
      const model = new Map<number, { project: number; rows: { handle: string; words: number[] }[] }>();
      let n = 0;
      for (const s of steps) {
        if (s.do === 'erase') {
          index.erase('t', `s${s.session}`);
          model.delete(s.session);
          continue;
        }
        const rows = s.texts.map((words) => ({ handle: `r${n++}`, words }));
        const texts = rows.map(({ handle, words }) => ({
          ...{ seq: n, part: 0, turn: 0, role: 'user', tool: null, tokens: 1 },
          handle,
          text: words.map((w) => WORDS[w]).join(' '),
        }));
        const to = { seq: n, hash: 'h', format: 'anthropic', project: PROJECTS[s.project]!, inputs: 0 };
        index.add('t', `s${s.session}`, texts, to);
        const before = model.get(s.session)?.rows ?? [];
        model.set(s.session, { project: s.project, rows: [...before, ...rows] });
      }
      const find = (query: string, o: object) =>
        index
          .search({ tenant: 't', must: '', k: 1000, query, ...o })
          .map((h) => h.handle)
          .sort();
      WORDS.forEach((word, w) => {
        const wanted = (keep: (session: number, project: number) => boolean) =>
          [...model]
            .filter(([session, { project }]) => keep(session, project))
            .flatMap(([, { rows }]) => rows.filter((r) => r.words.includes(w)).map((r) => r.handle))
            .sort();
        assert.deepEqual(
          find(word, {}),
          wanted(() => true),
        );
        for (const i of [0, 1, 2])
          assert.deepEqual(
            find(word, { session: `s${i}` }),
            wanted((s) => s === i),
          );
        for (const i of [1, 2])
          assert.deepEqual(
            find(word, { project: PROJECTS[i] }),
            wanted((_, p) => p === i),
          );
      });
      index.close();
    }),
    { numRuns: 60 },
  );
});
