// One valid and one invalid body for each Anthropic rule that a pure checker can hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropic } from '../../src/providers/anthropic/index.js';
import { profileOf } from '../../src/providers/profile.js';
import { assistant, broken, type Msg, result, text, use, user, violations } from './kit.js';

const OLD = profileOf('anthropic', 'claude-sonnet-4-5');
const NEW = profileOf('anthropic', 'claude-opus-4-8');

type More = Parameters<typeof broken>[3];

function holds(valid: Msg[], invalid: Msg[], rule: string, profile = OLD, more: More = {}) {
  assert.deepEqual(broken(anthropic, profile, valid, more), []);
  assert.deepEqual(broken(anthropic, profile, invalid, more), [rule]);
}

const end = [assistant(text('done')), user('next')];
const call = [user('go'), assistant(use('a'))];

test('PV-A1 every call has its result in the next user turn', () => {
  holds([...call, user([result('a')]), ...end], [...call, user('never mind'), ...end], 'PV-A1');
  assert.deepEqual(broken(anthropic, OLD, call), ['PV-A1']);
  assert.deepEqual(broken(anthropic, OLD, call, { pending: ['a'] }), []);
  assert.deepEqual(broken(anthropic, OLD, [user([use('a')])]), ['PV-A1']);
});

test('PV-A2 every result refers to a call of the previous assistant message', () => {
  holds([...call, user([result('a')])], [user([result('a')])], 'PV-A2');
  const late = [...call, user([result('a')]), assistant(text('x')), user([result('a')])];
  assert.deepEqual(broken(anthropic, OLD, late), ['PV-A2']);
});

test('PV-A3 call ids are unique in a request and each has one result', () => {
  const twice = [...call, user([result('a')]), assistant(use('a')), user([result('a')])];
  const other = [...call, user([result('a')]), assistant(use('b')), user([result('b')])];
  holds(other, twice, 'PV-A3');
  assert.ok(broken(anthropic, OLD, [...call, user([result('a'), result('a')])]).includes('PV-A3'));
  assert.ok(
    broken(anthropic, OLD, [user('go'), assistant(use('a'), use('a')), user([result('a')])]).includes(
      'PV-A3',
    ),
  );
});

test('PV-A4 all results of a group sit in one user message; 64 parallel calls work', () => {
  const calls = [user('go'), assistant(use('a'), use('b'))];
  holds(
    [...calls, user([result('a'), result('b')])],
    [...calls, user([result('a')]), user([result('b')])],
    'PV-A4',
  );
  const ids = Array.from({ length: 64 }, (_, i) => `t${i}`);
  const wide = [user('go'), assistant(...ids.map((id) => use(id))), user(ids.map((id) => result(id)))];
  assert.deepEqual(broken(anthropic, OLD, wide), []);
});

test('PV-A5 results come before all other blocks', () => {
  holds(
    [...call, user([result('a'), text('hurry')])],
    [...call, user([text('hurry'), result('a')])],
    'PV-A5',
  );
});

test('PV-A6 nothing stands between a call message and its result message', () => {
  holds([...call, user([result('a')])], [...call, user('wait'), user([result('a')])], 'PV-A6');
  const system = [...call, { role: 'system', content: 'be brief' }, user([result('a')])];
  assert.ok(broken(anthropic, NEW, system).includes('PV-A6'));
});

test('PV-A10 messages is not empty and starts with the user or a compaction', () => {
  holds([user('a')], [assistant(text('a')), user('b')], 'PV-A10');
  assert.deepEqual(broken(anthropic, OLD, []), ['PV-A10']);
  assert.deepEqual(broken(anthropic, OLD, [assistant({ type: 'compaction', content: 's' }), user('b')]), []);
  assert.deepEqual(
    broken(anthropic, OLD, [user('a'), user('b')]),
    [],
    'equal neighbours are the host’s affair',
  );
  assert.ok(broken(anthropic, OLD, [user('a'), { role: 'tool', content: 'x' }]).includes('PV-A10'));
});

const operator = { role: 'system', content: 'be brief' };

test('PV-A11 system messages stand inside messages only where the model takes them', () => {
  assert.deepEqual(broken(anthropic, NEW, [user('a'), operator]), []);
  assert.deepEqual(broken(anthropic, OLD, [user('a'), operator]), ['PV-A11']);
  assert.equal(
    profileOf('anthropic', 'claude-sonnet-5').midSystem,
    false,
    'unconfirmed: the stricter reading',
  );
});

test('PV-A12 a system message follows a user turn and precedes the assistant', () => {
  holds(
    [user('a'), operator, operator, assistant(text('b')), user('c')],
    [user('a'), operator, user('c')],
    'PV-A12',
    NEW,
  );
  assert.deepEqual(broken(anthropic, NEW, [user('a'), assistant(text('b')), operator]), ['PV-A12']);
  const effort = { role: 'system', content: [], output_config: { effort: 'low' } };
  assert.deepEqual(broken(anthropic, NEW, [user('a'), effort, user('b')]), []);
});

test('PV-A15 the last message is not the assistant’s on models without prefill', () => {
  const prefilled = [user('a'), assistant(text('{'))];
  assert.deepEqual(broken(anthropic, OLD, prefilled), []);
  assert.deepEqual(broken(anthropic, NEW, prefilled), ['PV-A15']);
  const paused = [user('a'), assistant({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} })];
  assert.deepEqual(broken(anthropic, NEW, paused), [], 'a paused turn is resent as it is (PV-A9)');
});

test('PV-A17 no empty or blank text, no empty content', () => {
  const blank = (content: unknown) => [user('a'), { role: 'assistant', content }, user('b')];
  holds(blank([text('x')]), blank([text('x'), text(' \n')]), 'PV-A17');
  for (const content of ['', ' ', [], null, undefined, 7, [text('')]])
    assert.deepEqual(broken(anthropic, OLD, blank(content)), ['PV-A17'], JSON.stringify(content));
  for (const body of ['', [], [text('')], [text(' ')]])
    assert.deepEqual(
      broken(anthropic, OLD, [...call, user([result('a', body)])]),
      ['PV-A17'],
      JSON.stringify(body),
    );
  assert.deepEqual(
    broken(anthropic, OLD, [user('a'), { role: 'assistant', content: '' }]),
    [],
    'the final one may be',
  );
});

test('PV-A18 no lone surrogate anywhere, also inside input', () => {
  holds([user('👍')], [user('\ud83d')], 'PV-A18');
  const inside = [user('go'), assistant(use('a', { p: ['x\udc00'] })), user([result('a')])];
  assert.deepEqual(violations(anthropic, OLD, inside), [
    {
      rule: 'PV-A18',
      path: '/messages/1/content/0/input/p/0',
      message: 'the request body is not valid JSON: lone surrogate in a string',
    },
  ]);
  assert.deepEqual(broken(anthropic, OLD, [user('\\ud83d is an escape in a text')]), []);
});

test('PV-A19 the input of a call is an object', () => {
  for (const input of ['{}', [], null, 1])
    holds(
      [...call, user([result('a')])],
      [user('go'), assistant(use('a', input)), user([result('a')])],
      'PV-A19',
    );
});

test('PV-A20 hints of the host are extra inputs; unknown blocks and fields are not our business', () => {
  holds(
    [user([{ type: 'future_block', x: 1.5 }, text('a')])],
    [user([{ ...text('a'), _px: [1, 1] }])],
    'PV-A20',
  );
});

test('PV-A21 at most 100,000 messages, checked in linear time', () => {
  const walk = anthropic.walk(OLD);
  const message = { text: '{"role":"user","content":"a"}', value: { role: 'user', content: 'a' } };
  const reading = anthropic.read(message);
  let found = 0;
  for (let i = 0; i < 100_001; i++) found += walk.push(reading, message, i).length;
  assert.equal(found, 1);
});

const thinking = (t: string, signature: string) => ({ type: 'thinking', thinking: t, signature });

test('PV-A22 thinking keeps its fields and stays in the assistant message', () => {
  const wrong = [user('a'), assistant({ type: 'thinking', signature: 's' }, text('b')), user('c')];
  holds([user('a'), assistant(thinking('t', 's'), text('b')), user('c')], wrong, 'PV-A22');
  assert.deepEqual(broken(anthropic, OLD, [user([thinking('t', 's')])]), ['PV-A22']);
  assert.deepEqual(broken(anthropic, OLD, [user('a'), assistant({ type: 'redacted_thinking' }), user('c')]), [
    'PV-A22',
  ]);
});

test('PV-A24 empty thinking text is real, an empty signature is not', () => {
  const one = (t: string, s: string) => [user('a'), assistant(thinking(t, s), text('b')), user('c')];
  holds(one('', 's'), one('t', ''), 'PV-A24');
});

test('PV-A34 a server tool call and its result live in one assistant message', () => {
  const server = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
  holds(
    [user('a'), assistant(server, found, text('b')), user('c')],
    [user('a'), assistant(server, text('b')), user('c')],
    'PV-A34',
  );
  assert.deepEqual(broken(anthropic, OLD, [user('a'), assistant(found, text('b')), user('c')]), ['PV-A34']);
  const program = { ...use('t'), caller: { type: 'code_execution_20250825', tool_id: 's' } };
  const called = [
    user('a'),
    assistant(server, program),
    user([result('t')]),
    assistant(found, text('b')),
    user('c'),
  ];
  assert.deepEqual(broken(anthropic, OLD, called), [], 'a program that waits for a client tool');
});

test('PV-A35 a compaction comes first, is never an empty string, and hides what was before', () => {
  const compaction = (content: unknown) => ({ type: 'compaction', content });
  holds(
    [user('a'), assistant(compaction(null), text('b')), user('c')],
    [user('a'), assistant(compaction(''), text('b')), user('c')],
    'PV-A35',
  );
  assert.deepEqual(broken(anthropic, OLD, [user('a'), assistant(text('b'), compaction('s')), user('c')]), [
    'PV-A35',
  ]);
  assert.deepEqual(broken(anthropic, OLD, [...call, assistant(compaction('s')), user('c')]), []);
});

const marked = (t: string, ttl?: string) => ({
  ...text(t),
  cache_control: { type: 'ephemeral', ...(ttl ? { ttl } : {}) },
});

test('PV-A38 at most four marks, counting tools, system and blocks inside results', () => {
  const tools = [{ name: 'read', cache_control: { type: 'ephemeral' } }];
  const system = [marked('s')];
  const nested = [...call, user([result('a', [marked('x')])])];
  const more = { system, tools };
  holds(
    [...nested, assistant(text('b')), user([marked('c')])],
    [...nested, assistant(text('b')), user([marked('c'), marked('d')])],
    'PV-A38',
    OLD,
    more,
  );
});

test('PV-A39 no mark on thinking and on deferred tools', () => {
  const on = (extra: Msg) => [
    user('a'),
    assistant({ ...thinking('t', 's'), ...extra }, text('b')),
    user('c'),
  ];
  holds(on({}), on({ cache_control: { type: 'ephemeral' } }), 'PV-A39');
  const tools = [{ name: 'b' }, { name: 'a', defer_loading: true, cache_control: { type: 'ephemeral' } }];
  assert.deepEqual(broken(anthropic, OLD, [user('a')], { tools }), ['PV-A39']);
});

test('PV-A40 1h marks precede all 5m marks', () => {
  holds([user([marked('a', '1h'), marked('b')])], [user([marked('a'), marked('b', '1h')])], 'PV-A40');
  assert.deepEqual(broken(anthropic, OLD, [user([marked('b', '1h')])], { system: [marked('s')] }), [
    'PV-A40',
  ]);
});

test('PV-A45 tool names are unique, not all tools are deferred, the search tool never is', () => {
  const check = (tools: unknown[]) => broken(anthropic, OLD, [user('a')], { tools });
  assert.deepEqual(check([{ name: 'a' }, { name: 'b', defer_loading: true }]), []);
  assert.deepEqual(check([{ name: 'a' }, { name: 'a' }]), ['PV-A45']);
  assert.deepEqual(check([{ name: 'a', defer_loading: true }]), ['PV-A45']);
  const search = { type: 'tool_search_tool_regex_20251119', name: 's', defer_loading: true };
  assert.deepEqual(check([{ name: 'a' }, search]), ['PV-A45']);
});
