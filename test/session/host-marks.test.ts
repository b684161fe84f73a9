// Cache marks of a host that only appends: never more than the provider takes, nothing of it a change of the prefix.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyPatch } from '../../src/client/patch.js';
import { checkRequest } from '../conformance/rules/check.js';
import { anthropicProfile } from '../conformance/rules/profile.js';
import { assistant, BenchDaemon, type Json, user } from './bench-daemon.js';
import { COMPACTION, compact, FakeSummariser, journal, open, prepare, S } from './condensing.js';

const RULES = anthropicProfile('claude-sonnet-4-5');
const CLEAR = 'nexus.memory.tool_result_clear';
const MINUTES = { type: 'ephemeral' };
const HOUR = { type: 'ephemeral', ttl: '1h' };

const marked = (text: string, cache_control: Json = MINUTES): Json => ({
  role: 'user',
  content: [{ type: 'text', text, cache_control }],
});

const unmarked = (v: Json): Json =>
  JSON.parse(JSON.stringify(v, (k, x: unknown) => (k === 'cache_control' ? undefined : x)));

/** Texts of the blocks that carry a mark, with its life. */
function marksIn(request: Json): string[] {
  const blocks = [
    ...(Array.isArray(request.system) ? request.system : []),
    ...request.messages.flatMap((m: Json) => m.content),
  ];
  return blocks
    .filter((b: Json) => b.cache_control !== undefined)
    .map((b: Json) => `${b.text ?? b.type} ${b.cache_control.ttl ?? '5m'}`);
}

test('PV-A38 K58 a host that marks each new message and only appends keeps its newest marks, and the prefix stands', async () => {
  const d = new BenchDaemon();
  await open(d, [CLEAR], {
    model: 'claude-sonnet-4-5',
    system: [{ type: 'text', text: 'You build.', cache_control: MINUTES }],
  });
  let before: Json[] = [];
  for (let turn = 0; turn < 9; turn += 1) {
    const out = await prepare(d, [marked(`turn ${turn}`)]);
    assert.deepEqual(checkRequest(out.request, RULES), []);
    const kept = [turn - 2, turn - 1, turn].filter((n) => n >= 0).map((n) => `turn ${n} 5m`);
    assert.deepEqual(marksIn(out.request), ['You build. 5m', ...kept]);
    assert.equal(out.cache.prefix_stable, true);
    assert.deepEqual(unmarked(out.request.messages).slice(0, before.length), unmarked(before));
    before = out.request.messages;
    await d.call('session.append', { session: S, messages: [assistant(`ok ${turn}`)] });
    await d.call('turn.end', { session: S });
  }
  const told = (await journal(d, 'session.repaired')).filter((e) => e['rule'] === 'PV-A38');
  assert.equal(told.length, 6, 'each mark that went is told once');
  const replay = await d.call('journal.replay', { session: S });
  assert.equal(replay.identical, true);
});

test('PV-A38 a patch brings an agent to the same request when older marks go', async () => {
  const d = new BenchDaemon();
  await open(d, [CLEAR], { model: 'claude-sonnet-4-5' });
  const held: Json[] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    held.push(marked(`turn ${turn}`), assistant('ok'));
    await d.call('session.append', { session: S, messages: held.slice(-2) });
    await d.call('turn.end', { session: S });
  }
  const next = marked('last');
  const patched = await d.call('llm.prepare', { session: S, append: [next], return: 'patch' });
  const doc: Json = applyPatch({ messages: [...held, next] }, patched.patch.ops);
  const full = await d.call('llm.prepare', { session: S, return: 'full' });
  assert.deepEqual(doc.messages, full.request.messages);
  assert.deepEqual(checkRequest(full.request, RULES), []);
});

test('PV-A40 a mark for an hour behind one for minutes becomes one for minutes; marks for an hour outlast the others', async () => {
  const d = new BenchDaemon();
  await open(d, [CLEAR], { model: 'claude-sonnet-4-5' });
  const first = [marked('manual', HOUR), assistant('read')];
  const rest = [1, 2, 3, 4, 5].flatMap((n) => [
    marked(`turn ${n}`, n === 4 ? HOUR : MINUTES),
    assistant('ok'),
  ]);
  const { request } = await prepare(d, [...first, ...rest, marked('last')]);
  assert.deepEqual(checkRequest(request, RULES), []);
  assert.deepEqual(marksIn(request), ['manual 1h', 'turn 4 1h', 'turn 5 5m', 'last 5m']);
  const d2 = new BenchDaemon();
  const system = [{ type: 'text', text: 'S', cache_control: MINUTES }];
  await open(d2, [CLEAR], { model: 'claude-sonnet-4-5', system });
  const late = await prepare(d2, [marked('a', HOUR)]);
  assert.deepEqual(marksIn(late.request), ['S 5m', 'a 5m']);
  assert.deepEqual(checkRequest(late.request, RULES), []);
});

test('PV-A38 PV-A40 a mark gives way also where the durable block stands beside it', async () => {
  const d = new BenchDaemon();
  const system = [{ type: 'text', text: 'S', cache_control: MINUTES }];
  await open(d, [CLEAR], { model: 'claude-sonnet-4-5', system });
  await d.call('durable.set_todos', { session: S, items: ['first'] });
  const late = await prepare(d, [marked('a', HOUR)]);
  assert.deepEqual(marksIn(late.request), ['S 5m', 'a 5m']);
  const more = ['b', 'c', 'd'].flatMap((text) => [assistant('ok'), marked(text)]);
  await prepare(d, more.slice(0, 3));
  await d.call('durable.set_todos', { session: S, items: ['second'] });
  const { request } = await prepare(d, more.slice(3));
  assert.deepEqual(checkRequest(request, RULES), []);
  assert.deepEqual(marksIn(request), ['S 5m', 'b 5m', 'c 5m', 'd 5m']);
  const told = (await journal(d, 'session.repaired')).map((e) => e['rule']);
  assert.deepEqual(told, ['PV-A40', 'PV-A38'], 'each mark is told once');
});

test('PV-A38 PV-A39 a mark inside a result that was cleared is no mark any more', async () => {
  const d = new BenchDaemon();
  await open(d, [CLEAR], {
    model: 'claude-sonnet-4-5',
    blocks: { [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 } },
    curated: { cost_rule: 'off' },
  });
  for (let turn = 0; turn < 7; turn += 1) {
    const id = `c${turn}`;
    const inner = { type: 'text', text: `result ${turn} `.repeat(200), cache_control: MINUTES };
    const out = await prepare(d, [
      marked(`turn ${turn}`),
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: [inner] }] },
    ]);
    assert.deepEqual(checkRequest(out.request, RULES), []);
    await d.call('session.append', { session: S, messages: [assistant(`ok ${turn}`)] });
    await d.call('turn.end', { session: S });
  }
  const replay = await d.call('journal.replay', { session: S });
  assert.equal(replay.identical, true);
});

test('PV-A38 K58 marks that a summary takes with it are moved to the new end, until the host marks again', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], {
    model: 'claude-sonnet-4-5',
    blocks: { [COMPACTION]: { protect_recent: 1 } },
  });
  await prepare(d, [marked('manual'), assistant('word '.repeat(900)), marked('one'), assistant('ok')]);
  await d.call('turn.end', { session: S });
  await compact(d);
  const moved = await prepare(d, [{ role: 'user', content: 'two' }]);
  assert.equal((await journal(d, 'memory.compacted')).length, 1);
  assert.deepEqual(marksIn(moved.request).slice(-1), ['two 5m']);
  assert.ok(marksIn(moved.request).length <= 2, 'no more than went');
  assert.deepEqual(checkRequest(moved.request, RULES), []);
  await d.call('session.append', { session: S, messages: [assistant('yes')] });
  await d.call('turn.end', { session: S });
  const own = await prepare(d, [marked('three')]);
  assert.deepEqual(marksIn(own.request), ['three 5m']);
  assert.deepEqual(unmarked(own.request.messages).slice(0, 2), unmarked(moved.request.messages).slice(0, 2));
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('PV-A38 a host that never marks gets no marks from a summary', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], {
    model: 'claude-sonnet-4-5',
    blocks: { [COMPACTION]: { protect_recent: 1 } },
  });
  await prepare(d, [user('one'), assistant('word '.repeat(900)), user('two'), assistant('ok')]);
  await d.call('turn.end', { session: S });
  await compact(d);
  const { request } = await prepare(d, [user('three')]);
  assert.ok(!JSON.stringify(request).includes('cache_control'));
});
