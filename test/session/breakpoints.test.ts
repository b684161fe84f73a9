// Cache marks of our own: where they go, that they move without moving anything else, and that a replay knows them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistant, BenchDaemon, type Json, toolRound } from './bench-daemon.js';

async function opened(curated: Json, system?: Json): Promise<BenchDaemon> {
  const d = new BenchDaemon();
  await d.call('session.open', {
    session: 's',
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    ...(system === undefined ? {} : { system }),
    config: { plugins: { active: ['nexus.memory.tool_result_clear'] }, curated },
  });
  return d;
}

const said = (text: string): Json => ({ role: 'user', content: [{ type: 'text', text }] });
const marksIn = (value: Json): number => JSON.stringify(value).split('"cache_control"').length - 1;
const bare = (value: Json): string =>
  JSON.stringify(value, (k, v) => (k === 'cache_control' ? undefined : v));

test('S-5 PV-A38 PV-A42 auto places at most four marks, at the tail and about every 15 positions', async () => {
  const d = await opened({ breakpoints: 'auto' });
  let before: string[] = [];
  for (let i = 0; i < 40; i += 1) {
    const append = i === 0 ? [said('go')] : toolRound(`c${i}`, 'ls', { i }, `out ${i}`);
    const { request, cache } = await d.call('llm.prepare', { session: 's', append });
    const marks = cache.breakpoints.map((b: Json) => Number(b.path.split('/')[2]));
    assert.equal(marksIn(request), marks.length);
    assert.ok(marks.length >= 1 && marks.length <= 4, `${marks.length}`);
    assert.equal(marks.at(-1), request.messages.length - 1, 'one at the tail');
    for (let k = 1; k < marks.length; k += 1)
      assert.ok(marks[k]! - marks[k - 1]! < 20, 'within the look-back');
    // Marks aside, the request before is the start of this one, byte for byte.
    const texts = request.messages.map(bare);
    assert.deepEqual(texts.slice(0, before.length), before);
    before = texts;
  }
  const replayed = await d.call('journal.replay', { session: 's' });
  assert.equal(replayed.identical, true);
});

test('PV-A38 the marks of the host are counted and left alone, and the static part is never marked', async () => {
  const system = [{ type: 'text', text: 'rules', cache_control: { type: 'ephemeral' } }];
  const d = await opened({ breakpoints: 'auto' }, system);
  const marked = (text: string): Json => ({
    role: 'user',
    content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }],
  });
  let append: Json[] = [marked('one'), assistant('a'), marked('two')];
  for (let i = 0; i < 6; i += 1) {
    const { request, cache } = await d.call('llm.prepare', { session: 's', append });
    assert.deepEqual(request.system, system);
    assert.equal(marksIn(request), 4);
    assert.equal(cache.breakpoints.length, 4);
    for (const m of [0, 2]) assert.ok(request.messages[m].content[0].cache_control !== undefined);
    append = [assistant(`r${i}`), said(`q${i}`)];
  }
});

test('S-5 keep, the default, sets no mark', async () => {
  const d = await opened({});
  const { request, cache } = await d.call('llm.prepare', { session: 's', append: [said('go')] });
  assert.equal(marksIn(request), 0);
  assert.deepEqual(cache.breakpoints, []);
});

test('S-5 P-7 marks, clearing and patches together: the patched request is the full one, and the hash is of it', async () => {
  const d = await opened({
    breakpoints: 'auto',
    boundary: 'round',
    cost_rule: 'off',
    keep: { tool_uses: 2 },
  });
  const stored: Json[] = [];
  for (let i = 0; i < 30; i += 1) {
    const append = i === 0 ? [said('go')] : toolRound(`c${i}`, 'cat', { i }, `${i} `.repeat(400));
    stored.push(...append);
    await d.call('llm.prepare', { session: 's', append });
    const again = await d.call('llm.prepare', { session: 's', return: 'patch' });
    const full = await d.call('llm.prepare', { session: 's' });
    const patched = { messages: structuredClone(stored) };
    for (const op of again.patch.ops) {
      const path: string[] = op.path.split('/').slice(1);
      const last = path.pop()!;
      let node: Json = patched;
      for (const step of path) node = node[step];
      if (op.op === 'remove') Array.isArray(node) ? node.splice(Number(last), 1) : delete node[last];
      else node[last] = op.value;
    }
    assert.deepEqual(patched.messages, full.request.messages);
    assert.equal(again.hash, full.hash);
  }
  const replayed = await d.call('journal.replay', { session: 's' });
  assert.deepEqual(replayed.mismatches, []);
});
