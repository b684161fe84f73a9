// The index alone: rare words lead, common ones still find, and the newest matches bound what is ranked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NewRow, RecallIndex } from '../../src/context/recall/index-file.js';

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

const QUERY = { tenant: 't', query: 'q', must: [], k: 5 };

test('M-10 a rare word is found among thousands of matches of a common one, and a common one alone still finds', () => {
  const index = filled();
  const find = (words: string[], o: object = {}) =>
    index.search({ ...QUERY, words, ...o }).map((h) => h.handle);
  assert.equal(find(['common', 'axolotl'])[0], 'r5');
  assert.equal(find(['common']).length, 5);
  assert.deepEqual(find(['axolotl', 'common'], { session: 'small' }), ['r9000']);
  assert.deepEqual(find(['nothing']), []);
  assert.deepEqual(find(['axolotl'], { must: ['ground'] }), []);
  assert.deepEqual(find([], { must: ['axolotl'] }), ['r5']);
  assert.deepEqual(find(['common'], { tenant: 'other' }), []);
});
