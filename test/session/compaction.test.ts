// Compaction by the host's wish: what it replaces, what stays, how it fails, what can be had back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Summary } from '../../src/summary/summariser.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import {
  COMPACTION,
  compact,
  events,
  FakeSummariser,
  good,
  journal,
  open,
  prepare,
  S,
  settled,
  texts,
} from './condensing.js';

const LONG = 'line of old output '.repeat(60);

function history(): Json[] {
  return [
    user('TASK: migrate billing, do NOT drop legacy_invoices.'),
    ...toolRound('t1', 'read', { path: 'a.ts' }, LONG),
    ...toolRound('t2', 'read', { path: 'b.ts' }, LONG),
    assistant('Both read.'),
    user('Also keep the audit log.'),
    assistant('Noted.'),
    user('Go on.'),
  ];
}

async function session(fake?: FakeSummariser, o: Json = {}): Promise<BenchDaemon> {
  const d = new BenchDaemon(fake === undefined ? {} : { summariser: fake });
  await open(d, [COMPACTION], o);
  await d.call('session.append', { session: S, messages: history() });
  return d;
}

test('L5-7 NS-7 L5-10 one summary in place of the older part, the tail verbatim, three events and an envelope', async () => {
  const fake = new FakeSummariser();
  const d = await session(fake);
  assert.deepEqual(await compact(d, { reason: 'by hand' }), { started: true });
  const out = await prepare(d);
  const { messages } = out.request;
  assert.equal(messages[0].role, 'user');
  assert.match(texts([messages[0]]), /## Prior Context \(Compacted\)/);
  assert.match(texts([messages[0]]), /TASK: migrate billing, do NOT drop legacy_invoices\./);
  assert.deepEqual(messages.slice(1), history().slice(-4));
  const types = events(d).map((e) => e.type);
  for (const type of [
    'memory.compact.request',
    'memory.compaction.triggered',
    'memory.compacted',
    'Compacted',
  ])
    assert.equal(types.filter((t) => t === type).length, 1, type);
  const [done] = events(d, 'memory.compacted');
  assert.deepEqual(done.covers, [0, 4]);
  assert.ok(done.tokens_after < done.tokens_before);
  assert.equal(done.prev_count - done.message_count, 4);
  const stored = await d.call('session.messages', { session: S });
  assert.deepEqual(
    done.messages,
    stored.messages.slice(-4).map((m: Json) => m.id),
  );
  const [envelope] = events(d, 'memory.curated');
  assert.equal(envelope.layer, 'compaction');
  assert.equal(envelope.sections_touched[0].kind, 'session');
  assert.equal(envelope.sections_touched[0].tokens_delta, done.tokens_after - done.tokens_before);
  assert.deepEqual(
    out.curated.map((c: Json) => c.seq),
    [envelope.seq],
  );
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('L5-10 the messages of a compaction can be had back under its handle, exactly', async () => {
  const d = await session();
  await compact(d);
  const [{ handle }] = events(d, 'memory.compacted');
  const back = await d.call('recall.get', { handle });
  assert.deepEqual(back.parts, history().slice(0, 5));
  assert.match(texts((await prepare(d)).request.messages), new RegExp(handle));
});

test('L5-12 a trigger during a cycle is ignored and answered so; an empty log ignores requests', async () => {
  let go!: () => void;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const fake = new FakeSummariser(async () => {
    await held;
    return good('short');
  });
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [COMPACTION]);
  assert.deepEqual(await d.call('memory.compact', { session: S }), { started: false });
  await d.call('session.append', { session: S, messages: history() });
  assert.deepEqual(await d.call('memory.compact', { session: S }), { started: true });
  assert.deepEqual(await d.call('memory.compact', { session: S }), { started: false });
  go();
  await settled(d);
  assert.equal(fake.asked.length, 1);
  assert.equal(events(d, 'memory.compacted').length, 1);
});

test('L4-11 messages appended while the summary is written are all verbatim behind it, in order', async () => {
  const fake = new FakeSummariser();
  const d = await session(fake);
  const during = Array.from({ length: 5 }, (_, i) => [assistant(`during ${i}`), user(`answer ${i}`)]).flat();
  fake.behaviour = async () => {
    for (const m of during) await d.call('session.append', { session: S, messages: [m] });
    return good('short');
  };
  await compact(d);
  const { messages } = (await prepare(d)).request;
  assert.deepEqual(messages.slice(1), [...history().slice(-4), ...during]);
});

test('F36 L4-12 L4-13 whatever the summariser does wrong, the history is intact and the next request valid', async () => {
  const bad: [string, () => Summary | Promise<Summary>][] = [
    ['error', () => ({ ok: false, reason: 'error', detail: 'boom', calls: 3 })],
    ['empty', () => ({ ok: false, reason: 'empty', calls: 1 })],
    ['refusal', () => ({ ok: false, reason: 'refusal', calls: 1 })],
    ['truncated', () => ({ ok: false, reason: 'truncated', calls: 1 })],
    ['tool_call', () => ({ ok: false, reason: 'tool_call', calls: 1 })],
    ['other_range', () => ({ ok: false, reason: 'other_range', calls: 1 })],
    ['longer', () => good('long summary '.repeat(4000))],
    ['error', () => Promise.reject(new Error('it broke'))],
  ];
  for (const [reason, behaviour] of bad) {
    const d = await session(new FakeSummariser(behaviour), {
      context_window: 2_000_000,
      max_output_tokens: 1000,
    });
    await compact(d);
    assert.deepEqual((await prepare(d)).request.messages, history(), reason);
    assert.deepEqual(
      (await journal(d, 'memory.compaction.failed')).map((e) => e.reason),
      [reason],
    );
    assert.equal((await journal(d, 'memory.compacted')).length, 0, reason);
    const statuses = events(d, 'io.status').map((e) => e.state);
    assert.deepEqual(statuses, ['thinking', 'idle'], 'L4-17');
    // The flag is free again.
    assert.deepEqual(await compact(d), { started: true });
  }
});

test('F36 a summariser that never answers, or answers too late, ends by its deadline', async () => {
  let late!: (s: Summary) => void;
  const fake = new FakeSummariser(
    () =>
      new Promise<Summary>((resolve) => {
        late = resolve;
      }),
  );
  const d = await session(fake, { blocks: { 'nexus.gate.context_window': { deadline: '1s' } } });
  await compact(d);
  const [failed] = await journal(d, 'memory.compaction.failed');
  assert.equal(failed.reason, 'late');
  late(good('too late'));
  await settled(d);
  assert.deepEqual((await prepare(d)).request.messages, history());
});

test('F36 L4-11 a summary of a history that has changed meanwhile is void', async () => {
  const fake = new FakeSummariser();
  const d = await session(fake);
  fake.behaviour = async () => {
    const other = [user('another task'), assistant('fine'), user('now')];
    await prepare(d, undefined, { messages: other });
    return good('short');
  };
  await compact(d);
  assert.match((await journal(d, 'memory.compaction.failed'))[0].reason, /history has changed/);
  assert.deepEqual((await prepare(d)).request.messages.length, 3);
});

test('L4-3 NS-9 nothing to condense: no call of the summariser, an end all the same', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [COMPACTION]);
  await d.call('session.append', { session: S, messages: [user('a'), assistant('b'), user('c')] });
  assert.deepEqual(await compact(d), { started: true });
  assert.equal(fake.asked.length, 0);
  assert.equal(events(d, 'memory.compaction.failed')[0].reason, 'nothing_to_summarise');
});

test('PV-A9 a call in flight and the results of excluded tools stay as they are', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], { curated: { exclude_tools: ['load_skill'] } });
  const skill = toolRound('k1', 'load_skill', {}, 'POLICY: never delete routes.');
  const messages = [user('go'), ...skill, ...toolRound('t1', 'read', {}, LONG), ...history().slice(5)];
  await d.call('session.append', { session: S, messages });
  await compact(d);
  const out = (await prepare(d)).request.messages;
  assert.deepEqual(out.slice(1, 3), skill);
  assert.ok(!JSON.stringify(out).includes(LONG));
});

test('case 06: a call that turns out to be in flight is taken out of the summary again', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION]);
  const pair = toolRound('appr', 'confirm', { n: 1 }, '__PENDING__');
  const messages = [
    user('a'),
    assistant(LONG),
    user('b'),
    ...pair,
    assistant('c'),
    user('d'),
    assistant('e'),
    user('f'),
  ];
  await d.call('session.append', { session: S, messages });
  await compact(d);
  const out = (await prepare(d, undefined, { pending: ['appr'] })).request.messages;
  assert.deepEqual(out.slice(1, 3), pair);
  assert.match(texts([out[0]]), /Prior Context/);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('case 62: a rewind to before the end of the range gives the original messages back', async () => {
  const d = new BenchDaemon();
  await open(d, [COMPACTION]);
  for (const m of history()) await d.call('session.append', { session: S, messages: [m] });
  await compact(d);
  const { messages } = await d.call('session.messages', { session: S });
  await d.call('session.rewind', { session: S, to_seq: messages[3].seq - 1 });
  assert.deepEqual(
    (await d.call('session.messages', { session: S, view: 'curated' })).messages.map((m: Json) => m.message),
    history().slice(0, 3),
  );
});

test('L5-11 with approval on, people see a preview of at most 2000 bytes, and a refusal leaves everything', async () => {
  const fake = new FakeSummariser(() => good(`${'ä'.repeat(1500)} end`));
  const big = {
    context_window: 200_000,
    blocks: { [COMPACTION]: { require_approval: { enabled: true, timeout: '20s' } } },
  };
  for (const decision of ['reject', 'approve']) {
    const d = new BenchDaemon({ summariser: fake });
    await open(d, [COMPACTION], big);
    await d.call('session.append', {
      session: S,
      messages: [user(LONG.repeat(10)), assistant(LONG), ...history()],
    });
    await d.call('memory.compact', { session: S });
    for (let i = 0; i < 50 && events(d, 'hitl.requested').length === 0; i += 1)
      await new Promise((r) => setTimeout(r, 5));
    const [asked] = events(d, 'hitl.requested');
    assert.ok(Buffer.byteLength(asked.preview) <= 2000);
    assert.equal(asked._truncated, true);
    assert.ok(!asked.preview.includes('\ufffd'));
    assert.deepEqual(await d.call('approval.respond', { session: S, request: 'another', decision }), {
      accepted: false,
    });
    assert.deepEqual(await d.call('approval.respond', { session: S, request: asked.request_id, decision }), {
      accepted: true,
    });
    await settled(d);
    assert.equal(events(d, 'hitl.responded')[0].choice, decision);
    assert.equal(events(d, 'memory.compacted').length, decision === 'approve' ? 1 : 0);
    assert.equal(events(d, 'memory.compaction.failed').length, decision === 'approve' ? 0 : 1);
  }
});

test('L5-11 without an answer the default choice holds', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], {
    blocks: {
      [COMPACTION]: { require_approval: { enabled: true, timeout: '1s', default_choice: 'approve' } },
    },
  });
  await d.call('session.append', { session: S, messages: history() });
  await compact(d);
  assert.equal(events(d, 'memory.compacted').length, 1);
});

test('NS-24 L5-7 the durable block is the same, byte for byte, before and after', async () => {
  const d = await session(new FakeSummariser());
  await d.call('durable.add_decision', { session: S, text: 'Use port 7443' });
  const { block } = await d.call('durable.get', { session: S });
  const before = await prepare(d);
  await compact(d);
  const after = await prepare(d, [assistant('x'), user('y')]);
  for (const out of [before, after]) {
    const all = JSON.stringify(out.request.messages);
    assert.equal(all.split(JSON.stringify(block).slice(1, -1)).length - 1, 1);
  }
});

test('PV-A31 with bound thinking a summary waits for rest, and all thinking behind it goes', async () => {
  const thought = (t: string, text: string) => ({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: t, signature: 'sig' },
      { type: 'text', text },
    ],
  });
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], { model: 'claude-opus-5-5' });
  await prepare(d, [
    user('a'),
    thought('old', LONG),
    user('b'),
    thought('one', 'c'),
    user('d'),
    thought('two', 'e'),
    user('f'),
  ]);
  const [call, result] = toolRound('t1', 'read', {}, 'x');
  call.content.unshift({ type: 'thinking', thinking: 'open', signature: 'sig' });
  await prepare(d, [call, result]);
  await d.call('memory.compact', { session: S });
  await new Promise((r) => setTimeout(r, 30));
  assert.equal(events(d, 'memory.compacted').length, 0);
  await d.call('session.append', { session: S, messages: [thought('three', 'g'), user('h')] });
  await d.call('turn.end', { session: S });
  const out = await prepare(d);
  assert.equal(events(d, 'memory.compacted').length, 1);
  assert.ok(!JSON.stringify(out.request.messages).includes('"thinking"'));
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('L5-10 decisions of the first turn are found on a worker, before the summary stands; without one they are found all the same', async () => {
  const asked: Json[] = [];
  const there = async (p: Json) => {
    asked.push(p);
    return ['do NOT drop legacy_invoices'];
  };
  const gone = () => Promise.reject(new Error('the pool is closing'));
  const pins: Json[] = [];
  for (const decided of [there, gone, undefined]) {
    const d = new BenchDaemon({ summariser: new FakeSummariser(), decided });
    await open(d, [COMPACTION]);
    await d.call('session.append', { session: S, messages: history() });
    await compact(d);
    const { state } = (await d.registry.get('default', S)).session;
    pins.push(state.summary?.blocks[0]?.pins);
  }
  // Tool text is no part of what was said.
  assert.equal(asked.length, 1);
  assert.equal(asked[0].messages[0].text, 'TASK: migrate billing, do NOT drop legacy_invoices.');
  assert.ok(asked[0].messages.every((m: Json) => !m.text.includes('line of old output')));
  assert.deepEqual(pins[0], ['- do NOT drop legacy_invoices']);
  assert.deepEqual(pins[1], ['- TASK: migrate billing, do NOT drop legacy_invoices.']);
  assert.deepEqual(pins[2], pins[1]);
});
