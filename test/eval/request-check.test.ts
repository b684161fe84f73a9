// The checks of `curated run` must be able to fail: each rule is broken once here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bill, tariffOf } from '../../src/eval/bill.js';
import { parseConversation } from '../../src/eval/conversation.js';
import { Originals } from '../../src/eval/originals.js';
import { partsOf } from '../../src/eval/parts.js';
import { RequestReader } from '../../src/eval/request.js';
import { RequestCheck } from '../../src/eval/request-check.js';
import { profileOf } from '../../src/providers/profile.js';

const profile = profileOf('anthropic', 'claude-sonnet-4-5');
const reader = new RequestReader(profile, (text) => Math.ceil(text.length / 4));
const request = (...messages: unknown[]) => reader.read(JSON.stringify({ messages }));
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

const call = assistant([{ type: 'tool_use', id: 'a', name: 'Read', input: {} }]);
const result = (content: string, more = {}) =>
  user([{ type: 'tool_result', tool_use_id: 'a', content, ...more }]);

test('a request that starts with the one before is sound, cache marks aside', () => {
  const check = new RequestCheck(profile);
  check.look(request(user('go'), call, result('x', { cache_control: { type: 'ephemeral' } })), [], true);
  check.look(request(user('go'), call, result('x'), assistant('done'), user('more')), [], true);
  assert.deepEqual(check.breaches, []);
});

test('an edit that nobody announced, or one before the announced message, breaks the prefix rule', () => {
  for (const [envelopes, sound] of [
    [[], false],
    [[{ cache_invalidates: false, first_message: 0 }], false],
    [[{ cache_invalidates: true, first_message: 3 }], false],
    [[{ cache_invalidates: true, first_message: 2 }], true],
  ] as const) {
    const check = new RequestCheck(profile);
    check.look(request(user('go'), call, result('x')), [], true);
    check.look(
      request(user('go'), call, result('cleared'), assistant('done'), user('more')),
      envelopes,
      true,
    );
    assert.deepEqual(
      check.breaches.map((b) => [b.rule, b.path]),
      sound ? [] : [['prefix', '/messages/2']],
      JSON.stringify(envelopes),
    );
  }
});

test('calls and results that do not pair, and messages that the provider refuses, are found', () => {
  const orphan = new RequestCheck(profile);
  orphan.look(request(user('go'), result('x')), [], false);
  assert.deepEqual(
    orphan.breaches.map((b) => b.rule),
    ['pairing'],
  );
  const open = new RequestCheck(profile);
  open.look(request(user('go'), call), [], false);
  assert.deepEqual(
    open.breaches.map((b) => b.rule),
    ['pairing'],
  );
  const empty = new RequestCheck(profile);
  empty.look(request(user('')), [], true);
  assert.ok(empty.breaches.some((b) => b.rule.startsWith('PV-A')));
});

test('a recall is exact only with the very characters, or the very text of a block list', () => {
  const blocks = '[{"type":"text","text":"a"}]';
  const line = `{"format":"anthropic","messages":[${JSON.stringify(call)},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"line 1\\nline 2"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":${blocks}}]}]}`;
  const parsed = parseConversation(line, 'f');
  assert.ok(parsed.ok);
  const originals = new Originals(partsOf(parsed.conversation)[0]!, 'anthropic');
  assert.equal(originals.holds('a', '{"text":"line 1\\u000aline 2","total_bytes":13}'), true);
  assert.equal(originals.holds('a', '{"text":"line 1\\nline 2 "}'), false);
  assert.equal(originals.holds('b', `{"parts":${blocks}}`), true);
  assert.equal(originals.holds('b', '{"parts":[{"text":"a","type":"text"}]}'), false);
  assert.equal(originals.holds('c', '{"text":"line 1"}'), false);
});

test('the bill reads an unchanged prefix, writes the rest, and counts a break where an edit cut it', () => {
  const tariff = tariffOf(profile, Date.UTC(2026, 10, 29));
  const bill = new Bill(tariff);
  const long = 'word '.repeat(4000);
  const first = bill.add(request(user(long)), 10);
  assert.equal(first.read, 0);
  assert.ok(first.write5m > 4000);
  const second = bill.add(request(user(long), assistant('ok'), user('more')), 10);
  assert.equal(second.read, first.write5m);
  assert.equal(bill.breaks, 0);
  const third = bill.add(request(user('short'), assistant('ok'), user('more')), 10);
  assert.equal(third.read, 0);
  assert.equal(bill.breaks, 1);
  assert.ok(bill.cost! > 0);
  assert.equal(new Bill(tariffOf(profileOf('anthropic', 'nobody-knows-1'), 0)).cost, undefined);
});
