// Sessions over their life: leases, keys, subscriptions, divergence, forks, rewinds, resume.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CuratedError } from '../../src/errors.js';
import { chain, MemoryStore, type Store } from '../../src/journal/index.js';
import { LIFECYCLE } from '../../src/session/state/lifecycle.js';
import { assistant, BenchCaller, BenchDaemon, clearing, type Json, toolRound, user } from './bench-daemon.js';

const OPEN = { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5' };
const BODY = 'y'.repeat(1000);

function kind(expected: string): (e: unknown) => boolean {
  return (e) => e instanceof CuratedError && e.kind === expected;
}

async function withClearing(d: BenchDaemon): Promise<void> {
  await d.call('session.open', { ...OPEN, config: clearing({ age_turns: 1, size_bytes_threshold: 50 }) });
  await d.call('llm.prepare', { session: 's', append: [user('go')] });
  await d.call('llm.prepare', { session: 's', append: toolRound('a', 'read', { p: 1 }, BODY) });
  await d.call('session.append', { session: 's', messages: [assistant('done')] });
  await d.call('turn.end', { session: 's' });
}

test('a call for a session that nobody opened is UNKNOWN_SESSION and leaves nothing behind', async () => {
  const d = new BenchDaemon();
  await assert.rejects(
    d.call('session.append', { session: 'no', messages: [user('x')] }),
    kind('UNKNOWN_SESSION'),
  );
  assert.deepEqual((await d.call('session.list', {})).sessions, []);
  assert.equal(d.registry.loaded, 0);
});

test('every state answers every command: the lifecycle table has no hole', () => {
  const commands = Object.keys(LIFECYCLE.open).sort();
  for (const [state, row] of Object.entries(LIFECYCLE))
    assert.deepEqual(Object.keys(row).sort(), commands, state);
});

test('F41 M-7 durable state is written beside the writer, who goes on and sees it', async () => {
  const d = new BenchDaemon();
  const [writer, beside] = [new BenchCaller(), new BenchCaller()];
  await d.call('session.open', OPEN, writer);
  await d.call('durable.add_decision', { session: 's', text: 'steel' }, beside);
  await d.call('session.append', { session: 's', messages: [user('x')] }, writer);
  assert.deepEqual((await d.call('durable.get', { session: 's' }, writer)).decisions, ['steel']);
  await assert.rejects(
    d.call('session.append', { session: 's', messages: [user('z')] }, beside),
    kind('SUPERSEDED'),
  );
  assert.deepEqual(writer.supersededSessions, []);
});

test('F41 of two writers the newer holds the session, the older is told and writes nothing any more', async () => {
  const d = new BenchDaemon();
  const [old, fresh] = [new BenchCaller(), new BenchCaller()];
  await d.call('session.open', OPEN, old);
  const again = await d.call('session.open', OPEN, fresh);
  assert.equal(again.resumed, true);
  assert.equal(again.epoch, 2);
  assert.deepEqual(old.supersededSessions, ['s']);
  await assert.rejects(
    d.call('session.append', { session: 's', messages: [user('x')] }, old),
    kind('SUPERSEDED'),
  );
  await assert.rejects(d.call('durable.add_decision', { session: 's', text: 'x' }, old), kind('SUPERSEDED'));
  await d.call('session.append', { session: 's', messages: [user('y')] }, fresh);
  const { messages } = await d.call('session.messages', { session: 's' }, fresh);
  assert.deepEqual(
    messages.map((m: Json) => m.message.content),
    ['y'],
  );
});

test('F38 the same key gives the recorded answer once, also after a restart; another body is a conflict', async () => {
  const store = new MemoryStore();
  const d = new BenchDaemon({ store });
  await d.call('session.open', OPEN);
  const body = { session: 's', messages: [user('x')], key: 'k1' };
  const first = await d.call('session.append', body);
  assert.deepEqual(await d.call('session.append', body), first);
  const prepared = await d.call('llm.prepare', { session: 's', key: 'k2' });
  const restarted = new BenchDaemon({ store });
  await restarted.call('session.open', OPEN);
  assert.deepEqual(await restarted.call('session.append', body), first);
  assert.equal((await restarted.call('session.state', { session: 's' })).messages, 1);
  await restarted.call('session.append', { session: 's', messages: [assistant('later')] });
  // To the byte: members in the order of the first answer.
  const again = await restarted.call('llm.prepare', { session: 's', key: 'k2' });
  assert.equal(JSON.stringify(again), JSON.stringify(prepared));
  await assert.rejects(
    restarted.call('session.append', { ...body, messages: [user('z')] }),
    kind('IDEMPOTENCY_CONFLICT'),
  );
});

test('F39 a subscriber gets every event once, without a gap, from any seq; beyond the end is SEQ_GAP', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  const late = new BenchCaller();
  const { seq } = await d.call('session.subscribe', { session: 's', from_seq: 1 }, late);
  await d.call('llm.prepare', { session: 's', append: [user('next')] });
  const seqs = late.heard.map((h) => h.event.seq);
  assert.ok(seqs.length > seq);
  assert.deepEqual(
    seqs,
    seqs.map((_, i) => i + 1),
  );
  await assert.rejects(
    d.call('session.subscribe', { session: 's', from_seq: 10_000 }, late),
    (e: unknown) => kind('SEQ_GAP')(e) && ((e as CuratedError).detail as Json).expected === seqs.length + 1,
  );
});

test('an event goes out before the answer of the call that caused it', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  await d.call('session.subscribe', { session: 's' });
  const answer = await d.call('session.append', { session: 's', messages: [user('x')] });
  assert.equal(d.caller.heard.at(-1)?.event.seq, answer.seq);
});

test('PV-G a resent history is recognised; an edit in the middle is one journalled divergence', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  const history = (await d.call('session.messages', { session: 's' })).messages.map((m: Json) => m.message);
  const same = await d.call('llm.prepare', { session: 's', messages: [...history, user('next')] });
  assert.match(JSON.stringify(same.request), /cleared=\\"true\\"/);
  assert.equal(same.request.messages.length, history.length + 1);
  const edited = [user('GO'), ...history.slice(1), user('next')];
  const other = await d.call('llm.prepare', { session: 's', messages: edited });
  assert.deepEqual(other.request.messages[0], user('GO'));
  const { events } = await d.call('journal.read', { session: 's' });
  const diverged = events.filter((e: Json) => e.type === 'session.diverged');
  assert.deepEqual(
    diverged.map((e: Json) => e.index),
    [0],
  );
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('PV-A41 moved cache marks are no divergence, and the request carries the marks as they are now', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  const text = (t: string, marked: boolean): Json => ({
    role: 'user',
    content: [{ type: 'text', text: t, ...(marked ? { cache_control: { type: 'ephemeral' } } : {}) }],
  });
  await d.call('llm.prepare', { session: 's', messages: [text('one', true)] });
  const moved = [text('one', false), assistant('two'), text('three', true)];
  const { request, cache } = await d.call('llm.prepare', { session: 's', messages: moved });
  assert.deepEqual(request.messages, moved);
  assert.deepEqual(
    cache.breakpoints.map((b: Json) => b.path),
    ['/messages/2/content/0'],
  );
  const { events } = await d.call('journal.read', { session: 's' });
  assert.equal(events.filter((e: Json) => e.type === 'session.diverged').length, 0);
});

test('a message whose marks move keeps string content that was written as one block', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  await d.call('llm.prepare', { session: 's', messages: [user('one')] });
  const block = {
    role: 'user',
    content: [{ type: 'text', text: 'one', cache_control: { type: 'ephemeral' } }],
  };
  const { request } = await d.call('llm.prepare', {
    session: 's',
    messages: [block, assistant('a'), user('b')],
  });
  assert.equal(request.messages.length, 3);
  assert.deepEqual(request.messages[0], block);
});

test('J-10 a fork is a prefix of the journal and goes its own way', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  const { seq } = await d.call('session.state', { session: 's' });
  await d.call('llm.prepare', { session: 's', append: [user('main line')] });
  const fork = await d.call('session.fork', { session: 's', at_seq: seq, as: 'f' });
  assert.deepEqual(fork, { session: 'f', seq });
  await d.call('session.open', { ...OPEN, session: 'f' });
  const { request } = await d.call('llm.prepare', { session: 'f', append: [user('other line')] });
  assert.equal(request.messages.at(-1).content, 'other line');
  assert.equal((await d.call('journal.replay', { session: 'f' })).identical, true);
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('J-11 a rewind gives the state of that seq and keeps the rest in an archive', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  const before = await d.journalled();
  await d.call('llm.prepare', { session: 's', append: [user('wrong way')] });
  const done = await d.call('session.rewind', { session: 's', to_seq: before.seq });
  assert.equal(done.seq, before.seq);
  assert.ok(done.archived.length > 0);
  assert.equal(done.archive_name, done.archived);
  assert.equal(done.kept, before.seq);
  assert.ok(done.truncated_seq > before.seq);
  assert.deepEqual(await d.journalled(), before);
  assert.deepEqual((await d.call('session.archives', { session: 's' })).archives, [done.archived]);
  await assert.rejects(d.call('session.rewind', { session: 's', to_seq: 0 }), kind('SEQ_GAP'));
  const restored = await d.call('session.restore', { session: 's', archive: done.archived });
  assert.ok(restored.seq > before.seq);
});

test('J-11 P-3 what a report teaches after a rewind is the same whether or not somebody has looked at the session', async () => {
  const fits: unknown[] = [];
  for (const looks of [false, true]) {
    const d = new BenchDaemon();
    await d.call('session.open', OPEN);
    await d.call('session.append', { session: 's', messages: [user(BODY)] });
    const { seq } = await d.call('session.state', { session: 's' });
    await d.call('session.append', { session: 's', messages: [assistant('away')] });
    await d.call('session.rewind', { session: 's', to_seq: seq });
    if (looks) await d.call('session.messages', { session: 's', view: 'curated' });
    await d.call('turn.end', { session: 's', usage: { input_tokens: 700, output_tokens: 9 } });
    const { events } = await d.call('journal.read', { session: 's' });
    fits.push(events.find((e: Json) => e.type === 'agent.turn.end').fit);
  }
  assert.deepEqual(fits[0], fits[1]);
  assert.ok((fits[0] as Json).anchor.x.some((v: number) => v > 0));
});

test('F39 J-11 whoever listens is told of a rewind and of a restore, and where the events go on', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  const [one, all] = [new BenchCaller(), new BenchCaller()];
  await d.call('session.subscribe', { session: 's' }, one);
  await d.call('session.subscribe', { session: '*' }, all);
  await d.call('session.append', { session: 's', messages: [user('x')] });
  const { epoch, archived } = await d.call('session.rewind', { session: 's', to_seq: 1 });
  const back = await d.call('session.restore', { session: 's', archive: archived });
  const told = [
    { session: 's', signal: { type: 'session.rewound', to_seq: 1, epoch, archived } },
    {
      session: 's',
      signal: { type: 'session.rewound', to_seq: back.seq, epoch: back.epoch, archived: back.archived },
    },
  ];
  for (const listener of [one, all]) assert.deepEqual(listener.signals, told);
});

test('F39 who listens to all sessions and to one of them hears each event once', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  const both = new BenchCaller();
  await d.call('session.subscribe', { session: '*' }, both);
  await d.call('session.subscribe', { session: 's', from_seq: 1 }, both);
  await d.call('session.append', { session: 's', messages: [user('x')] });
  const seqs = both.heard.map((h) => h.event.seq);
  assert.deepEqual(
    seqs,
    seqs.map((_, i) => i + 1),
  );
  assert.ok(seqs.length > 2);
});

test('F46 F39 a session that the client has seen and the journal has not is SEQ_GAP, never an empty one in its place', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  await d.call('session.append', { session: 's', messages: [user('x')] });
  const { seq } = await d.call('session.state', { session: 's' });
  await d.call('session.forget', { session: 's' });
  await assert.rejects(
    d.call('session.open', { ...OPEN, last_seq: seq }),
    (e: unknown) => kind('SEQ_GAP')(e) && ((e as CuratedError).detail as Json).expected === 0,
  );
  assert.deepEqual((await d.call('session.list', {})).sessions, []);
  assert.equal((await d.call('session.open', { ...OPEN, last_seq: 0 })).resumed, false);
});

test('J-10 a fork does not take the name of a session that is there: the call is wrong, and the same again is too', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  await d.call('session.open', { ...OPEN, session: 'f' });
  await d.call('session.append', { session: 'f', messages: [user('mine')] });
  await assert.rejects(
    d.call('session.fork', { session: 's', as: 'f' }),
    (e: unknown) =>
      kind('BAD_TYPE')(e) && !(e as CuratedError).retryable && (e as CuratedError).path === '/as',
  );
  assert.equal((await d.call('session.messages', { session: 'f' })).messages.length, 1);
});

test('a resumed session goes on where it was: same state, same request, same handles', async () => {
  const store = new MemoryStore();
  const d = new BenchDaemon({ store });
  await withClearing(d);
  const state = await d.journalled();
  const next = new BenchDaemon({ store });
  const opened = await next.call('session.open', OPEN);
  assert.equal(opened.resumed, true);
  assert.equal(opened.turn, state.turn);
  const again = await next.journalled();
  assert.deepEqual({ ...again, seq: 0 }, { ...state, seq: 0 });
  const { text } = await next.call('recall.get', { handle: state.cleared[0].handle });
  assert.equal(text, BODY);
});

test('F42 two tenants with the same session id and texts share nothing', async () => {
  const d = new BenchDaemon();
  const other = new BenchCaller('other');
  await withClearing(d);
  await d.call(
    'session.open',
    { ...OPEN, config: clearing({ age_turns: 1, size_bytes_threshold: 50 }) },
    other,
  );
  const { handle } = (await d.call('session.state', { session: 's' })).cleared[0];
  await assert.rejects(d.call('recall.get', { handle }, other), kind('UNKNOWN_HANDLE'));
  assert.equal((await d.call('session.state', { session: 's' }, other)).messages, 0);
  assert.equal((await d.call('session.list', {}, other)).sessions.length, 1);
});

test('a subscription ends when it is ended, and with a session that is forgotten: a host that lives long holds nothing of it', async () => {
  const d = new BenchDaemon();
  const reader = new BenchCaller();
  const open = (session: string) => d.call('session.open', { ...OPEN, session });
  await open('s');
  await d.call('session.subscribe', { session: 's' }, reader);
  const say = () => d.call('session.append', { session: 's', messages: [user('a')] });
  await say();
  const heard = reader.heard.length;
  assert.ok(heard > 0);
  assert.deepEqual(await d.call('session.unsubscribe', { session: 's' }, reader), { ended: true });
  await say();
  assert.equal(reader.heard.length, heard);
  assert.deepEqual(await d.call('session.unsubscribe', { session: 's' }, reader), { ended: false });
  const host = new BenchCaller();
  for (let n = 0; n < 3; n++) {
    await d.call('session.open', { ...OPEN, session: `of ${n}` }, host);
    await d.call('session.subscribe', { session: `of ${n}` }, host);
    await d.call('session.forget', { session: `of ${n}` }, host);
  }
  assert.deepEqual([host.subscriptions.size, host.endings.size], [0, 0]);
});

test('session.forget leaves no trace', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  const { handle } = (await d.call('session.state', { session: 's' })).cleared[0];
  assert.deepEqual(await d.call('session.forget', { session: 's' }), { erased: true });
  await assert.rejects(d.call('session.state', { session: 's' }), kind('UNKNOWN_SESSION'));
  await assert.rejects(d.call('recall.get', { handle }), kind('UNKNOWN_HANDLE'));
  assert.equal((await d.call('session.open', OPEN)).resumed, false);
});

test('F44 what was made of a session goes before its journal: a forget that is cut off leaves a session that goes on', async () => {
  const store = new MemoryStore();
  const order: string[] = [];
  const d = new BenchDaemon({ store });
  await withClearing(d);
  const recall = {
    forget: async () => void order.push('made'),
    touch: () => void order.push('found again'),
  };
  Object.assign(d.rooms, { recall });
  const erase = store.erase.bind(store);
  store.erase = () => {
    order.push('journal');
    return Promise.reject(new CuratedError('STORAGE_FULL', 'no space left'));
  };
  await assert.rejects(d.call('session.forget', { session: 's' }), kind('STORAGE_FULL'));
  assert.deepEqual(order, ['made', 'journal', 'found again']);
  const { messages } = await d.call('session.messages', { session: 's' });
  assert.ok(messages.length > 0);
  await d.call('session.append', { session: 's', messages: [user('still here')] });
  store.erase = erase;
  await d.call('session.forget', { session: 's' });
  assert.deepEqual(order.slice(3), ['made', 'made'], 'and once more, for who read the journal meanwhile');
});

test('a closed session takes no messages until it is opened again', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  await d.call('session.close', { session: 's' });
  await assert.rejects(
    d.call('session.append', { session: 's', messages: [user('x')] }),
    kind('UNKNOWN_SESSION'),
  );
  assert.equal((await d.call('session.open', OPEN)).resumed, true);
  await d.call('session.append', { session: 's', messages: [user('x')] });
});

test('M-8 J-3 a parked session is read back from its journal as if nothing had been', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  d.caller.end();
  const before = await d.journalled();
  d.clock.advance(1000);
  assert.equal(await d.registry.park(500), 1);
  assert.equal(d.registry.loaded, 0);
  assert.deepEqual(await d.journalled(), before);
});

test('F37 a changed configuration file is taken up at the next turn boundary, under what the session asked for', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, config: { curated: { clear_at_least: 7 } } });
  d.layers = [{ plugins: { toolResultClear: { ageTurns: 2 } }, curated: { clearAtLeast: 99 } }];
  d.configVersion += 1;
  await d.call('llm.prepare', { session: 's', append: [user('x')] });
  await d.call('turn.end', { session: 's', final: false });
  const configs = async (): Promise<Json[]> =>
    (await d.call('journal.read', { session: 's' })).events.filter((e: Json) => e.type === 'session.config');
  assert.equal((await configs()).length, 0);
  await d.call('turn.end', { session: 's' });
  const [changed] = await configs();
  assert.equal(changed.config.plugins['nexus.memory.tool_result_clear'].age_turns, 2);
  assert.equal(changed.config.curated.clear_at_least, 7);
});

test('P-8 a turn ends once for one key, and the end names the turn, its iteration and its session', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  await d.call('llm.prepare', { session: 's', append: [user('x')] });
  const first = await d.call('turn.end', { session: 's', key: 'end-0' });
  assert.deepEqual(await d.call('turn.end', { session: 's', key: 'end-0' }), first);
  assert.equal((await d.call('session.state', { session: 's' })).turn, 1);
  const { events } = await d.call('journal.read', { session: 's' });
  const ends = events.filter((e: Json) => e.type === 'agent.turn.end');
  assert.equal(ends.length, 1);
  assert.equal(ends[0].session_id, 's');
  assert.equal(typeof ends[0].turn_id, 'string');
  assert.equal(ends[0].iteration, 0);
});

test('P-10 calls made inside another tool never enter the history', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  await d.call('session.append', { session: 's', messages: [user('x')] });
  const inner = toolRound('inner', 'read', { p: 1 }, BODY);
  const answer = await d.call('session.append', { session: 's', messages: inner, parent_call_id: 'outer' });
  assert.deepEqual(answer.ids, []);
  const state = await d.call('session.state', { session: 's' });
  assert.equal(state.messages, 1);
  assert.deepEqual(state.pending, []);
  const { events } = await d.call('journal.read', { session: 's' });
  assert.equal(events.find((e: Json) => e.type === 'tool.invoke').parent_call_id, 'outer');
});

test('L4-19 what a history query gave away can be changed without changing the history', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  const first = await d.call('session.messages', { session: 's' });
  first.messages[0].message.content = 'changed';
  first.messages.length = 1;
  const second = await d.call('session.messages', { session: 's' });
  assert.equal(second.messages[0].message.content, 'go');
  assert.equal(second.messages.length, 4);
});

test('P-12 P-14 what of its own configuration a session does not use is told, once, and again only when it changes', async () => {
  const d = new BenchDaemon();
  const config = {
    core: { anything: 1 },
    curated: { listen: { port: 1 } },
    plugins: { active: ['nexus.agent.react', 'summary_buffer', 'compaction'] },
  };
  await d.call('session.open', { ...OPEN, config });
  await d.call('session.open', { ...OPEN, config });
  const { events } = await d.call('journal.read', { session: 's' });
  const told = events.filter((e: Json) => e.type === 'session.notice');
  assert.deepEqual(told.map((e: Json) => e.path).sort(), [
    '/config/core',
    '/config/curated/listen',
    '/config/plugins/active',
    '/config/plugins/active/0',
  ]);
  await d.call('session.open', { ...OPEN, config: { ...config, curated: { preset: 'off' } } });
  const after = (await d.call('journal.read', { session: 's', from_seq: events.length + 1 })).events;
  assert.equal(after.filter((e: Json) => e.type === 'session.notice').length, 3);
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('F29 a limit is named as the configuration and initialize name it', async () => {
  const { LIMITS } = await import('../../src/config.js');
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  const many = (n: number) => Array.from({ length: n }, () => user('x'));
  const named = (e: unknown) =>
    kind('LIMIT')(e) && ((e as CuratedError).detail as { limit: string }).limit in LIMITS;
  await assert.rejects(d.call('session.append', { session: 's', messages: many(101) }), named);
  for (let i = 0; i < 100; i++) await d.call('session.append', { session: 's', messages: many(100) });
  await assert.rejects(d.call('session.append', { session: 's', messages: many(1) }), named);
});

test('F49 a clock that jumps back an hour changes no order: seq rules, and the replay is identical', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  d.clock.jump(d.clock.now() - 3_600_000);
  await d.call('llm.prepare', { session: 's', append: [user('after the jump')] });
  await d.call('turn.end', { session: 's' });
  const { events } = await d.call('journal.read', { session: 's' });
  assert.deepEqual(
    events.map((e: Json) => e.seq),
    events.map((_: Json, i: number) => i + 1),
  );
  assert.ok(events.at(-1).ts < events[0].ts);
  const next = new BenchDaemon({ store: d.store });
  await next.call('session.open', OPEN);
  assert.equal((await next.call('journal.replay', { session: 's' })).identical, true);
});

test('F49 a wall clock that jumps ahead a day ends nothing: what is idle is told by the monotonic one', async () => {
  const d = new BenchDaemon();
  await withClearing(d);
  const before = await d.call('session.state', { session: 's' });
  d.caller.end();
  d.clock.jump(d.clock.now() + 86_400_000);
  assert.equal(await d.registry.park(60_000), 0);
  d.clock.advance(60_001);
  assert.equal(await d.registry.park(60_000), 1);
  d.clock.jump(d.clock.now() - 2 * 86_400_000);
  assert.deepEqual(await d.call('session.state', { session: 's' }), before);
  assert.equal(await d.registry.park(60_000), 0, 'it was just used, whatever the wall clock says');
});

test('J-14 J-15 nothing that a replay needs can be left out of the journal', async () => {
  const d = new BenchDaemon();
  for (const type of ['io.input', 'agent.turn.end', 'memory.tool_result_cleared', 'llm.request']) {
    await assert.rejects(
      d.call('session.open', { ...OPEN, config: { journal: { exclude_events: [type] } } }),
      kind('CONFIG'),
      type,
    );
  }
});

test('F50 an event that this version does not know stops its session with a clear error, and no other', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  await d.call('session.open', { ...OPEN, session: 't' });
  const head = await d.store.head({ tenant: 'default', session: 's' });
  d.store.append({ tenant: 'default', session: 's' }, head!.seq, [
    chain(head!, { seq: head!.seq + 1, ts: 1, type: 'session.of_the_future', turn: 0, payload: {} }),
  ]);
  await d.store.flush('os');
  const next = new BenchDaemon({ store: d.store });
  await assert.rejects(next.call('session.open', OPEN), (e: unknown) => {
    return kind('STORAGE')(e) && /type this version does not know/.test((e as Error).message);
  });
  assert.equal((await next.call('session.open', { ...OPEN, session: 't' })).resumed, true);
});

test('NS-6 a session whose tokens are estimated for want of a vocabulary says so', async () => {
  const d = new BenchDaemon({
    counted: (model) => (model === 'qwen3-32b' ? 'tokens are estimated' : undefined),
  });
  for (const model of ['qwen3-32b', 'gpt-4o'])
    await d.call('session.open', { session: model, format: 'openai-chat', model });
  const noticed = async (session: string) =>
    (await d.call('journal.read', { session })).events.filter((e: Json) => e.type === 'session.notice')
      .length;
  assert.equal(await noticed('qwen3-32b'), 1);
  assert.equal(await noticed('gpt-4o'), 0);
});

test('a session that could not be opened is none in memory', async () => {
  const d = new BenchDaemon();
  const wrong = { format: 'anthropic', model: 'm', config: { curated: { presett: 1 } } };
  await assert.rejects(d.call('session.open', wrong), { kind: 'CONFIG', path: '/config/curated/presett' });
  assert.equal(d.registry.loaded, 0);
  await d.call('session.open', { session: 's', format: 'anthropic', model: 'm' });
  assert.equal(d.registry.loaded, 1);
});

test('F47 nothing of a call that a full disk refused is in the session, and the first call after it goes on', async () => {
  const store = new MemoryStore();
  const d = new BenchDaemon({ store });
  await withClearing(d);
  await d.call('session.append', { session: 's', messages: [user('kept')] });
  const before = await d.journalled();
  const append = store.append.bind(store);
  store.append = () => {
    throw new CuratedError('STORAGE_FULL', 'no space left');
  };
  const call = (n: number) => d.call('session.append', { session: 's', messages: [user(`lost ${n}`)] });
  for (let n = 0; n < 3; n += 1) await assert.rejects(call(n), { kind: 'STORAGE_FULL' });
  assert.deepEqual(await d.journalled(), before);
  store.append = append;
  await call(4);
  const { messages } = await d.call('session.messages', { session: 's' });
  assert.deepEqual(
    messages.slice(-2).map((m: Json) => m.message.content),
    ['kept', 'lost 4'],
  );
});

test('F44 a session whose daemon died in its first turn is listed with its model and its tokens', async () => {
  const store = new MemoryStore();
  const d = new BenchDaemon({ store });
  await withClearing(d);
  const [listed] = (await d.call('session.list', {})).sessions;
  // Another daemon on the same journal: nothing of the first one's memory is left.
  const next = new BenchDaemon({ store, clock: d.clock });
  assert.deepEqual((await next.call('session.list', {})).sessions, [{ ...listed, connected: false }]);
  assert.ok(listed.tokens > 0 && listed.model !== '');
  assert.equal((await store.head({ tenant: 'default', session: 's' }))!.meta['model'], listed.model);
});

test('J-11 a rewind and a restore raise the epoch: the same seq names another event from there on', async () => {
  const d = new BenchDaemon();
  const opened = await d.call('session.open', OPEN);
  await d.call('session.append', { session: 's', messages: [user('x')] });
  const rewound = await d.call('session.rewind', { session: 's', to_seq: 1 });
  assert.equal(rewound.epoch, opened.epoch + 1);
  const restored = await d.call('session.restore', { session: 's', archive: rewound.archived });
  assert.equal(restored.epoch, rewound.epoch + 1);
  assert.equal((await d.call('session.open', OPEN)).epoch, restored.epoch + 1);
});

test('P-11 J-11 a session that is forgotten, forked into or asked for while it is opened is one session', async () => {
  const open = { format: 'anthropic', model: 'claude-haiku-4-5' };
  const asked: ((d: BenchDaemon) => Promise<unknown>)[] = [
    (d) => d.call('session.forget', { session: 'x', force: true }),
    (d) => d.call('session.fork', { session: 'from', as: 'x' }),
    (d) => d.call('session.state', { session: 'x' }),
    (d) => d.call('session.open', { session: 'x', ...open }),
    (d) => d.call('session.append', { session: 'x', messages: [user('hello')] }),
    (d) => d.call('turn.end', { session: 'x' }),
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(asked.length - 1), { minLength: 2, maxLength: 12 }), async (order) => {
      const d = new BenchDaemon();
      await d.call('session.open', { session: 'from', ...open });
      await d.call('session.append', { session: 'from', messages: [user('of another')] });
      const done = await Promise.allSettled(order.map((i) => asked[i]!(d)));
      for (const answer of done)
        if (answer.status === 'rejected')
          assert.ok(['UNKNOWN_SESSION', 'BAD_TYPE'].includes(answer.reason.kind), String(answer.reason));
      // Whoever comes now finds what was acknowledged, and can go on.
      await d.call('session.open', { session: 'x', ...open });
      const before = (await d.call('session.messages', { session: 'x' })).messages.length;
      await d.call('llm.prepare', { session: 'x', append: [user('and now')] });
      assert.equal((await d.call('session.messages', { session: 'x' })).messages.length, before + 1);
      assert.deepEqual((await d.call('journal.verify', { session: 'x' })).broken, []);
      assert.ok((await d.call('journal.replay', { session: 'x' })).identical);
    }),
    { numRuns: 60 },
  );
});

test('J-11 a journal that is forgotten while somebody reads it is unknown to them, not damaged', async () => {
  const stored = new MemoryStore();
  let asked = () => {};
  let go = () => {};
  const reads = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const goes = new Promise<void>((resolve) => {
    go = resolve;
  });
  const store = new Proxy(stored, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      if (name !== 'blobs') return value.bind(target);
      return async (...args: Parameters<Store['blobs']>) => {
        asked();
        await goes;
        return target.blobs(...args);
      };
    },
  });
  const d = new BenchDaemon({ store });
  await d.call('session.open', OPEN);
  await d.call('session.append', { session: 's', messages: [user('long '.repeat(20_000))] });
  const replayed = assert.rejects(d.call('journal.replay', { session: 's' }), kind('UNKNOWN_SESSION'));
  await reads;
  await d.call('session.forget', { session: 's' });
  go();
  await replayed;
});
