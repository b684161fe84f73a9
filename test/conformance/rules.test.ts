// Provider rules, each on one body that a provider takes and one that it refuses (PROVIDERS.md, test kind U).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, assistant, call, history, text, user } from './build.js';
import { checkRequest } from './rules/check.js';
import { anthropicProfile, chatProfile, responsesProfile } from './rules/profile.js';
import type { Obj } from './types.js';

const PLAIN = anthropicProfile('claude-sonnet-4-5');
const OPUS = anthropicProfile('claude-opus-4-8');
const BOUND = anthropicProfile('claude-opus-5-5');
const CHAT = chatProfile();
const RESPONSES = responsesProfile();

function rules(request: Obj, p = PLAIN, earlier: Obj[] = []): string[] {
  return [...new Set(checkRequest(request, p, earlier).map((v) => v.rule))].sort();
}

const msgs = (...messages: Obj[]): Obj => ({ messages });
const think = (t: string, signature: string): Obj => ({ type: 'thinking', thinking: t, signature });
const mark = (b: Obj, ttl?: string): Obj => ({
  ...b,
  cache_control: { type: 'ephemeral', ...(ttl ? { ttl } : {}) },
});
const tc = (id: string, args = '{}'): Obj => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});
const calls = (...c: Obj[]): Obj => ({ role: 'assistant', content: null, tool_calls: c });
const tool = (id: string, content: unknown = 'r'): Obj => ({ role: 'tool', tool_call_id: id, content });

const GOOD: [string, Obj, typeof PLAIN][] = [
  ['anthropic history', { system: 'S', messages: history() }, PLAIN],
  [
    'chat history',
    msgs({ role: 'system', content: 'S' }, user('a'), calls(tc('1'), tc('2')), tool('1'), tool('2')),
    CHAT,
  ],
  [
    'responses history',
    {
      input: [
        { type: 'message', role: 'user', content: 'a' },
        { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'x' },
        { type: 'function_call', call_id: '1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: '1', output: 'r' },
      ],
    },
    RESPONSES,
  ],
  [
    'mid-conversation system',
    msgs(user('a'), { role: 'system', content: 's' }, assistant('b'), user('c')),
    OPUS,
  ],
  ['compaction first', msgs(assistant([{ type: 'compaction', content: null }, text('a')]), user('b')), PLAIN],
  ['empty thinking text', msgs(user('a'), assistant([think('', 'sig'), text('b')]), user('c')), BOUND],
  ['final empty assistant', msgs(user('a'), assistant([])), PLAIN],
  [
    'arguments with an underscore key',
    msgs(user('a'), assistant([call('1', 'f', { _x: 1 })]), user([answer('1')])),
    PLAIN,
  ],
];

for (const [title, request, p] of GOOD) {
  test(`PV valid: ${title}`, () => assert.deepEqual(rules(request, p), []));
}

const five = Array.from({ length: 5 }, (_, i) => mark(text(`t${i}`)));

const BAD: [string, string, Obj, typeof PLAIN][] = [
  ['PV-A1', 'a call without its result', msgs(user('a'), assistant([call('1')]), user('b')), PLAIN],
  [
    'PV-A1',
    'a message between call and result',
    msgs(user('a'), assistant([call('1')]), assistant('x'), user([answer('1')])),
    PLAIN,
  ],
  ['PV-A2', 'a result without its call', msgs(user('a'), assistant('b'), user([answer('1')])), PLAIN],
  [
    'PV-A3',
    'an id twice',
    msgs(user('a'), assistant([call('1')]), user([answer('1')]), assistant([call('1')]), user([answer('1')])),
    PLAIN,
  ],
  [
    'PV-A3',
    'two results for a call',
    msgs(user('a'), assistant([call('1')]), user([answer('1'), answer('1')])),
    PLAIN,
  ],
  [
    'PV-A4',
    'results out of call order',
    msgs(user('a'), assistant([call('1'), call('2')]), user([answer('2'), answer('1')])),
    PLAIN,
  ],
  [
    'PV-A5',
    'text before a result',
    msgs(user('a'), assistant([call('1')]), user([text('x'), answer('1')])),
    PLAIN,
  ],
  ['PV-A10', 'an empty list', msgs(), PLAIN],
  ['PV-A10', 'assistant first', msgs(assistant('a'), user('b')), PLAIN],
  ['PV-A11', 'a system message on an old model', msgs(user('a'), { role: 'system', content: 's' }), PLAIN],
  [
    'PV-A12',
    'a system message after an assistant',
    msgs(user('a'), assistant('b'), { role: 'system', content: 's' }),
    OPUS,
  ],
  [
    'PV-A14',
    'clear_at beside an image',
    msgs(user('a'), { role: 'system', clear_at: 'next_user_message', content: [{ type: 'image' }] }),
    OPUS,
  ],
  ['PV-A15', 'a prefilled answer', msgs(user('a'), assistant('b')), BOUND],
  ['PV-A16', 'a forced tool', { ...msgs(user('a')), tool_choice: { type: 'any' } }, BOUND],
  ['PV-A17', 'a blank text block', msgs(user([text(' \n')])), PLAIN],
  [
    'PV-A17',
    'a blank text inside a result',
    msgs(user('a'), assistant([call('1')]), user([answer('1', [text('')])])),
    PLAIN,
  ],
  ['PV-A17', 'no content', msgs(user([]), assistant('b'), user('c')), PLAIN],
  [
    'PV-A18',
    'a lone surrogate in an input',
    msgs(user('a'), assistant([call('1', 'f', { p: '\ud83d' })]), user([answer('1')])),
    PLAIN,
  ],
  [
    'PV-A19',
    'an input that is text',
    msgs(user('a'), assistant([call('1', 'f', '{}')]), user([answer('1')])),
    PLAIN,
  ],
  [
    'PV-A22',
    'redacted thinking without data',
    msgs(user('a'), assistant([{ type: 'redacted_thinking' }, text('b')]), user('c')),
    PLAIN,
  ],
  ['PV-A24', 'an empty signature', msgs(user('a'), assistant([think('x', ''), text('b')]), user('c')), PLAIN],
  [
    'PV-A34',
    'a server call without its result',
    msgs(user('a'), assistant([{ type: 'server_tool_use', id: 's', name: 'w', input: {} }]), user('b')),
    PLAIN,
  ],
  [
    'PV-A35',
    'a compaction block with empty text',
    msgs(assistant([{ type: 'compaction', content: '' }]), user('b')),
    PLAIN,
  ],
  ['PV-A38', 'five marks', msgs(user(five)), PLAIN],
  [
    'PV-A39',
    'a mark on thinking',
    msgs(user('a'), assistant([mark(think('x', 's')), text('b')]), user('c')),
    PLAIN,
  ],
  ['PV-A40', 'a 1h mark after a 5m one', msgs(user([mark(text('a'), '5m'), mark(text('b'), '1h')])), PLAIN],
  ['PV-A45', 'a tool name twice', { ...msgs(user('a')), tools: [{ name: 'x' }, { name: 'x' }] }, PLAIN],
  [
    'PV-A45',
    'all tools deferred',
    { ...msgs(user('a')), tools: [{ name: 'x', defer_loading: true }] },
    PLAIN,
  ],
  [
    'PV-A46',
    'a tool added that is not declared',
    msgs(user('a'), { role: 'system', content: [{ type: 'tool_addition', name: 'x' }] }),
    OPUS,
  ],
  [
    'PV-C1',
    'a call without its tool message',
    msgs(user('a'), calls(tc('1'), tc('2')), tool('1'), user('b')),
    CHAT,
  ],
  ['PV-C2', 'a tool message without its call', msgs(user('a'), assistant('b'), tool('1')), CHAT],
  [
    'PV-C2',
    'results split over later turns',
    msgs(user('a'), calls(tc('1'), tc('2')), tool('1'), user('b'), tool('2')),
    CHAT,
  ],
  ['PV-C3', 'a call id twice in a message', msgs(user('a'), calls(tc('1'), tc('1')), tool('1')), CHAT],
  [
    'PV-C3-LENGTH',
    'a call id of 41 characters',
    msgs(user('a'), calls(tc('x'.repeat(41))), tool('x'.repeat(41))),
    CHAT,
  ],
  ['PV-C5', 'arguments cut in the middle', msgs(user('a'), calls(tc('1', '{"a":')), tool('1')), CHAT],
  ['PV-C6', 'a tool message with null', msgs(user('a'), calls(tc('1')), tool('1', null)), CHAT],
  ['PV-C6', 'an assistant without content and calls', msgs(user('a'), assistant(null), user('b')), CHAT],
  ['PV-C7', 'an empty list', msgs(), CHAT],
  ['PV-S1', 'two user messages in a row', msgs(user('a'), user('b')), chatProfile({ alternation: 'strict' })],
  [
    'PV-S2',
    'two visible user messages around a call',
    msgs(user('a'), calls(tc('1')), tool('1'), user('b')),
    chatProfile({ alternation: 'template' }),
  ],
  [
    'PV-S3',
    'a second system message',
    msgs(user('a'), { role: 'system', content: 's' }),
    chatProfile({ singleSystem: true }),
  ],
  [
    'PV-S5',
    'a list of parts',
    msgs(user([{ type: 'text', text: 'a' }])),
    chatProfile({ plainContent: true }),
  ],
  [
    'PV-S5',
    'null beside calls',
    msgs(user('a'), calls(tc('1')), tool('1')),
    chatProfile({ plainContent: true }),
  ],
  [
    'PV-S6',
    'a long id',
    msgs(user('a'), calls(tc('call_1')), tool('call_1')),
    chatProfile({ ids: /^\w{9}$/ }),
  ],
  [
    'PV-S7',
    'two calls at once',
    msgs(user('a'), calls(tc('1'), tc('2')), tool('1'), tool('2')),
    chatProfile({ maxCalls: 1 }),
  ],
  ['PV-S4', 'no user message', msgs({ role: 'system', content: 's' }, assistant('a')), CHAT],
  [
    'PV-R1',
    'a call without its output',
    { input: [{ type: 'function_call', call_id: '1', arguments: '{}' }] },
    RESPONSES,
  ],
  [
    'PV-R1',
    'an output without its call',
    { input: [{ type: 'function_call_output', call_id: '1', output: 'x' }] },
    RESPONSES,
  ],
  [
    'PV-R3',
    'reasoning before a user message',
    {
      input: [
        { type: 'reasoning', summary: [], encrypted_content: 'x' },
        { type: 'message', role: 'user', content: 'a' },
      ],
    },
    RESPONSES,
  ],
  [
    'PV-R5',
    'reasoning that lost its summary',
    {
      input: [
        { type: 'reasoning', encrypted_content: 'x' },
        { type: 'message', role: 'assistant', content: 'a' },
      ],
    },
    RESPONSES,
  ],
  [
    'PV-R6',
    'reasoning without its encrypted text',
    {
      input: [
        { type: 'reasoning', summary: [] },
        { type: 'message', role: 'assistant', content: 'a' },
      ],
    },
    RESPONSES,
  ],
  ['HINT', 'a hint that leaked', msgs({ ...user('a'), _usage: {} }), PLAIN],
];

for (const [rule, title, request, p] of BAD) {
  test(`${rule} refused: ${title}`, () => {
    const found = rules(request, p);
    assert.ok(found.includes(rule), `${rule} not in ${found.join(' ')}`);
    const path = checkRequest(request, p).find((v) => v.rule === rule)?.path;
    assert.match(path ?? '', /^\/(?:messages|input|tools|tool_choice)/);
  });
}

test('PV-A23 refused: the open round of budgeted thinking lost its thinking', () => {
  const open = (...head: Obj[]) => ({
    thinking: { type: 'enabled', budget_tokens: 1024 },
    messages: [user('a'), assistant([...head, call('1')]), user([answer('1')])],
  });
  assert.deepEqual(rules(open()), ['PV-A23']);
  assert.deepEqual(rules(open(think('t', 's'))), []);
});

/** Two rounds on a bound model, each with its thinking. */
function rounds(): Obj[] {
  const a = [user('a')];
  const b = [...a, assistant([think('t1', 's1'), call('1')]), user([answer('1', 'long body')])];
  const c = [...b, assistant([think('t2', 's2'), text('done')]), user('next')];
  return [a, b, c].map((messages) => ({ system: 'S', messages }));
}

test('PV-A25 bound thinking: an unchanged history holds, an edit before a kept block does not', () => {
  const [r0, r1, r2] = rounds();
  assert.deepEqual(rules(r2!, BOUND, [r0!, r1!]), []);
  const edited = structuredClone(r2!);
  (edited['messages'] as Obj[])[2] = user([answer('1', 'cleared')]);
  assert.deepEqual(rules(edited, BOUND, [r0!, r1!]), ['PV-A25']);
  assert.deepEqual(rules(edited, OPUS, [r0!, r1!]), []);
  const stripped = structuredClone(edited);
  (stripped['messages'] as Obj[])[3] = assistant([text('done')]);
  assert.deepEqual(rules(stripped, BOUND, [r0!, r1!]), []);
});

test('PV-A25 bound thinking: cache marks, key order and string form do not count', () => {
  const [r0, r1, r2] = rounds();
  const same = structuredClone(r2!);
  (same['messages'] as Obj[])[0] = { content: [mark(text('a'))], role: 'user' };
  assert.deepEqual(rules(same, BOUND, [r0!, r1!]), []);
});

test('PV-A26 bound thinking: no gap, and what was removed stays removed', () => {
  const [r0, r1, r2] = rounds();
  const list = r2!['messages'] as Obj[];
  const r3 = { system: 'S', messages: [...list, assistant([think('t3', 's3'), text('x')]), user('more')] };
  const gap = structuredClone(r3);
  (gap['messages'] as Obj[])[3] = assistant([text('done')]);
  assert.ok(rules(gap, BOUND, [r0!, r1!, r2!]).includes('PV-A26'));
  const first = structuredClone(r3);
  (first['messages'] as Obj[])[1] = assistant([call('1')]);
  assert.deepEqual(rules(first, BOUND, [r0!, r1!, r2!]), []);
  assert.deepEqual(rules(r3, BOUND, [r0!, r1!, r2!, first]), ['PV-A26']);
  // Removed from the end before anything was thought behind it: what comes then has seen no gap.
  const end = structuredClone(r2!);
  (end['messages'] as Obj[])[3] = assistant([text('done')]);
  const later = [...(end['messages'] as Obj[]), assistant([think('t4', 's4'), text('x')]), user('more')];
  assert.deepEqual(rules({ ...end, messages: later }, BOUND, [r0!, r1!, end]), []);
});

test('PV-A43 PV-A11 PV-A15 profile: classes by model id, unknown newer ids are bound', () => {
  const cls = (m: string) => anthropicProfile(m).modelClass;
  for (const m of [
    'claude-opus-5',
    'claude-sonnet-4-5-20250929',
    'claude-haiku-4-5',
    'claude-fable-5',
    'claude-mythos-5',
  ]) {
    assert.equal(cls(m), 'AF', m);
  }
  for (const m of [
    'claude-fable-5-1',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-mythos-5-2',
    'claude-quill-7',
  ]) {
    assert.equal(cls(m), 'AB', m);
  }
  assert.equal(anthropicProfile('claude-opus-4-5').minCacheTokens, 4096);
  assert.equal(anthropicProfile('claude-opus-5').minCacheTokens, 512);
  assert.equal(anthropicProfile('claude-sonnet-5').minCacheTokens, 1024);
});
