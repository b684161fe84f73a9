// One valid and one invalid body for each Chat Completions and chat template rule that a pure checker can hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openaiChat } from '../../src/providers/openai-chat/index.js';
import { profileOf } from '../../src/providers/profile.js';
import { broken, type Msg, natives, user } from './kit.js';

const GPT = profileOf('openai-chat', 'gpt-5.5');
const GEMMA = profileOf('openai-chat', 'gemma-3-27b-it');
const MISTRAL = profileOf('openai-chat', 'mistralai/Mistral-7B-Instruct-v0.3');

const fn = (id: string, args = '{}') => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: args },
});
const calls = (...tool_calls: unknown[]): Msg => ({ role: 'assistant', content: null, tool_calls });
const tool = (tool_call_id: string, content: unknown = 'ok'): Msg => ({
  role: 'tool',
  tool_call_id,
  content,
});
const says = (content: unknown): Msg => ({ role: 'assistant', content });

function holds(valid: Msg[], invalid: Msg[], rule: string, profile = GPT) {
  assert.deepEqual(broken(openaiChat, profile, valid), []);
  assert.deepEqual(broken(openaiChat, profile, invalid), [rule]);
}

const go = [user('go'), calls(fn('a'), fn('b'))];

test('PV-C1 every call has one tool message before any other role', () => {
  holds([...go, tool('a'), tool('b'), user('x')], [...go, tool('a'), user('x')], 'PV-C1');
  assert.deepEqual(broken(openaiChat, GPT, [...go, tool('a')], { pending: ['b'] }), []);
  assert.deepEqual(broken(openaiChat, GPT, [user('a'), { ...says('b'), tool_calls: [] }]), ['PV-C1']);
});

test('PV-C2 every tool message answers the nearest preceding calls', () => {
  holds([...go, tool('b'), tool('a')], [...go, tool('a'), tool('b'), tool('b')], 'PV-C2');
  assert.deepEqual(broken(openaiChat, GPT, [user('a'), tool('z')]), ['PV-C2']);
});

test('PV-C3 call ids are unique in a message and at most 40 characters; they may recur across turns', () => {
  const round = (id: string) => [calls(fn(id)), tool(id)];
  holds(
    [user('a'), ...round('x'), ...round('x'), ...round('x')],
    [user('a'), ...round('y'.repeat(41))],
    'PV-C3',
  );
  assert.ok(broken(openaiChat, GPT, [user('a'), calls(fn('a'), fn('a')), tool('a')]).includes('PV-C3'));
});

test('PV-C4 results spread over later turns are invalid though all ids match', () => {
  const spread = [...go, tool('a'), says('one'), tool('b'), user('x')];
  assert.deepEqual(broken(openaiChat, GPT, spread), ['PV-C1', 'PV-C2']);
});

test('PV-C5 arguments is a string that holds a JSON object', () => {
  for (const args of ['', '{', '[]', 'null', '"x"'])
    holds(
      [user('a'), calls(fn('a', '{"x":1.0}')), tool('a')],
      [user('a'), calls(fn('a', args)), tool('a')],
      'PV-C5',
    );
});

test('PV-C6 null content is legal beside calls only', () => {
  for (const content of [null, '', undefined, [], [{ type: 'text', text: '' }], 5]) {
    holds([...go, tool('a'), tool('b')], [...go, { ...tool('a'), content }, tool('b')], 'PV-C6');
    assert.deepEqual(broken(openaiChat, GPT, [user('x'), says(content)]), ['PV-C6']);
  }
  assert.deepEqual(
    broken(openaiChat, GPT, [user('x'), { role: 'assistant', content: null, refusal: 'no' }]),
    [],
  );
});

test('PV-C6 no empty text stands beside other parts', () => {
  const parts = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }));
  holds([user('x')], [{ role: 'user', content: parts('', 'x') }], 'PV-C6');
  holds(
    [...go, tool('a'), tool('b')],
    [...go, { ...tool('a'), content: parts('x', '') }, tool('b')],
    'PV-C6',
  );
});

test('PV-C6 reading never throws on null or missing content', () => {
  for (const m of natives([
    calls(fn('a')),
    tool('a', null),
    { role: 'assistant' },
    says(null),
    { role: 'tool' },
    7,
    null,
    'x',
  ]))
    assert.ok(openaiChat.read(m).parts.length >= 0);
});

test('PV-C7 messages is not empty; a second system message only where the profile allows it', () => {
  const system = { role: 'system', content: 's' };
  const strict = profileOf('openai-chat', 'gpt-5.5', { singleSystem: true });
  holds([system, user('a')], [system, user('a'), system], 'PV-C7', strict);
  assert.deepEqual(broken(openaiChat, GPT, [system, user('a'), system]), []);
  assert.deepEqual(broken(openaiChat, GPT, []), ['PV-C7']);
});

test('PV-S1 roles alternate; a tool flow is one assistant turn', () => {
  holds([user('a'), calls(fn('a')), tool('a'), says('b'), user('c')], [user('a'), user('b')], 'PV-S1', GEMMA);
  assert.deepEqual(broken(openaiChat, GEMMA, [user('a'), says('b'), says('c'), user('d')]), ['PV-S1']);
});

test('PV-S2 alternation counts visible roles: calls and tools are exempt', () => {
  const id = 'abcdefghi';
  holds(
    [user('a'), calls(fn(id)), tool(id), says('b'), user('c')],
    [user('a'), calls(fn(id)), tool(id), user('c')],
    'PV-S2',
    MISTRAL,
  );
});

test('PV-S3 one system message, at the head', () => {
  const system = { role: 'system', content: 's' };
  holds([system, user('a')], [user('a'), system], 'PV-S3', GEMMA);
});

test('PV-S4 a genuine user message must be there', () => {
  holds([user('a')], [{ role: 'system', content: 's' }], 'PV-S4');
});

test('PV-S5 content is a plain string', () => {
  const plain = profileOf('openai-chat', 'gemma-2', { plainContent: true });
  holds([user('a')], [user([{ type: 'text', text: 'a' }])], 'PV-S5', plain);
});

test('PV-S6 Mistral ids are nine alphanumeric characters', () => {
  const round = (id: string) => [user('a'), calls(fn(id)), tool(id)];
  holds(round('abc123XYZ'), round('call_1'), 'PV-S6', MISTRAL);
});

test('PV-S7 Llama 3.1 takes one call a message', () => {
  const llama = profileOf('openai-chat', 'llama-3.1-8b-instruct');
  holds([user('a'), calls(fn('a')), tool('a')], [...go, tool('a'), tool('b')], 'PV-S7', llama);
});

test('PV-A18 lone surrogates are refused in every format', () => {
  holds([user('👍')], [user('\ud83d')], 'PV-A18');
});
