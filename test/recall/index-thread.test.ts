// The index on its thread: the same answers, errors with their kind, and a new thread after one that ended.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { IndexThread } from '../../src/context/recall/index-thread.js';

const AT = { seq: 1, hash: 'h', format: 'anthropic', project: '', inputs: 0 };
const row = (handle: string, text: string) => ({
  seq: 1,
  part: 0,
  turn: 0,
  role: 'user',
  tool: null,
  handle,
  tokens: 5,
  text,
});

test('M-7 the recall index works on a thread of its own, and what it wrote is there after it ends', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'curated-index-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const index = new IndexThread(join(folder, 'recall.db'));
  await index.add('t', 's', [row('r1', 'a quokka smiles'), row('r2', 'nobody sees it')], AT);
  const find = async () =>
    (await index.search({ tenant: 't', query: 'quokka', must: '', k: 5 })).map((h) => h.handle);
  assert.deepEqual(await find(), ['r1']);
  assert.deepEqual(await index.places('t', 'r2'), [{ session: 's', seq: 1, part: 0 }]);
  await index.close();
  assert.deepEqual(await find(), ['r1'], 'the next call starts a new thread');
  const { hits } = { hits: await index.search({ tenant: 't', query: 'quokka', must: '', k: 5, budget: 10 }) };
  assert.deepEqual(
    hits.map((h) => h.handle),
    ['r1', 'r2'],
    'within a budget what stands beside a hit is one',
  );
  await index.close();
  const bad = new IndexThread(join(folder, 'no', '\0'));
  await assert.rejects(bad.search({ tenant: 't', query: 'x', must: '', k: 5 }), { kind: 'STORAGE' });
  await bad.close();
});

test('M-7 R-8 a session that moves to another project takes what it said along', async () => {
  const index = new IndexThread(':memory:');
  await index.add('t', 's', [row('r1', 'a quokka smiles')], { ...AT, project: '/one' });
  await index.add('t', 's', [row('r2', 'quokka again')], { ...AT, project: '/two' });
  const find = async (project: string) =>
    (await index.search({ tenant: 't', query: 'quokka', must: '', project, k: 5 }))
      .map((h) => h.handle)
      .sort();
  assert.deepEqual(await find('/two'), ['r1', 'r2']);
  assert.deepEqual(await find('/one'), []);
  await index.close();
});
