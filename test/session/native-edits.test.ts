// Native edits in a session: the fields in place of our own edits, the provider's report as decisions, notices.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { FakeAnthropic } from '../conformance/fakes/anthropic.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import { events, journal, open, prepare, S } from './condensing.js';

const CLEAR = 'nexus.memory.tool_result_clear';
const BODY = 'word '.repeat(800);
const MODEL = 'claude-sonnet-4-5';
/** Layer 1 would clear everything that is old at once. */
const EAGER = { [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 } };

async function session(native: Json, more: Json = {}): Promise<BenchDaemon> {
  const d = new BenchDaemon();
  await open(d, [CLEAR], {
    model: MODEL,
    blocks: EAGER,
    curated: {
      native,
      cost_rule: 'off',
      keep: { tool_uses: 1 },
      trigger: [{ tokens: 2000 }],
      clear_at_least: 100,
      ...more,
    },
  });
  return d;
}

/** One round against the fake: what was prepared, what it answered, what the turn's end decided. */
async function turn(d: BenchDaemon, fake: FakeAnthropic, append: Json[]): Promise<Json> {
  const prepared = await prepare(d, append);
  const { context_management, betas = [] } = prepared;
  const answer = fake.messages(
    JSON.stringify({
      model: MODEL,
      max_tokens: 9,
      ...prepared.request,
      ...(context_management === undefined ? {} : { context_management }),
    }),
    { 'anthropic-beta': betas.join(',') },
  ).body as Json;
  await d.call('session.append', { session: S, messages: [assistant('ok')] });
  const ended = await d.call('turn.end', {
    session: S,
    usage: answer.usage,
    context_management: answer.context_management,
  });
  return { prepared, answer, decisions: ended.decisions };
}

test('S-7 PV-N5 with a native edit on the fields go out, nothing is edited here, and the report is journalled', async () => {
  const d = await session({ anthropic: ['clear_tool_uses_20250919'] });
  const fake = new FakeAnthropic();
  const append: Json[] = [user('go')];
  for (let i = 0; i < 4; i += 1) append.push(...toolRound(`t${i}`, 'read', { i }, `${i} ${BODY}`));
  const { prepared, answer, decisions } = await turn(d, fake, append);
  assert.deepEqual(prepared.context_management, {
    edits: [
      {
        type: 'clear_tool_uses_20250919',
        trigger: { type: 'input_tokens', value: 2000 },
        keep: { type: 'tool_uses', value: 1 },
        clear_at_least: { type: 'input_tokens', value: 100 },
      },
    ],
  });
  assert.deepEqual(prepared.betas, ['context-management-2025-06-27']);
  assert.deepEqual(prepared.request.messages, append);
  assert.equal(answer.context_management.applied_edits[0].cleared_tool_uses, 3);
  const [edit] = decisions.filter((e: Json) => e.type === 'memory.native_edit');
  assert.equal(edit.cleared_tool_uses, 3);
  assert.equal(edit.predicted.cleared_tool_uses, 3);
  assert.equal(edit.agrees, true);
  assert.equal(edit.cleared_input_tokens, answer.context_management.applied_edits[0].cleared_input_tokens);
  const next = await turn(d, fake, [user('more')]);
  assert.deepEqual(next.prepared.request.messages.slice(0, append.length), append);
  assert.equal((await journal(d, 'memory.tool_result_cleared')).length, 0);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('PV-N5 a prediction that does not come true is journalled as such', async () => {
  const d = await session({ anthropic: ['clear_tool_uses_20250919'] });
  await prepare(d, [
    user('go'),
    ...toolRound('a', 'read', {}, BODY),
    ...toolRound('b', 'read', {}, BODY + BODY),
  ]);
  await d.call('session.append', { session: S, messages: [assistant('ok')] });
  const end = await d.call('turn.end', { session: S, context_management: { applied_edits: [] } });
  const [edit] = end.decisions.filter((e: Json) => e.type === 'memory.native_edit');
  assert.equal(edit.agrees, false);
  assert.equal(edit.cleared_tool_uses, 0);
  assert.equal(edit.predicted.cleared_tool_uses, 1);
  const odd = await d.call('turn.end', { session: S, context_management: { applied_edits: 'none' } });
  assert.deepEqual(
    odd.decisions.map((e: Json) => e.type),
    ['memory.diagnostic'],
  );
  assert.equal((await journal(d, 'memory.diagnostic')).at(-1)!.what, 'native_report_refused');
});

test('PV-A16 a host that forces a tool on a model that refuses it is told so, once', async () => {
  const d = new BenchDaemon();
  await open(d, [], { model: 'claude-opus-5-5' });
  for (const tool_choice of [{ type: 'auto' }, { type: 'any' }, { type: 'any' }])
    await prepare(d, [user('go'), assistant('ok')].slice(0, 1), { tool_choice });
  const notices = await journal(d, 'session.notice');
  assert.equal(notices.length, 1);
  assert.match(notices[0]!.text, /PV-A16/);
});

test('PV-A49 usage after a native edit is of the edited prompt: the estimate stays that of what is sent', async () => {
  const d = await session({ anthropic: ['clear_tool_uses_20250919'] });
  const fake = new FakeAnthropic();
  const append: Json[] = [user('go')];
  for (let i = 0; i < 6; i += 1) append.push(...toolRound(`t${i}`, 'read', { i }, `${i} ${BODY}`));
  const { prepared, answer } = await turn(d, fake, append);
  const { input_tokens: edited } = answer.usage;
  const cleared = answer.context_management.applied_edits[0].cleared_input_tokens;
  assert.ok(cleared > 2 * edited);
  const { tokens } = await prepare(d, [user('again')]);
  assert.ok(tokens.estimated > 0.9 * (edited + cleared), `${tokens.estimated} of ${edited + cleared}`);
  const count = fake.countTokens(
    JSON.stringify({ model: MODEL, ...prepared.request, context_management: prepared.context_management }),
    { 'anthropic-beta': prepared.betas.join(',') },
  ).body as Json;
  assert.equal(count.input_tokens + cleared, count.context_management.original_input_tokens);
});

test('S-6 native edits are opt-in, refused with a notice where unsupported, and our own layers work then', async () => {
  const plain = await session({});
  const { prepared } = await turn(plain, new FakeAnthropic(), [user('go')]);
  assert.equal(prepared.context_management, undefined);
  assert.equal(prepared.betas, undefined);
  const d = new BenchDaemon();
  await open(d, [CLEAR], {
    format: 'openai-chat',
    model: 'gpt-5.4',
    blocks: EAGER,
    curated: { native: { openai_responses: ['compaction'] }, cost_rule: 'off' },
  });
  const [notice] = await journal(d, 'session.notice');
  assert.equal(notice!.path, '/config/curated/native/openai_responses');
  assert.match(notice!.text, /does not offer compaction/);
  const old = new BenchDaemon();
  await open(old, [CLEAR], {
    model: 'claude-3-5-haiku-latest',
    blocks: EAGER,
    curated: { native: { anthropic: ['clear_tool_uses_20250919'] }, cost_rule: 'off' },
  });
  assert.equal((await journal(old, 'session.notice')).length, 1);
  await prepare(old, [user('go'), ...toolRound('a', 'read', {}, BODY)]);
  await old.call('session.append', { session: S, messages: [assistant('ok')] });
  await old.call('turn.end', { session: S });
  await prepare(old, [user('next')]);
  assert.equal(events(old, 'memory.tool_result_cleared').length, 1);
});

test('S-6 P-4 system_message_edit is not offered: a configuration that names it does not start', async () => {
  await assert.rejects(
    session({ anthropic: ['system_message_edit'] }),
    (e: unknown) => e instanceof CuratedError && e.kind === 'CONFIG',
  );
});

test('S-6 OpenAI Responses: a compaction threshold and truncation go out as fields, and opaque items come back unchanged', async () => {
  const d = new BenchDaemon();
  await open(d, [], {
    format: 'openai-responses',
    model: 'gpt-5.4',
    context_window: 400_000,
    curated: { native: { openai_responses: ['compaction', 'truncation'] } },
  });
  const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'opaque==' };
  const { context_management, truncation, betas, request } = await prepare(d, [user('a'), item, user('b')]);
  assert.deepEqual(context_management, [{ type: 'compaction', compact_threshold: 150_000 }]);
  assert.equal(truncation, 'auto');
  assert.equal(betas, undefined);
  assert.deepEqual(
    request.messages.find((m: Json) => m.type === 'compaction'),
    item,
  );
});
