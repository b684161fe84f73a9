// Provider rules with no other place: what must stay as it was sent, what belongs to the provider, what is no request of ours.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropic } from '../../src/providers/anthropic/index.js';
import { readMiss } from '../../src/providers/miss-reason.js';
import { type BodyFields, checkFields } from '../../src/providers/native/check.js';
import { openaiResponses } from '../../src/providers/openai-responses/index.js';
import { profileOf } from '../../src/providers/profile.js';
import { FakeAnthropic } from '../conformance/fakes/anthropic.js';
import { FakeOpenAi } from '../conformance/fakes/openai.js';
import type { FakeReply } from '../conformance/fakes/reply.js';
import { checkRequest } from '../conformance/rules/check.js';
import { anthropicProfile } from '../conformance/rules/profile.js';
import { assistant, broken, type Msg, text, user } from './kit.js';

const MID = 'claude-opus-4-8';
const CLEAR_AT = 'mid-conversation-system-clear-at-2026-08-21';
const CHANGES = 'mid-conversation-tool-changes-2026-07-01';
const system = (content: unknown, more: Msg = {}): Msg => ({ role: 'system', content, ...more });
const TOOLS = [{ name: 'read', input_schema: { type: 'object' } }];

function ask(messages: readonly unknown[], more: Msg = {}, beta = ''): FakeReply {
  const body = JSON.stringify({ model: MID, max_tokens: 9, messages, ...more });
  return new FakeAnthropic().messages(body, { 'anthropic-beta': beta });
}

test('PV-A13 a system message that was sent stays in its place, verbatim', () => {
  const profile = anthropicProfile(MID);
  const first = { messages: [user('a'), system('be kind')] };
  const grown = { messages: [...first.messages, assistant(text('b')), user('c')] };
  const found = (request: Msg) => checkRequest(request, profile, [first]).map((v) => v.rule);
  assert.deepEqual(found(grown), []);
  const moved = { system: 'be kind', messages: [user('a'), assistant(text('b')), user('c')] };
  assert.deepEqual(found(moved), ['PV-A13']);
  const other = { messages: [user('a'), system('be short'), assistant(text('b')), user('c')] };
  assert.deepEqual(found(other), ['PV-A13']);
});

test('PV-A14 clear_at is for text alone, in a system message, with its header', () => {
  const one = (content: unknown, more: Msg = {}) => [
    user('a'),
    system(content, { clear_at: 'next_user_message', ...more }),
  ];
  const rules = (messages: Msg[]) => broken(anthropic, profileOf('anthropic', MID), messages);
  const good = one([text('now')]);
  assert.deepEqual(rules(good), []);
  assert.equal(ask(good, {}, CLEAR_AT).status, 200);
  assert.equal(ask(good).rule, 'PV-A14');
  for (const bad of [
    one([text('now'), { type: 'image', source: { type: 'url', url: 'https://x/y.png' } }]),
    one([text('now')], { output_config: { effort: 'low' } }),
  ]) {
    assert.deepEqual(rules(bad), ['PV-A14']);
    assert.equal(ask(bad, {}, CLEAR_AT).rule, 'PV-A14');
  }
  const marked = one([{ ...text('now'), cache_control: { type: 'ephemeral' } }]);
  assert.ok(rules(marked).includes('PV-A39'));
  assert.equal(ask(marked, {}, CLEAR_AT).rule, 'PV-A39');
  assert.deepEqual(rules([{ ...user('a'), clear_at: 'next_user_message' }]), ['PV-A14']);
});

test('PV-A46 a tool that is added or removed later is declared, with the header', () => {
  const change = (name: string) => [user('a'), system([{ type: 'tool_addition', name }])];
  const rules = (messages: Msg[]) =>
    broken(anthropic, profileOf('anthropic', MID), messages, { tools: TOOLS });
  assert.deepEqual(rules(change('read')), []);
  assert.deepEqual(rules(change('unheard-of')), ['PV-A46']);
  assert.equal(ask(change('read'), { tools: TOOLS }, CHANGES).status, 200);
  assert.equal(ask(change('read'), { tools: TOOLS }).rule, 'PV-A46');
  assert.equal(ask(change('unheard-of'), { tools: TOOLS }, CHANGES).rule, 'PV-A46');
  const paused: Msg = assistant({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} });
  assert.ok(rules([user('a'), paused, system([{ type: 'tool_addition', name: 'read' }])]).includes('PV-A46'));
});

test('PV-A37 a threaded continuation is never ours: the fake says what sends the client back to full requests', () => {
  const fake = new FakeAnthropic();
  const body = { model: MID, max_tokens: 9, messages: [user('next')] };
  const r = fake.messages(JSON.stringify({ ...body, thread: { type: 'continue', id: 't1' } }), {});
  assert.equal(r.status, 400);
  assert.equal((r.body['error'] as Msg)['details'] !== undefined, true);
  assert.match(JSON.stringify(r.body), /"error_code":"thread_unsupported_request"/);
  assert.equal(fake.messages(JSON.stringify(body)).status, 200);
  const profile = profileOf('anthropic', MID);
  assert.deepEqual(
    checkFields(profile, { thread: { type: 'continue' } }).map((v) => v.rule),
    ['PV-A37'],
  );
  assert.deepEqual(checkFields(profile, {}), []);
});

test('PV-R7 a compaction item is opaque and whole', () => {
  const item = (more: Msg): Msg => ({ type: 'compaction', id: 'c', ...more });
  const rules = (i: Msg) =>
    broken(openaiResponses, profileOf('openai-responses', 'gpt-5.4'), [user('a'), i, user('b')]);
  const good = item({ encrypted_content: 'opaque==' });
  assert.deepEqual(rules(good), []);
  assert.deepEqual(rules(item({ encrypted_content: '' })), ['PV-R7']);
  assert.deepEqual(rules(item({})), ['PV-R7']);
  const fake = (i: Msg) =>
    new FakeOpenAi().responses(JSON.stringify({ model: 'gpt-5.4', input: [user('a'), i, user('b')] })).rule;
  assert.equal(fake(good), undefined);
  assert.equal(fake(item({ encrypted_content: '' })), 'PV-R7');
});

test('PV-R8 PV-R9 a chain is not curated in place: full input, on HTTP and on a new socket', () => {
  const profile = profileOf('openai-responses', 'gpt-5.4');
  const check = (f: BodyFields) => checkFields(profile, f).map((v) => v.rule);
  assert.deepEqual(check({ previous_response_id: 'resp_1' }), ['PV-R8']);
  assert.deepEqual(check({ conversation: 'conv_1' }), ['PV-R8']);
  assert.deepEqual(check({}), []);
  const fake = new FakeOpenAi();
  const input = [{ type: 'message', role: 'user', content: 'a' }];
  const chained = { model: 'gpt-5.4', previous_response_id: 'resp_9', input };
  assert.match(
    JSON.stringify(fake.responses(JSON.stringify(chained)).body),
    /previous response .* not found/i,
  );
  const { body } = fake.responses(JSON.stringify({ model: 'gpt-5.4', input }));
  const again = { ...chained, previous_response_id: body['id'] };
  assert.equal(fake.responses(JSON.stringify(again)).status, 200);
});

test('PV-A50 PV-R13 diagnostics: which reasons can be ours', () => {
  const own = (format: 'anthropic' | 'openai-responses', reason: unknown) => readMiss(format, reason)?.ours;
  assert.equal(own('anthropic', { cache_miss_reason: 'messages_changed', missed_tokens: 9 }), true);
  assert.equal(own('anthropic', { cache_miss_reason: 'tools_changed' }), true);
  assert.equal(own('anthropic', { cache_miss_reason: { type: 'model_changed' } }), false);
  assert.equal(own('anthropic', { cache_miss_reason: 'unavailable' }), false);
  for (const reason of [
    'model_changed',
    'prompt_cache_key_changed',
    'tools_changed',
    'reasoning_effort_changed',
  ])
    assert.equal(own('openai-responses', { reason }), false);
  for (const reason of ['context_compacted', 'input_changed'])
    assert.equal(own('openai-responses', { reason }), true);
  assert.equal(readMiss('anthropic', null), undefined);
  assert.equal(readMiss('anthropic', { cache_miss_reason: null }), undefined);
});
