// The window gate: held calls and their retries, deeper steps, what cannot be reduced, recovery after an overflow.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CuratedError } from '../../src/errors.js';
import { MemoryStore } from '../../src/journal/index.js';
import type { Summary } from '../../src/summary/summariser.js';
import { assistant, BenchDaemon, clearing, type Json, toolRound, user } from './bench-daemon.js';
import {
  BUFFER,
  events,
  FakeSummariser,
  GATE,
  good,
  journal,
  open,
  prepare,
  S,
  settled,
  texts,
} from './condensing.js';

/** About 1,000 tokens of the bench's counter. */
const K = 'word '.repeat(800);
/** B = 4096, limit = 12,288 (NS-2). */
const SMALL = { context_window: 16_384, max_output_tokens: 4096, model: 'gpt-4o', format: 'openai-chat' };

function talk(n: number, size = K): Json[] {
  return Array.from({ length: n }, (_, i) =>
    i % 2 === 0 ? user(`question ${i} ${size}`) : assistantText(`answer ${i} ${size}`),
  );
}

function assistantText(content: string): Json {
  return { role: 'assistant', content };
}

async function refused(call: Promise<unknown>): Promise<CuratedError> {
  return call.then(
    () => assert.fail('it went through'),
    (e: CuratedError) => e,
  );
}

test('L5-1 L5-2 over B the call is held, says so, and comes back once with a request that fits', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [GATE], SMALL);
  const out = await prepare(d, talk(9));
  assert.ok(out.tokens.curated <= out.tokens.threshold, `${out.tokens.curated} of ${out.tokens.threshold}`);
  assert.match(texts(out.request.messages), /Prior Context \(Compacted\)/);
  const types = events(d).map((e) => e.type);
  const order = [
    'io.output',
    'memory.compact.request',
    'memory.compaction.triggered',
    'memory.compacted',
    'gate.llm.retry',
    'llm.request',
  ];
  assert.deepEqual(
    types.filter((t) => order.includes(t)),
    order,
  );
  const [request] = events(d, 'memory.compact.request');
  assert.equal(request.reason, 'context_window_gate');
  assert.equal(request.threshold, out.tokens.threshold);
  assert.ok(request.estimated_tokens > request.threshold);
  const [retry] = events(d, 'gate.llm.retry');
  assert.equal(retry.source, GATE);
  assert.equal(retry.reason, 'compaction_complete');
  assert.equal(fake.asked.length, 1);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('L5-1 the ratio gate: 85,000 is over, 84,999 is not', async () => {
  for (const [tokens, over] of [
    [85_000, true],
    [84_999, false],
  ] as const) {
    const d = new BenchDaemon({
      summariser: new FakeSummariser(() => ({ ok: false, reason: 'error', calls: 1 })),
    });
    await open(d, [GATE], {
      model: 'nobody-knows-it',
      blocks: { [GATE]: { max_context_tokens: 100_000, trigger_ratio: 0.85 } },
    });
    const rest = tokens - 9 * 4;
    const messages = talk(9, '').map((m) => ({ ...m, content: 'abcd'.repeat(Math.floor(rest / 9)) }));
    messages[0]!.content += 'abcd'.repeat(rest % 9);
    for (const [i, m] of messages.entries())
      messages[i] = i % 2 === 1 ? { role: 'assistant', content: [{ type: 'text', text: m.content }] } : m;
    const out = await prepare(d, messages);
    assert.equal(out.tokens.curated, tokens);
    assert.equal(out.tokens.threshold, over ? 85_000 : 85_000);
    assert.equal(events(d, 'memory.compact.request').length, over ? 1 : 0, `${tokens}`);
  }
});

test('L5-1 of a model that nobody knows the window told is what the gate goes by, in every kind of answer', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { session: S, format: 'openai-chat', model: 'a-model-of-our-own' });
  const asked = { session: S, append: [{ role: 'user', content: 'go' }] };
  for (const kind of ['main', 'classify']) {
    const { tokens } = await d.call('llm.prepare', { ...asked, task_kind: kind });
    assert.deepEqual([tokens.window, tokens.threshold], [100_000, 85_000], kind);
  }
  const given = {
    session: 'given',
    format: 'openai-chat',
    model: 'a-model-of-our-own',
    context_window: 50_000,
  };
  await d.call('session.open', given);
  assert.equal((await d.call('llm.prepare', { ...asked, session: 'given' })).tokens.window, 50_000);
});

test('L5-1 a fraction of the window is one of what the gate goes by, where nobody knows the model', async () => {
  for (const [fraction, cleared] of [
    [0.01, 1],
    [0.5, 0],
  ]) {
    const d = new BenchDaemon();
    const config = clearing({ age_turns: 1 }, { cost_rule: 'off', trigger: [{ fraction }] });
    await d.call('session.open', { session: S, format: 'anthropic', model: 'a-model-of-our-own', config });
    const body = 'y'.repeat(20_000);
    await d.call('llm.prepare', { session: S, append: [user('go'), ...toolRound('a', 'read', {}, body)] });
    await d.call('session.append', { session: S, messages: [{ role: 'assistant', content: 'done' }] });
    await d.call('turn.end', { session: S });
    assert.equal((await d.call('session.state', { session: S })).cleared.length, cleared, `${fraction}`);
  }
});

test('NS-2 NS-23 a limit of the answer that a call states is kept free in full: request and answer fit the window together', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], SMALL);
  // Below B, and of the window less half of it.
  const whole = await prepare(d, talk(5), { max_tokens: 8192 });
  assert.ok(whole.tokens.p95 > 16_384 - 12_000, `${whole.tokens.p95}`);
  const out = await d.call('llm.prepare', { session: S, max_tokens: 12_000 });
  assert.ok(out.tokens.p95 + 12_000 <= 16_384, `${out.tokens.p95} and 12,000`);
  assert.match(texts(out.request.messages), /Prior Context \(Compacted\)/);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('NS-2 NS-5 whatever is stated, an answer is a request that fits beside it, or the call a typed error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 6_000, max: 20_000 }),
      fc.double({ min: 0, max: 0.95, noNaN: true }),
      fc.integer({ min: 1, max: 9 }),
      async (window, share, n) => {
        const max_tokens = Math.floor(window * share);
        const d = new BenchDaemon({ summariser: new FakeSummariser() });
        await open(d, [GATE], { ...SMALL, context_window: window });
        const result = await prepare(d, talk(n), { max_tokens }).catch((e: CuratedError) => e.kind);
        if (typeof result === 'string') assert.equal(result, 'CONTEXT_IRREDUCIBLE');
        else
          assert.ok(
            result.tokens.p95 + max_tokens <= window,
            `${result.tokens.p95} and ${max_tokens} of ${window}`,
          );
      },
    ),
    { numRuns: 25 },
  );
});

test('NS-2 L5-6 a stated limit that leaves no message any room reserves half of the window, and is told once', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], { ...SMALL, system: K });
  for (const max_tokens of [16_384, 15_900, 100_000])
    assert.equal((await d.call('llm.prepare', { session: S, append: [user('x')], max_tokens })).fits, true);
  const told = events(d).filter((e) => e.type === 'session.notice' && e.path === '/max_tokens');
  assert.equal(told.length, 1);
  assert.match(told[0]!.text, /^16384 tokens of output leave no room .* of 16384 .*half of it is reserved/);
});

test('L5-3 P-6 a main request is gated whatever else it carries, an exempt kind never', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [GATE], SMALL);
  await d.call('session.append', { session: S, messages: talk(9) });
  const plan = await prepare(d, undefined, { task_kind: 'plan' });
  assert.equal(plan.request.messages.length, 9);
  assert.equal(fake.asked.length, 0);
  await prepare(d, undefined, { task_kind: 'something-else' });
  assert.equal(fake.asked.length, 1);
});

test('L5-5 NS-16 F36 a failing summariser: the request passes with a warning while it fits, and is not asked again', async () => {
  for (const how of ['error', 'empty', 'refusal', 'truncated', 'tool_call', 'other_range'] as const) {
    const fake = new FakeSummariser((): Summary => ({ ok: false, reason: how, calls: 1 }));
    const d = new BenchDaemon({ summariser: fake });
    await open(d, [GATE], SMALL);
    const out = await prepare(d, talk(9));
    assert.equal(out.request.messages.length, 9, how);
    assert.equal(events(d, 'memory.compaction.failed')[0].reason, how);
    assert.equal(events(d, 'gate.llm.retry').length, 0);
    assert.ok(events(d, 'memory.diagnostic').some((e) => e.what === 'over_budget_but_fits'));
    await prepare(d, [assistantText('ok'), user('next')]);
    assert.equal(fake.asked.length, 1, 'no new try without new content (NS-17)');
  }
});

test('L5-6 F36 beyond the window a failing model is followed by the built-in summariser', async () => {
  const d = new BenchDaemon({
    summariser: new FakeSummariser((): Summary => ({ ok: false, reason: 'error', calls: 3 })),
  });
  await open(d, [GATE], SMALL);
  const out = await prepare(d, talk(21));
  assert.ok(out.tokens.p95 <= 12_288);
  assert.equal(events(d, 'memory.compacted').length, 1);
  assert.match(texts(out.request.messages), /question 20/);
});

test('L5-5 a veto ends within its deadline when nothing else does', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser(() => new Promise<Summary>(() => {})) });
  await open(d, [GATE], { ...SMALL, blocks: { [GATE]: { deadline: '1s' } } });
  const started = Date.now();
  const out = await prepare(d, talk(9));
  assert.ok(Date.now() - started < 5000);
  assert.equal(out.request.messages.length, 9);
  assert.equal(events(d, 'memory.compaction.failed')[0].reason, 'late');
});

test('L5-5 L4-11 a call that meets a summary under way waits for that one, and gets it as soon as it is there', async () => {
  let answer!: (s: Summary) => void;
  const first = new Promise<Summary>((resolve) => {
    answer = resolve;
  });
  const fake = new FakeSummariser((_r, n) => (n === 1 ? first : good('And then more.')));
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [BUFFER, GATE], {
    ...SMALL,
    // A boundary has passed and the cache is warm: by its own price the summary would wait.
    curated: { cache_ttl: '1h' },
    blocks: {
      [GATE]: { deadline: '3s' },
      [BUFFER]: {
        strategy: 'message_count',
        message_threshold: 4,
        max_recent: 2,
        require_over_budget: false,
      },
    },
  });
  await prepare(d, talk(3));
  await d.call('session.append', { session: S, messages: [assistantText('so')] });
  await d.call('turn.end', { session: S });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(fake.asked.length, 1);
  await prepare(d, [user('on')]);
  const held = prepare(d, [assistantText('more'), ...talk(8)]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  answer(good('What was said before.'));
  const out = await held;
  assert.match(texts(out.request.messages), /What was said before/);
  assert.equal(events(d, 'memory.summary_replaced').length, 1);
  // The one under way was not asked for again; what has come since is condensed behind it.
  assert.deepEqual(
    fake.asked.map((r) => [r.purpose, r.messages[0]!.at]),
    [
      ['summary', 0],
      ['compaction', 2],
    ],
  );
  assert.deepEqual(events(d, 'memory.compaction.failed'), []);
});

test('L5-6 results are cleared, also recent ones, when there is nothing to summarise', async () => {
  const d = new BenchDaemon();
  await open(d, [GATE], { context_window: 16_384, max_output_tokens: 4096 });
  const rounds = [
    ...toolRound('t1', 'read', { n: 1 }, K.repeat(7)),
    ...toolRound('t2', 'read', { n: 2 }, K.repeat(7)),
  ];
  const out = await prepare(d, [user('go'), ...rounds, assistant('done'), user('and now?')]);
  assert.ok(out.tokens.p95 <= 12_288);
  assert.ok(events(d, 'memory.tool_result_cleared').length >= 1);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('L5-6 one message alone exceeds the window: head and tail of it stay, the whole is behind a handle', async () => {
  for (const big of ['result', 'text'] as const) {
    const d = new BenchDaemon();
    await open(d, [GATE], { context_window: 16_384, max_output_tokens: 4096 });
    const body = `START ${K.repeat(40)} END`;
    const messages = big === 'result' ? [user('go'), ...toolRound('t1', 'dump', {}, body)] : [user(body)];
    const out = await prepare(d, messages);
    assert.ok(out.tokens.p95 <= 12_288, big);
    const all = JSON.stringify(out.request.messages);
    assert.match(all, /START/);
    const type = big === 'result' ? 'memory.tool_result_cleared' : 'memory.text_shortened';
    const [{ handle }] = await journal(d, type);
    assert.ok(all.includes(handle), 'the handle can be read in the request');
    assert.equal((await d.call('recall.get', { handle })).text, body);
  }
});

test('L5-6 many long results of one round in a small window: each keeps less than head and tail, and its handle', async () => {
  const d = new BenchDaemon();
  await open(d, [GATE], { ...SMALL, context_window: 6000, max_output_tokens: 800 });
  const ids = Array.from({ length: 12 }, (_, i) => `call_${i}`);
  const bodies = ids.map((id, i) => `START of ${id} ${'word '.repeat(400 * (i + 1))}END`);
  const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'dump', arguments: '{}' } }));
  const round = [
    { role: 'assistant', content: null, tool_calls: calls },
    ...ids.map((id, i) => ({ role: 'tool', tool_call_id: id, content: bodies[i] })),
  ];
  const out = await prepare(d, [user('go'), ...round]);
  assert.ok(out.tokens.p95 <= 5200);
  const results = out.request.messages.filter((m: Json) => m.role === 'tool');
  for (const [i, { content }] of results.entries()) {
    assert.match(content, new RegExp(`^START of ${ids[i]}`));
    const [, handle] = /handle (\S+) gives/.exec(content) ?? [];
    assert.equal((await d.call('recall.get', { handle })).text, bodies[i]);
  }
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
  // A provider that takes it is asked for nothing more.
  await prepare(d, [assistantText('done'), user('and now?')]);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('NS-14 the session arrives already over the window', async () => {
  const d = new BenchDaemon();
  await open(d, [GATE], SMALL);
  const out = await prepare(d, undefined, { messages: talk(61) });
  assert.ok(out.tokens.p95 <= 12_288);
  assert.match(texts(out.request.messages, 'user'), /question 60/);
});

test('L5-6 what nobody can reduce is a typed error with the numbers, and nothing of the call is left', async () => {
  const d = new BenchDaemon();
  await open(d, [GATE], { context_window: 4096, max_output_tokens: 1024 });
  await prepare(d, [user('hi')]);
  const parts = Array.from({ length: 60 }, (_, i) => ({
    type: 'text',
    text: `part ${i} ${'word '.repeat(100)}`,
  }));
  const e = await refused(prepare(d, [assistant('ok'), { role: 'user', content: parts }]));
  assert.equal(e.kind, 'CONTEXT_IRREDUCIBLE');
  const detail = e.detail as Json;
  assert.ok(detail.needed > detail.limit);
  assert.ok(detail.largest_message.tokens > 4000);
  const { messages } = await d.call('session.messages', { session: S });
  assert.equal(messages.length, 1);
});

test('L5-6 case 35: what is fixed and over the limit is told once, until something reducible comes', async () => {
  const d = new BenchDaemon();
  await open(d, [GATE], {
    context_window: 32_768,
    max_output_tokens: 4096,
    curated: { fixed_overhead_tokens: 29_000 },
  });
  await prepare(d, [user('hi'), assistant('hello'), user('start')]);
  await prepare(d);
  await prepare(d, [assistant('ok'), user('go on')]);
  assert.equal(events(d, 'memory.irreducible').length, 1);
  assert.equal(events(d, 'memory.compaction.triggered').length, 0);
});

test('case 41: right after a compaction the next request changes nothing', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], SMALL);
  const first = await prepare(d, talk(9));
  const second = await prepare(d, [assistantText('ok'), user('next')]);
  assert.deepEqual(second.request.messages.slice(0, first.request.messages.length), first.request.messages);
  assert.equal(events(d, 'memory.compacted').length, 1);
  assert.equal(second.cache.prefix_stable, true);
});

test('L4-11 an append is taken while a call is held, and stands behind the summary', async () => {
  let go!: () => void;
  const wait = new Promise<void>((resolve) => {
    go = resolve;
  });
  const fake = new FakeSummariser(async () => {
    await wait;
    return good('short');
  });
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [GATE], SMALL);
  const held = prepare(d, talk(9));
  while (fake.asked.length === 0) await new Promise((r) => setTimeout(r, 5));
  await d.call('session.append', { session: S, messages: [assistantText('during'), user('meanwhile')] });
  go();
  const out = await held;
  assert.deepEqual(out.request.messages.slice(-2), [assistantText('during'), user('meanwhile')]);
});

test('F38 a held call with a key is answered once and remembered', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [GATE], SMALL);
  const append = talk(9);
  const a = await prepare(d, append, { key: 'k1' });
  const b = await prepare(d, append, { key: 'k1' });
  assert.deepEqual(b, a);
  assert.equal(fake.asked.length, 1);
});

/** A daemon whose summariser never answers, with a call held in it; then another daemon on the same journal, as after a crash. */
async function cutOff(keyed: boolean): Promise<{ d: BenchDaemon; append: Json[]; before: Json[] }> {
  const store = new MemoryStore();
  const stuck = new FakeSummariser(() => new Promise(() => undefined));
  const first = new BenchDaemon({ summariser: stuck, store });
  // Long after the test, and not the two minutes that its timers would hold the process by default.
  await open(first, [GATE], { ...SMALL, blocks: { [GATE]: { deadline: '4s' } } });
  await first.call('session.append', { session: S, messages: talk(2) });
  const append = talk(9);
  prepare(first, append, keyed ? { key: 'k1' } : {}).catch(() => undefined);
  while (stuck.asked.length === 0) await new Promise((r) => setTimeout(r, 5));
  await store.flush('os');
  const d = new BenchDaemon({ summariser: new FakeSummariser(), store });
  return { d, append, before: talk(2) };
}

const stored = async (d: BenchDaemon): Promise<Json[]> =>
  (await d.call('session.messages', { session: S })).messages.map((m: Json) => m.message);

for (const keyed of [true, false]) {
  test(`F38 F44 a call that was held when the daemon died and is made again ${keyed ? 'with its key' : 'without a key'} appends its messages once`, async () => {
    const { d, append, before } = await cutOff(keyed);
    const opened = await d.call('session.open', { session: S, format: 'openai-chat', model: 'gpt-4o' });
    assert.equal(opened.messages, before.length, 'nothing of the call that was never answered is left');
    const more = keyed ? { key: 'k1' } : {};
    const out = await prepare(d, append, more);
    assert.deepEqual(await stored(d), [...before, ...append]);
    if (keyed) assert.deepEqual(await prepare(d, append, more), out);
    assert.deepEqual(await stored(d), [...before, ...append]);
    assert.equal((await d.call('journal.replay', { session: S })).identical, true);
  });
}

test('F38 a call with a key that is made again while its first try is still held appends its messages once', async () => {
  let go!: () => void;
  const wait = new Promise<void>((resolve) => {
    go = resolve;
  });
  const fake = new FakeSummariser(async () => {
    await wait;
    return good('short');
  });
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [GATE], SMALL);
  const append = talk(9);
  const first = prepare(d, append, { key: 'k1' }).catch((e: Error) => e);
  while (fake.asked.length === 0) await new Promise((r) => setTimeout(r, 5));
  const second = prepare(d, append, { key: 'k1' });
  await new Promise((r) => setTimeout(r, 20));
  go();
  await Promise.all([first, second]);
  assert.deepEqual(await stored(d), append);
  // And nothing is taken back from what has been answered.
  const again = new BenchDaemon({ store: d.store });
  await again.call('session.open', { session: S, format: 'openai-chat', model: 'gpt-4o' });
  assert.deepEqual(await stored(again), append);
});

test('NS-14 an overflow is answered with a smaller request, once; then the provider’s own error comes back', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], { ...SMALL, context_window: 200_000 });
  const first = await prepare(d, talk(9));
  const error = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens' },
  };
  const again = await d.call('llm.error', { session: S, error });
  assert.ok(again.tokens.curated < first.tokens.curated);
  assert.match(texts(again.request.messages), /Prior Context \(Compacted\)/);
  assert.deepEqual(again.request.messages.slice(-4), talk(9).slice(-4));
  for (const type of ['memory.compaction.triggered', 'memory.compacted', 'Compacted'])
    assert.equal(events(d, type).length, 1, 'NS-16 the same events');
  const e = await refused(d.call('llm.error', { session: S, error }));
  assert.equal(e.kind, 'CONTEXT_IRREDUCIBLE');
  assert.match(e.message, /prompt is too long: 210000/);
  assert.equal(events(d, 'memory.compacted').length, 1);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('NS-14 an answer that was cut where the window ended makes the next request smaller, and only that one', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], { ...SMALL, context_window: 200_000 });
  const first = await prepare(d, talk(9));
  const rest = [assistant('the first half of'), user('go on')];
  await d.call('turn.end', { session: S, stop_reason: 'model_context_window_exceeded' });
  const again = await prepare(d, rest);
  assert.ok(again.tokens.curated < first.tokens.curated);
  assert.match(texts(again.request.messages), /Prior Context \(Compacted\)/);
  assert.deepEqual(again.request.messages.slice(-2), rest);
  await d.call('turn.end', { session: S, stop_reason: 'end_turn' });
  await prepare(d, [assistant('the second half'), user('thanks')]);
  assert.equal(events(d, 'memory.compacted').length, 1);
  assert.equal((await journal(d, 'llm.error')).length, 0);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('NS-14 an answer cut by the window, and nothing that could go: the request goes as it is', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], { ...SMALL, context_window: 200_000 });
  await prepare(d, [user('say all of it')]);
  await d.call('turn.end', { session: S, stop_reason: 'model_context_window_exceeded' });
  const messages = [user('say all of it'), assistant('all of'), user('go on')];
  assert.deepEqual((await prepare(d, messages.slice(1))).request.messages, messages);
  assert.equal(events(d, 'memory.irreducible').length, 0);
});

test('F38 NS-14 an overflow told again with the same key gives the recorded answer', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], { ...SMALL, context_window: 200_000 });
  await prepare(d, talk(9));
  const told = { session: S, error: 'prompt is too long: 210000 tokens', key: 'e1' };
  const once = await d.call('llm.error', told);
  const again = new BenchDaemon({ store: d.store });
  assert.deepEqual(await again.call('llm.error', told), once);
  assert.equal((await journal(d, 'llm.error')).length, 1);
});

test('NS-14 NS-16 any other error leaves the history alone, and so does one whose answer had begun', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [GATE], SMALL);
  await prepare(d, talk(3));
  const other = await refused(
    d.call('llm.error', { session: S, error: { status: 529, message: 'Overloaded' } }),
  );
  assert.match(other.message, /Overloaded/);
  const begun = await refused(
    d.call('llm.error', { session: S, error: 'maximum context length', delivered: true }),
  );
  assert.match(begun.message, /maximum context length/);
  assert.equal(fake.asked.length, 0);
  await settled(d);
  assert.equal((await journal(d, 'llm.error')).length, 2);
});

test('NS-14 nothing to compact: the original error', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], SMALL);
  await prepare(d, [user('hi')]);
  const e = await refused(
    d.call('llm.error', { session: S, error: 'Input is too long for requested model.' }),
  );
  assert.match(e.message, /Input is too long/);
});

for (const [since, next] of [
  ['messages came', (d: BenchDaemon) => d],
  ['the daemon was started anew', (d: BenchDaemon) => new BenchDaemon({ store: d.store })],
] as const)
  test(`NS-14 the same request is never the answer to an overflow, also where since then ${since}`, async () => {
    const d = new BenchDaemon({ summariser: new FakeSummariser() });
    // Nothing makes the request smaller here: what comes out is compared with what was there.
    await d.call('session.open', { session: S, format: 'openai-chat', model: 'gpt-4o', preset: 'off' });
    await prepare(d, [user('hi')]);
    await d.call('session.append', { session: S, messages: [assistantText('hello')] });
    const e = await refused(next(d).call('llm.error', { session: S, error: 'prompt is too long' }));
    assert.deepEqual([e.kind, e.message], ['CONTEXT_IRREDUCIBLE', 'prompt is too long']);
  });

test('NS-14 L5-6 an overflow whose summary fails is answered with results cleared, oldest first, not with the same request', async () => {
  const fake = new FakeSummariser((): Summary => ({ ok: false, reason: 'error', calls: 1 }));
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [GATE], { context_window: 60_000, blocks: { [GATE]: { max_attempts: 1 } } });
  for (let i = 0; i < 6; i += 1) {
    await prepare(d, [user(`step ${i}`), ...toolRound(`t${i}`, 'read', { i }, `row ${i} `.repeat(400))]);
    await d.call('session.append', { session: S, messages: [assistant('ok')] });
    await d.call('turn.end', { session: S });
  }
  const refusedOne = await prepare(d, [user('on')]);
  const sent = (await journal(d, 'llm.request')).length;
  const again = await d.call('llm.error', { session: S, error: 'prompt is too long: 210000 tokens' });
  assert.ok(again.tokens.curated < refusedOne.tokens.curated);
  const bodies = again.request.messages.flatMap((m: Json) =>
    Array.isArray(m.content) ? m.content.filter((b: Json) => b.type === 'tool_result') : [],
  );
  const cleared = bodies.map((b: Json) => String(b.content).includes('cleared="true"'));
  assert.equal(cleared[0], true);
  assert.deepEqual(
    cleared,
    [...cleared].sort((a, b) => Number(b) - Number(a)),
    'oldest first',
  );
  assert.equal((await journal(d, 'llm.request')).length, sent + 1);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('NS-3 compaction is due above the threshold, not at it, and is asked before every model call', async () => {
  const room = async (extra: number) => {
    const d = new BenchDaemon({ summariser: new FakeSummariser() });
    await open(d, [GATE], SMALL);
    const messages = talk(5, 'word '.repeat(300));
    const fixed = (await prepare(d, messages)).tokens;
    // Four characters are a token of the bench's counter, and an answer that ends on them costs no other.
    const fill = fixed.threshold - fixed.curated + extra - 4;
    const out = await prepare(d, [assistantText('abcd'.repeat(fill))]);
    return { d, out };
  };
  const at = await room(0);
  assert.equal(at.out.tokens.curated, at.out.tokens.threshold);
  assert.equal(events(at.d, 'memory.compact.request').length, 0);
  const over = await room(1);
  assert.equal(events(over.d, 'memory.compact.request').length, 1);
  // The next call, one token further, is asked as well.
  await prepare(at.d, [user('abcd')]);
  assert.equal(events(at.d, 'memory.compact.request').length, 1);
});

test('NS-23 the check sees all that is sent: system, tools, the durable block, what was just appended', async () => {
  const big = 'abcd'.repeat(4200);
  const parts: Record<string, (d: BenchDaemon) => Promise<unknown>> = {
    system: (d) => prepare(d, [user('now')], { system: big }),
    tools: (d) =>
      prepare(d, [user('now')], {
        tools: [
          { type: 'function', function: { name: 'run', description: big, parameters: { type: 'object' } } },
        ],
      }),
    durable: async (d) => {
      await d.call('durable.set_manifest', { session: S, text: big });
      return prepare(d, [user('now')]);
    },
    appended: (d) => prepare(d, [user(big)]),
  };
  for (const [name, add] of Object.entries(parts)) {
    const d = new BenchDaemon({ summariser: new FakeSummariser() });
    await open(d, [GATE], { ...SMALL, curated: { durable: { max_tokens: 10_000 } } });
    await prepare(d, talk(4, 'word '.repeat(200)));
    assert.equal(events(d, 'memory.compact.request').length, 0, name);
    await add(d);
    const [asked] = events(d, 'memory.compact.request');
    assert.ok(asked !== undefined, `${name} alone is over the threshold`);
    assert.ok(asked.estimated_tokens > 4200, name);
  }
});

test('NS-23 a replaced history is one journalled step, and is measured as it is sent', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [GATE], SMALL);
  await prepare(d, undefined, { messages: talk(3, 'word '.repeat(100)) });
  const other = talk(9).map((m, i) => (i === 0 ? user(`another start ${K}`) : m));
  const out = await prepare(d, undefined, { messages: other });
  const diverged = await journal(d, 'session.diverged');
  assert.deepEqual(
    diverged.map((e) => [e.index ?? e.payload.index, e.dropped_messages ?? e.payload.dropped_messages]),
    [[0, 3]],
  );
  assert.equal(events(d, 'memory.compact.request').length, 1);
  assert.ok(out.tokens.curated <= out.tokens.threshold);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('L5-13 with the gate alone compaction runs with its defaults', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [GATE], SMALL);
  await prepare(d, talk(9));
  const [done] = events(d, 'memory.compacted');
  // protect_recent 4: messages 5 to 8 stay.
  assert.deepEqual(done.covers, [0, 4]);
});

test('L5-13 listed without the gate it runs by its strategy, and over the threshold alone', async () => {
  const compaction = 'nexus.memory.compaction';
  const run = async (n: number, size: string) => {
    const fake = new FakeSummariser();
    const d = new BenchDaemon({ summariser: fake });
    const blocks = { [compaction]: { strategy: 'message_count', message_threshold: 8 } };
    await open(d, [compaction], { ...SMALL, context_window: 400_000, blocks, ...(size === K ? SMALL : {}) });
    await prepare(d, talk(n, size));
    // The cycle runs in the background: its result waits for a boundary.
    await new Promise(setImmediate);
    return { asked: fake.asked.length, requests: events(d, 'memory.compact.request').length };
  };
  assert.deepEqual(await run(7, K), { asked: 0, requests: 0 }, 'over the threshold, below the measure');
  assert.deepEqual(await run(9, ''), { asked: 0, requests: 0 }, 'the measure alone, under the threshold');
  assert.deepEqual(await run(9, K), { asked: 1, requests: 0 }, 'both; nothing is held');
});

test('NS-14 L5-6 one message alone is over the window, and the provider refuses what was left of it: less goes out, or what is too long is named', async () => {
  const body = `START ${K.repeat(40)} END`;
  const parts = Array.from({ length: 90 }, (_, i) => ({
    type: 'text',
    text: `part ${i} ${'word '.repeat(100)}`,
  }));
  const shapes: Record<string, { at: number; messages: Json[]; o?: Json }> = {
    result: { at: 2, messages: [user('go'), ...toolRound('t1', 'dump', {}, body)] },
    text: { at: 0, messages: [user(body)] },
    parts: { at: 0, messages: [{ role: 'user', content: parts }] },
    late: { at: 4, messages: [user('go'), assistant('yes?'), user('this'), assistant('well?'), user(body)] },
    // What the window is said to be is more than the provider's: the message went out whole.
    unknown: { at: 0, messages: [user(body)], o: { context_window: 200_000 } },
  };
  const tells: Json[] = [
    { error: 'prompt is too long: 41000 tokens > 16384 maximum' },
    { error: { status: 400 }, stop_reason: 'model_context_window_exceeded' },
  ];
  const ends = new Map<string, string>();
  for (const [name, { at, messages, o }] of Object.entries(shapes)) {
    for (const tell of tells) {
      const d = new BenchDaemon({ summariser: new FakeSummariser() });
      await open(d, [GATE], { context_window: 16_384, max_output_tokens: 4096, ...o });
      let before = await prepare(d, messages).catch((e: CuratedError) => e);
      for (let n = 0; ; n++) {
        assert.ok(n < 4, 'it comes to an end');
        if (before instanceof CuratedError) {
          assert.equal(before.kind, 'CONTEXT_IRREDUCIBLE', name);
          const { largest_message: largest } = before.detail as Json;
          assert.equal(largest.index, at, `${name}: the message is named`);
          assert.ok(largest.tokens > 0);
          ends.set(name, n === 0 ? 'refused at once' : 'refused in the end');
          break;
        }
        const again: Json = await d.call('llm.error', { session: S, ...tell }).catch((e: CuratedError) => e);
        if (!(again instanceof CuratedError)) {
          assert.ok(again.tokens.p95 <= 12_288 || o !== undefined, name);
          assert.ok(again.tokens.curated < before.tokens.curated, `${name}: less than what was refused`);
          assert.match(JSON.stringify(again.request.messages), /START/);
        }
        before = again;
      }
      assert.equal((await d.call('journal.replay', { session: S })).identical, true);
      // The conversation is what it was: whatever went out of it is there.
      const { messages: all } = await d.call('session.messages', { session: S });
      if (ends.get(name) !== 'refused at once')
        assert.deepEqual(
          all.map((m: Json) => m.message),
          messages,
        );
    }
  }
  assert.deepEqual(Object.fromEntries(ends), {
    result: 'refused in the end',
    text: 'refused in the end',
    parts: 'refused at once',
    late: 'refused in the end',
    unknown: 'refused in the end',
  });
});

test('L5-6 a system prompt that alone is over the window is CONTEXT_IRREDUCIBLE with its numbers, also before the first message', async () => {
  for (const format of ['anthropic', 'openai-chat', 'openai-responses']) {
    const d = new BenchDaemon();
    const session = 'large';
    await d.call('session.open', {
      session,
      format: format as 'anthropic',
      model: 'm',
      context_window: 1000,
      max_output_tokens: 100,
      system: 'word '.repeat(5000),
    } as never);
    for (const append of [[], [user('go')]])
      await assert.rejects(d.call('llm.prepare', { session, append } as never), (e: CuratedError) => {
        assert.equal(e.kind, 'CONTEXT_IRREDUCIBLE');
        const { needed, limit, static: own } = e.detail as Record<string, number>;
        return needed! > limit! && own! > limit!;
      });
  }
});
