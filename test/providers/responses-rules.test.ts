// One valid and one invalid body for each Responses rule that a pure checker can hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openaiResponses } from '../../src/providers/openai-responses/index.js';
import { profileOf } from '../../src/providers/profile.js';
import { broken, type Msg, natives } from './kit.js';

const GPT = profileOf('openai-responses', 'gpt-6');
const UNSTORED = profileOf('openai-responses', 'gpt-6', { store: false });

const says = (role: string, content: unknown): Msg => ({ type: 'message', role, content });
const call = (call_id: string, more: Msg = {}): Msg => ({
  type: 'function_call',
  call_id,
  name: 'ls',
  arguments: '{}',
  ...more,
});
const output = (call_id: string, value: unknown = 'ok'): Msg => ({
  type: 'function_call_output',
  call_id,
  output: value,
});
const reasoning = (more: Msg = {}): Msg => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more });

function holds(valid: Msg[], invalid: Msg[], rule: string, profile = GPT) {
  assert.deepEqual(broken(openaiResponses, profile, valid), []);
  assert.deepEqual(broken(openaiResponses, profile, invalid), [rule]);
}

const u = says('user', 'hi');

test('PV-R1 calls and outputs pair up both ways, type by type', () => {
  holds([u, call('a'), call('b'), output('b'), output('a')], [u, call('a')], 'PV-R1');
  assert.deepEqual(broken(openaiResponses, GPT, [u, output('a')]), ['PV-R1']);
  assert.deepEqual(broken(openaiResponses, GPT, [u, call('a')], { pending: ['a'] }), []);
  const again = [u, call('a'), output('a'), call('a'), output('a')];
  assert.deepEqual(broken(openaiResponses, GPT, again), ['PV-R1'], 'items are one flat list');
  const custom = { type: 'custom_tool_call', call_id: 'c', name: 'x', input: 'free text' };
  assert.deepEqual(
    broken(openaiResponses, GPT, [u, custom, { type: 'custom_tool_call_output', call_id: 'c', output: 'y' }]),
    [],
  );
  assert.deepEqual(broken(openaiResponses, GPT, [u, custom, output('c')]), ['PV-R1']);
  const ask = { type: 'mcp_approval_request', id: 'm', name: 'x', arguments: '{}' };
  const answer = { type: 'mcp_approval_response', approval_request_id: 'm', approve: true };
  holds([u, ask, answer], [u, answer], 'PV-R1');
});

test('PV-R2 call_id pairs; id is a store key', () => {
  assert.deepEqual(broken(openaiResponses, GPT, [u, call('a', { id: 'fc_9' }), output('a')]), []);
  assert.ok(broken(openaiResponses, GPT, [u, call('')]).includes('PV-R2'));
  assert.deepEqual(broken(openaiResponses, GPT, [u, call('a', { id: 'fc_9' }), output('fc_9')]), ['PV-R1']);
});

test('PV-R3 reasoning stands directly before what it produced', () => {
  holds(
    [u, reasoning(), call('a'), output('a'), reasoning(), says('assistant', 'x')],
    [u, reasoning(), u],
    'PV-R3',
  );
  assert.deepEqual(broken(openaiResponses, GPT, [u, reasoning()]), ['PV-R3']);
  assert.deepEqual(broken(openaiResponses, GPT, [u, call('a'), reasoning(), output('a')]), ['PV-R3']);
});

test('PV-R5 the summary stays even when empty; encrypted content is exact', () => {
  const { summary: _, ...bare } = reasoning();
  holds([u, reasoning(), says('assistant', 'x')], [u, bare, says('assistant', 'x')], 'PV-R5');
  assert.deepEqual(
    broken(openaiResponses, GPT, [u, reasoning({ encrypted_content: '' }), says('assistant', 'x')]),
    ['PV-R5'],
  );
});

test('PV-R6 without a store nothing is referred to by id', () => {
  const end = says('assistant', 'x');
  holds([u, reasoning({ encrypted_content: 'e' }), end], [u, reasoning(), end], 'PV-R6', UNSTORED);
  holds([u], [u, { type: 'item_reference', id: 'rs_1' }], 'PV-R6', UNSTORED);
});

test('PV-R10 arguments hold an object; unknown item types pass', () => {
  holds([u, { type: 'program', x: 1 }, u], [u, call('a', { arguments: '[1]' }), output('a')], 'PV-R10');
  assert.deepEqual(broken(openaiResponses, GPT, []), ['PV-R10']);
  assert.deepEqual(broken(openaiResponses, GPT, [u, { foo: 1 }]), ['PV-R10']);
});

test('PV-C6 contents and outputs are not empty', () => {
  holds([u, call('a'), output('a')], [u, call('a'), output('a', '')], 'PV-C6');
  holds([u], [says('user', [])], 'PV-C6');
  const beside = [
    { type: 'input_text', text: 'x' },
    { type: 'input_text', text: '' },
  ];
  holds([u], [says('user', beside)], 'PV-C6');
});

test('PV-R12 marks on input parts and on the list form of an output are found', () => {
  const marked = { type: 'input_text', text: 'x', prompt_cache_breakpoint: { type: 'explicit' } };
  const [a, b] = natives([says('user', [marked]), output('a', [marked])]).map((n) => openaiResponses.read(n));
  assert.deepEqual(a?.marks, [['content', 0]]);
  assert.deepEqual(b?.marks, [['output', 0]]);
});
