// Calls in flight: named at a boundary, at a compaction, or only when a summary that would take them is already made.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { checkRequest } from '../conformance/rules/check.js';
import { anthropicProfile, chatProfile, responsesProfile } from '../conformance/rules/profile.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import {
  COMPACTION,
  compact,
  FakeSummariser,
  good,
  journal,
  open,
  prepare,
  S,
  settled,
} from './condensing.js';

const CLEAR = 'nexus.memory.tool_result_clear';
const LONG = 'word '.repeat(900);
const RULES = anthropicProfile('claude-sonnet-4-5');
const EAGER = { [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 }, [COMPACTION]: { protect_recent: 1 } };

async function session(active: string[], summariser = new FakeSummariser()): Promise<BenchDaemon> {
  const d = new BenchDaemon({ summariser });
  await open(d, active, { blocks: EAGER, curated: { cost_rule: 'off' } });
  return d;
}

const ROUND = toolRound('appr', 'confirm', { order: 118 }, `waiting for approval ${LONG}`);

/** A turn that a summary would take, with the round amid it. */
async function longBefore(d: BenchDaemon): Promise<void> {
  const turn = [user('go'), assistant(LONG), user('refund'), ...ROUND, assistant(LONG)];
  await d.call('session.append', { session: S, messages: [...turn, user('x'), assistant('y')] });
  await d.call('turn.end', { session: S });
}

function assertWhole({ messages }: { messages: Json[] }): void {
  const texts = messages.map((m) => JSON.stringify(m));
  for (const m of ROUND) assert.ok(texts.includes(JSON.stringify(m)));
}

test('PV-A9 K06 turn.end: the result of a call that is named as in flight is not cleared at that boundary', async () => {
  const d = await session([CLEAR]);
  await d.call('session.append', {
    session: S,
    messages: [user('go'), ...ROUND, ...toolRound('b', 'read', {}, LONG), assistant('ok')],
  });
  const { decisions } = await d.call('turn.end', { session: S, pending: ['appr'] });
  const cleared = decisions.filter((e: Json) => e.type === 'memory.tool_result_cleared');
  assert.deepEqual(
    cleared.map((e: Json) => e.tool_call_id),
    ['b'],
  );
});

test('PV-A9 K06 turn.end without pending holds to what the newest request named', async () => {
  const d = await session([CLEAR]);
  await prepare(d, [user('go'), ...ROUND, assistant('ok'), user('and?')], { pending: ['appr'] });
  await d.call('session.append', { session: S, messages: [assistant('yes')] });
  await d.call('turn.end', { session: S });
  const { request } = await prepare(d, [user('next')], { pending: ['appr'] });
  assert.deepEqual(request.messages.slice(1, 3), ROUND);
});

test('PV-A9 K06 memory.compact: a call named as in flight stays verbatim amid what is summarised', async () => {
  const d = await session([COMPACTION]);
  await longBefore(d);
  await compact(d, { pending: ['appr'] });
  const { request } = await prepare(d, [user('now')], { pending: ['appr'] });
  assert.equal((await journal(d, 'memory.compacted')).length, 1);
  assertWhole(request);
  assert.deepEqual(checkRequest(request, RULES), []);
});

test('PV-A9 K06 a summary that was begun before the call was named does not take it', async () => {
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const d = await session(
    [COMPACTION],
    new FakeSummariser(async () => {
      await asked;
      return good('All of it.');
    }),
  );
  await longBefore(d);
  await d.call('memory.compact', { session: S });
  await prepare(d, [user('now')], { pending: ['appr'] });
  answer();
  await settled(d);
  const { request } = await prepare(d, [assistant('z'), user('then')], { pending: ['appr'] });
  assertWhole(request);
});

test('K06 PV-A1 a late result is in the request as text, what was sent before stands, and a replay gives the same', async () => {
  const d = await session([CLEAR]);
  const call = ROUND[0]!;
  const first = await prepare(d, [user('refund'), call, user('meanwhile?')], { pending: ['appr'] });
  assert.deepEqual(checkRequest(first.request, RULES), []);
  const result = { type: 'tool_result', tool_use_id: 'appr', content: 'approved by Ada' };
  const second = await prepare(d, [assistant('30 days.'), { role: 'user', content: [result] }]);
  assert.deepEqual(checkRequest(second.request, RULES), []);
  assert.equal(second.cache.prefix_stable, true);
  const { length } = first.request.messages;
  assert.deepEqual(second.request.messages.slice(0, length), first.request.messages);
  assert.ok(JSON.stringify(second.request.messages.slice(length)).includes('approved by Ada'));
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

const ROUNDS: Record<string, { model: string; calls: Json[]; results: Json[] }> = {
  anthropic: {
    model: 'claude-opus-4-8',
    calls: [
      {
        role: 'assistant',
        content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
      },
    ],
    results: [
      {
        role: 'user',
        content: ['a', 'b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: `${id} at last` })),
      },
    ],
  },
  'openai-chat': {
    model: 'gpt-5',
    calls: [
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'f', arguments: '{}' },
        })),
      },
    ],
    results: ['a', 'b'].map((id) => ({ role: 'tool', tool_call_id: id, content: `${id} at last` })),
  },
  'openai-responses': {
    model: 'gpt-5',
    calls: ['a', 'b'].map((id) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })),
    results: ['a', 'b'].map((id) => ({ type: 'function_call_output', call_id: id, output: `${id} at last` })),
  },
};
const CHECKS: Record<string, ReturnType<typeof anthropicProfile>> = {
  anthropic: anthropicProfile('claude-opus-4-8'),
  'openai-chat': chatProfile(),
  'openai-responses': responsesProfile(),
};

for (const [format, { model, calls, results }] of Object.entries(ROUNDS))
  test(`PV-A1 PV-C1 PV-R1 K06 ${format}: the newest calls in flight go out answered, and their results come as text behind`, async () => {
    const d = new BenchDaemon();
    await d.call('session.open', { session: S, format, model, preset: 'balanced' });
    const asked: Json[] = [];
    const ask = async (more: Json): Promise<void> => {
      const { request } = await d.call('llm.prepare', { session: S, ...more });
      const body = format === 'openai-responses' ? { ...request, input: request.messages } : request;
      assert.deepEqual(checkRequest(body, CHECKS[format]!, asked.slice(-1)), []);
      asked.push(request);
    };
    await ask({ append: [user('go'), ...calls], pending: ['a', 'b'] });
    await ask({ pending: ['a', 'b'] });
    assert.deepEqual(asked[1], asked[0]);
    await ask({ append: results });
    await ask({ append: [assistant('thanks'), user('and?')] });
    for (const [i, { messages }] of asked.slice(1).entries())
      assert.deepEqual(messages.slice(0, asked[i].messages.length), asked[i].messages);
    const text = JSON.stringify(asked.at(-1));
    for (const word of ['a at last', 'b at last']) assert.equal(text.split(word).length, 2);
    assert.equal((await d.call('journal.replay', { session: S })).identical, true);
  });

test('PV-A1 a newest call that is not named as in flight has no result to come: the call fails, and nothing of it stays', async () => {
  for (const [format, { model, calls }] of Object.entries(ROUNDS)) {
    const d = new BenchDaemon();
    await d.call('session.open', { session: S, format, model, preset: 'balanced' });
    for (const pending of [[], ['a']])
      await assert.rejects(
        d.call('llm.prepare', { session: S, append: [user('go'), ...calls], pending }),
        (e: unknown) => e instanceof CuratedError && e.kind === 'PAIRING',
      );
    assert.equal((await d.call('session.state', { session: S })).messages, 0);
  }
});
