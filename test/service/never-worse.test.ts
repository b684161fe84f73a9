// Where curation fails by a fault of ours the agent gets its request all the same, and hears why it is not curated.

import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Stack } from '../../src/curation/stack.js';
import { CuratedError } from '../../src/errors.js';
import { assistant, BenchDaemon, clearing, type Json, toolRound, user } from '../session/bench-daemon.js';

const OPEN = { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5' };
/** Results go as soon as their turn has ended. */
const CLEARS = clearing({ age_turns: 1, size_bytes_threshold: 50 }, { cost_rule: 'off' });
const round = (i: number): Json[] => toolRound(`c${i}`, 'Read', { path: `f${i}` }, `${i} `.repeat(800));

/** Lets layers fail where `fails` says so of the run's number, from 0. */
function failing(t: TestContext, fails: (run: number) => unknown): { runs: () => number } {
  const original = Stack.prototype.run;
  const mocked = mock.method(
    Stack.prototype,
    'run',
    function (this: Stack, ...args: Parameters<Stack['run']>) {
      const error = fails(mocked.mock.callCount());
      if (error !== undefined) throw error;
      return original.apply(this, args);
    },
  );
  t.after(() => mocked.mock.restore());
  return { runs: () => mocked.mock.callCount() };
}

async function opened(config: Json = CLEARS, more: Json = {}) {
  const d = new BenchDaemon();
  const told: CuratedError[] = [];
  d.rooms.fault = (error) => void told.push(error);
  await d.call('session.open', { ...OPEN, ...more, config });
  await d.call('session.append', { session: 's', messages: [user('Look at all of them.')] });
  const failures = async (): Promise<Json[]> => {
    const { events } = await d.call('journal.read', { session: 's' });
    return events.filter((e: Json) => e.what === 'curation_failed');
  };
  return { d, told, failures };
}

test('a layer that throws leaves the request as it is, with an event that says why; the next call is curated', async (t) => {
  const { d, told, failures } = await opened();
  // Each turn is a call of llm.prepare and one of turn.end: the fourth turn's first, and the fifth's second.
  failing(t, (run) => (run === 6 || run === 9 ? new TypeError(`run ${run} is broken`) : undefined));
  const cleared = async (): Promise<number> =>
    (await d.call('session.state', { session: 's' })).cleared.length;
  const clears: number[] = [];
  for (let i = 0; i < 8; i += 1) {
    const append = [user(`q${i}`), ...round(i), assistant('ok')];
    const before = await cleared();
    const { request, fits } = await d.call('llm.prepare', { session: 's', append });
    assert.equal(fits, true);
    assert.equal(request.messages.length, 1 + 4 * (i + 1));
    assert.deepEqual(request.messages.slice(-4), append);
    if (i === 3) assert.equal(await cleared(), before, 'nothing at a call that failed');
    const { turn } = await d.call('turn.end', { session: 's' });
    assert.equal(turn, i);
    clears.push((await cleared()) - before);
  }
  assert.deepEqual(
    clears,
    [1, 1, 1, 1, 0, 2, 1, 1],
    'each result once, those of the failed boundary at the next one',
  );
  assert.deepEqual(
    (await failures()).map((e) => e.detail),
    [{ fault: 'run 6 is broken' }, { fault: 'run 9 is broken' }],
  );
  assert.deepEqual(
    told.map((e) => e.kind),
    ['INTERNAL', 'INTERNAL'],
  );
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('a layer that would edit what is static costs the agent nothing either, and both are in the journal', async (t) => {
  const { d, failures } = await opened(CLEARS, { format: 'openai-chat', model: 'gpt-5.4' });
  const system = { role: 'system', content: 'Never delete anything.' };
  await d.call('session.append', { session: 's', messages: [system, user('And this.')] });
  const original = Stack.prototype.run;
  const mocked = mock.method(
    Stack.prototype,
    'run',
    function (this: Stack, ...args: Parameters<Stack['run']>) {
      const outcome = original.apply(this, args);
      const event = { type: 'memory.diagnostic', payload: { what: 'test' } } as never;
      return { ...outcome, steps: [{ event, edits: [{ op: 'drop', at: 1 }] }] };
    },
  );
  t.after(() => mocked.mock.restore());
  const { request } = await d.call('llm.prepare', { session: 's' });
  assert.deepEqual(request.messages, [user('Look at all of them.'), system, user('And this.')]);
  assert.equal((await failures()).length, 1);
  const { events } = await d.call('journal.read', { session: 's' });
  assert.ok(events.some((e: Json) => e.what === 'forbidden_static'));
});

test('a call with a key is answered once, also where its curation failed', async (t) => {
  const { d } = await opened();
  failing(t, (run) => (run === 0 ? new RangeError('too deep') : undefined));
  const call = { session: 's', key: 'k', append: round(1) };
  const first = await d.call('llm.prepare', call);
  assert.deepEqual(await d.call('llm.prepare', call), first);
  assert.equal((await d.call('session.state', { session: 's' })).messages, 3);
});

test('a fault that stays is met less and less often: no call reads its session anew for ever', async (t) => {
  const { d, failures } = await opened();
  const { runs } = failing(t, () => new TypeError('always'));
  const calls = 100;
  for (let i = 0; i < calls; i += 1) {
    const { request } = await d.call('llm.prepare', { session: 's', append: round(i) });
    assert.equal(request.messages.length, 3 + 2 * i);
  }
  assert.equal((await failures()).length, calls);
  assert.equal(runs(), 7);
});

test('what a caller brought about is told as before, and tried once', async (t) => {
  const { d, told } = await opened();
  const { runs } = failing(t, () => new CuratedError('CONTEXT_IRREDUCIBLE'));
  await assert.rejects(d.call('llm.prepare', { session: 's' }), { kind: 'CONTEXT_IRREDUCIBLE' });
  assert.equal(runs(), 1);
  assert.equal(told.length, 0);
});

test('a fault behind the journal, where the call stands already, does not bring its messages twice', async () => {
  const { d, told } = await opened();
  await d.call('session.subscribe', { session: 's' });
  d.caller.notify = () => {
    throw new TypeError('a subscriber is broken');
  };
  await assert.rejects(d.call('llm.prepare', { session: 's', append: round(1) }), TypeError);
  assert.equal((await d.call('session.state', { session: 's' })).messages, 3);
  assert.equal(told.length, 0);
});

test('a request that the provider would refuse for its length is not sent for want of curation', async (t) => {
  const { d } = await opened(CLEARS, { context_window: 4000 });
  failing(t, () => new TypeError('a layer is broken'));
  const append = [1, 2, 3, 4].flatMap(round);
  await assert.rejects(d.call('llm.prepare', { session: 's', append }), {
    name: 'TypeError',
    message: 'a layer is broken',
  });
  assert.equal((await d.call('session.state', { session: 's' })).messages, 1, 'nothing of it stays');
});

test('a request that does not fit without curation is curated, also where another try was not due yet', async (t) => {
  const { d, failures } = await opened({ curated: { preset: 'balanced' } }, { context_window: 8000 });
  const { runs } = failing(t, (run) => (run < 2 ? new TypeError('a layer is broken') : undefined));
  await d.call('llm.prepare', { session: 's', append: round(0) });
  await d.call('llm.prepare', { session: 's', append: [assistant('ok'), user('on')] });
  assert.equal((await failures()).length, 2);
  const append = Array.from({ length: 12 }, (_, i) => round(i + 1)).flat();
  const { tokens } = await d.call('llm.prepare', { session: 's', append });
  assert.ok(tokens.curated < tokens.raw, 'curated');
  assert.equal((await failures()).length, 2);
  assert.ok(runs() > 2);
});

test('whichever calls fail: every message is there once and in order, and a replay gives the same requests', async (t) => {
  let plan: boolean[] = [];
  let run = 0;
  failing(t, () => (plan[run++ % plan.length] ? new Error('now and then') : undefined));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async (fails) => {
      plan = fails;
      run = 0;
      const { d } = await opened();
      for (let i = 0; i < 8; i += 1) {
        const { request } = await d.call('llm.prepare', { session: 's', append: round(i) });
        const ids = request.messages.flatMap((m: Json) =>
          Array.isArray(m.content) ? m.content.map((b: Json) => b.id ?? b.tool_use_id) : [],
        );
        const expected = Array.from({ length: i + 1 }, (_, k) => [`c${k}`, `c${k}`]).flat();
        assert.deepEqual(ids, expected);
      }
      assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
    }),
    { numRuns: 25 },
  );
});
