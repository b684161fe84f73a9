// Each check of the runner holds on one observation and fails on another: a check that cannot fail is a bug.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, assistant, call, caseOf, history, observed, type Setup, text, user } from './build.js';
import { CHECKS } from './checks/index.js';
import { evaluate } from './evaluate.js';
import type { Check, Obj, Observation, ScriptStep } from './types.js';

interface Row {
  check: Check;
  setup?: Setup;
  good: Observation;
  bad: Observation;
}

const two: ScriptStep[] = [{ op: 'curate' }, { op: 'curate' }];
const cleared = (body = '<cleared h="h1"/>'): Obj[] => {
  const h = history();
  h[2] = user([answer('t1', body)]);
  return h;
};
const without = (...drop: number[]): Obj[] => history().filter((_, i) => !drop.includes(i));
const ev = (kind: string, rest: Obj = {}): Observation => observed([{ events: [{ kind, ...rest }] }]);
const out = (request: Obj): Observation => observed([{ out: request }]);
const chat = (...messages: Obj[]): Observation => out({ messages });
const toolDefs = (...names: string[]): Obj[] =>
  names.map((name) => ({ name, input_schema: { type: 'object' } }));
const long = 'alpha beta gamma delta '.repeat(40);
const openai: Setup = { format: 'openai', messages: [user('a'), assistant('b'), user('c')] };

const rows: Row[] = [
  { check: { op: 'valid', format: 'anthropic' }, good: observed([history()]), bad: observed([without(1)]) },
  {
    check: { op: 'valid', format: 'openai' },
    good: chat(user('a'), assistant('b')),
    bad: chat({ role: 'tool', tool_call_id: 'x', content: 'y' }, user('a')),
  },
  {
    check: { op: 'valid', format: 'openai-responses' },
    setup: { format: 'openai', request: { input: [{ type: 'message', role: 'user', content: 'a' }] } },
    good: out({ input: [{ type: 'message', role: 'user', content: 'a' }] }),
    bad: out({ input: [{ type: 'reasoning', id: 'r', summary: [] }] }),
  },
  {
    check: { op: 'roles_alternate', mode: 'strict' },
    setup: openai,
    good: chat(
      { role: 'system', content: 'S' },
      user('a'),
      { ...assistant(null), tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      assistant('b'),
    ),
    bad: chat(user('a'), user('b')),
  },
  {
    check: { op: 'roles_alternate', mode: 'template' },
    setup: openai,
    good: chat(
      user('a'),
      { ...assistant(null), tool_calls: [{ id: 'c' }] },
      { role: 'tool', content: 'r' },
      assistant('b'),
    ),
    bad: chat(
      user('a'),
      { ...assistant(null), tool_calls: [{ id: 'c' }] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      user('b'),
    ),
  },
  {
    check: { op: 'system_head', max: 1 },
    setup: openai,
    good: chat({ role: 'system', content: 'S' }, user('a')),
    bad: chat(user('a'), { role: 'system', content: 'S' }),
  },
  { check: { op: 'has_user_text' }, good: observed([history()]), bad: observed([[user([answer('t1')])]]) },
  { check: { op: 'user_turns', value: 2 }, good: observed([history()]), bad: observed([without(4)]) },
  { check: { op: 'no_edit' }, good: observed([history()]), bad: observed([cleared()]) },
  {
    check: { op: 'byte_identical' },
    good: observed([{ bytes: '{"a":1.0}', bytes_in: '{"a":1.0}' }]),
    bad: observed([{ bytes: '{"a":1}', bytes_in: '{"a":1.0}' }]),
  },
  {
    check: { op: 'byte_identical_replay', a: 0, b: 1 },
    setup: { script: two },
    good: observed([{ bytes: 'x' }, { bytes: 'x' }]),
    bad: observed([{ bytes: 'x' }, { bytes: 'y' }]),
  },
  {
    check: {
      op: 'unchanged',
      paths: ['/system', '/messages/0', '/messages/1/content/1', '/messages/2/content/0/content'],
    },
    good: observed([history()]),
    bad: observed([cleared()]),
  },
  {
    check: { op: 'absent', path: '/messages/2/content/0' },
    good: observed([cleared()]),
    bad: observed([history()]),
  },
  {
    check: { op: 'cleared', paths: ['/messages/2/content/0'] },
    good: observed([cleared()]),
    bad: observed([history()]),
  },
  {
    check: { op: 'kept_text', paths: ['/messages/0/content', '/messages/4/content'] },
    good: observed([[user([text('summary. first task'), text('second task')])]]),
    bad: observed([[user('first'), assistant('second task')]]),
  },
  {
    check: { op: 'verbatim_or_absent', types: ['tool_use'] },
    good: observed([[user('x')]]),
    bad: observed([[user('x'), assistant([call('t1', 'read', { p: 2 })])]]),
  },
  {
    check: { op: 'block_order_kept' },
    good: observed([without(0)]),
    bad: observed([[user('second task'), user('first task')]]),
  },
  {
    check: { op: 'kept_together', groups: [['/messages/1', '/messages/2']] },
    good: observed([without(1, 2)]),
    bad: observed([without(2)]),
  },
  {
    check: { op: 'contains_text', text: 'second task', in: { role: 'user' } },
    good: observed([history()]),
    bad: observed([[user('x'), assistant('second task')]]),
  },
  {
    check: { op: 'contains_text', texts: ['body of'], in: { result: 't1' } },
    good: observed([history()]),
    bad: observed([cleared()]),
  },
  {
    check: { op: 'contains_text', text: 'needle', in: { call: 't1' } },
    good: observed([[user('x'), assistant([call('t1', 'read', { p: 'a needle' })])]]),
    bad: observed([history()]),
  },
  {
    check: { op: 'contains_text', text: 'S', in: 'system' },
    good: observed([history()]),
    bad: out({ messages: [user('S')] }),
  },
  {
    check: { op: 'contains_text', text: 'grep', in: 'tools' },
    good: out({ tools: toolDefs('grep'), messages: history() }),
    bad: observed([history()]),
  },
  {
    check: { op: 'not_contains_text', text: 'evil', in: 'summarizer_input' },
    good: observed([history()], { summarizer: [{ input_text: 'good' }] }),
    bad: observed([history()], { summarizer: [{ input_text: 'an evil text' }] }),
  },
  {
    check: { op: 'not_contains_text', text: 'inner' },
    good: observed([history()]),
    bad: observed([[user('{"k": "the inner text"}')]]),
  },
  {
    check: { op: 'contains_text', text: 'short', in: 'summary' },
    good: observed([{ out: { messages: history() }, summaries: ['in short'] }]),
    bad: observed([{ out: { messages: history() }, summaries: [] }]),
  },
  {
    check: { op: 'text_order', texts: ['first', 'second'] },
    good: observed([history()]),
    bad: observed([[user('second'), user('first')]]),
  },
  { check: { op: 'group_atomic', ids: ['t1'] }, good: observed([cleared()]), bad: observed([without(1)]) },
  { check: { op: 'cleared_count', min: 1, max: 1 }, good: observed([cleared()]), bad: observed([history()]) },
  {
    check: { op: 'reduced', min_tokens: 50 },
    setup: { messages: [user(long), assistant('x'), user('y')] },
    good: observed([[user('y')]]),
    bad: observed([[user(long), assistant('x'), user('y')]]),
  },
  { check: { op: 'never_longer' }, good: observed([history()]), bad: observed([cleared(long)]) },
  { check: { op: 'max_tokens', value: 60 }, good: observed([history()]), bad: observed([cleared(long)]) },
  {
    check: { op: 'retrievable', paths: ['/messages/2/content/0/content'], visible: true },
    good: observed([cleared()], {
      handles: [{ path: '/messages/2/content/0/content', handle: 'h1', value: 'body of the first result' }],
    }),
    bad: observed([cleared()], {
      handles: [{ path: '/messages/2/content/0/content', handle: 'h1', value: 'body' }],
    }),
  },
  {
    check: { op: 'handles_unique' },
    good: observed([cleared()], { handles: [{ path: '/a', handle: 'h1', value: 1 }] }),
    bad: observed([cleared()], {
      handles: [
        { path: '/a', handle: 'h1', value: 1 },
        { path: '/b', handle: 'h1', value: 2 },
      ],
    }),
  },
  {
    check: { op: 'event', kind: 'cleared', where: { path: '/x' }, min: 1, max: 1 },
    good: ev('cleared', { path: '/x' }),
    bad: ev('cleared', { path: '/y' }),
  },
  { check: { op: 'no_event', kinds: ['rejected'] }, good: ev('cleared'), bad: ev('rejected') },
  {
    check: { op: 'error_code', codes: ['denied'] },
    good: observed([{ error: { code: 'denied', message: '' } }]),
    bad: observed([{ error: { code: 'other', message: '' } }]),
  },
  { check: { op: 'no_error' }, good: observed([{}]), bad: observed([{ error: { code: 'x', message: '' } }]) },
  { check: { op: 'alive' }, good: observed([{}]), bad: observed([{}], { alive: false }) },
  {
    check: { op: 'time_ms_max', value: 5, at: 0 },
    good: observed([{ time_ms: 5 }]),
    bad: observed([{ time_ms: 6 }]),
  },
  {
    check: { op: 'other_session_ms_max', value: 5 },
    good: observed([{ other_session_ms: 1 }]),
    bad: observed([{ other_session_ms: 6 }]),
  },
  {
    check: { op: 'count', value: 100, tolerance: 0.05 },
    good: observed([{ result: { tokens: 104 } }]),
    bad: observed([{ result: { tokens: 106 } }]),
  },
  {
    check: { op: 'context_tokens', min: 10, max: 20 },
    good: observed([{ context_tokens: 20 }]),
    bad: observed([{ context_tokens: 21 }]),
  },
  {
    check: { op: 'trigger_fired', value: false },
    good: observed([{ fired: false }]),
    bad: observed([{ fired: true }]),
  },
  {
    check: { op: 'budget_positive' },
    good: observed([{ budget: 1 }]),
    bad: observed([{ budget: 1 }, { budget: Number.NaN }]),
    setup: { script: two },
  },
  {
    check: { op: 'prefix_stable', max_breaks: 0 },
    setup: { script: two },
    good: observed([history(), history()]),
    bad: observed([history(), cleared()]),
  },
  {
    check: { op: 'prefix_stable', max_breaks: 1, min_freed: 50 },
    setup: { script: two, messages: [user(long), assistant('x'), user('y')] },
    good: observed([[user(long), assistant('x'), user('y')], [user('y')]]),
    bad: observed([
      [user(long), assistant('x'), user('y')],
      [user(long), user('y')],
    ]),
  },
  {
    check: { op: 'placeholder_stable' },
    setup: { script: two },
    good: observed([cleared(), cleared()]),
    bad: observed([cleared(), cleared('<cleared at="2"/>')]),
  },
  { check: { op: 'epochs_max', value: 0 }, good: observed([{ epochs: 0 }]), bad: observed([{ epochs: 1 }]) },
  {
    check: { op: 'marks_max', value: 0 },
    good: observed([history()]),
    bad: observed([[user([{ ...text('a'), cache_control: { type: 'ephemeral' } }])]]),
  },
  {
    check: { op: 'marks_min', value: 1 },
    good: observed([[user([{ ...text('a'), cache_control: { type: 'ephemeral' } }])]]),
    bad: observed([history()]),
  },
  {
    check: { op: 'summarizer_calls', min: 1, max: 1 },
    good: observed([{}], { summarizer: [{ input_text: 'a' }] }),
    bad: observed([{}], { summarizer: [] }),
  },
  {
    check: { op: 'summarizer_input_max_tokens', value: 5 },
    good: observed([{}], { summarizer: [{ input_text: 'a' }] }),
    bad: observed([{}], { summarizer: [{ input_text: long }] }),
  },
  {
    check: { op: 'summary_max_tokens', value: 5 },
    good: observed([{ summaries: ['a', 'b'] }]),
    bad: observed([{ summaries: ['a', long] }]),
  },
  {
    check: { op: 'summary_count', max: 1 },
    good: observed([{ summaries: ['a'] }]),
    bad: observed([{ summaries: ['a', 'b'] }]),
  },
  {
    check: { op: 'coverage' },
    good: observed([
      { out: { messages: without(0, 1, 2) }, events: [{ kind: 'compacted', covers: [0, 2] }] },
    ]),
    bad: observed([{ out: { messages: without(0, 1, 2) }, events: [{ kind: 'compacted', covers: [0, 1] }] }]),
  },
  {
    check: { op: 'messages_equal', indexes: [0, 3] },
    good: observed([without(1, 2, 4)]),
    bad: observed([without(1, 2)]),
  },
  {
    check: { op: 'messages_equal', step: 0, at: 0 },
    setup: { script: [{ op: 'ingest', messages: [user('new')] }] },
    good: observed([[user([text('new')])]]),
    bad: observed([[user('old')]]),
  },
  {
    check: { op: 'result', at: 0, field: 'text', contains: 'sec' },
    good: observed([{ result: { text: 'a secret' } }]),
    bad: observed([{ result: { text: 'nothing' } }]),
  },
  {
    check: { op: 'result', at: 0, field: 'accepted', equals: false },
    good: observed([{ result: { accepted: false } }]),
    bad: observed([{ result: { accepted: true } }]),
  },
  {
    check: { op: 'topic_shifts', must: [2], must_not: [1], not_by: { 2: ['phrase'] }, max_per_turn: 1 },
    good: ev('topic_shift', { user_turn: 2, signal: 'embedding' }),
    bad: ev('topic_shift', { user_turn: 2, signal: 'phrase' }),
  },
  {
    check: { op: 'tools_present', names: ['a'] },
    good: out({ tools: toolDefs('a'), messages: [] }),
    bad: out({ tools: toolDefs('b'), messages: [] }),
  },
  {
    check: { op: 'tools_order_kept' },
    setup: { request: { tools: toolDefs('a', 'b', 'c'), messages: history() } },
    good: out({ tools: toolDefs('a', 'c'), messages: [] }),
    bad: out({ tools: toolDefs('c', 'a'), messages: [] }),
  },
  {
    check: { op: 'tools_cover_history' },
    good: out({ tools: toolDefs('read'), messages: history() }),
    bad: out({ tools: toolDefs('write'), messages: history() }),
  },
  {
    check: { op: 'valid_utf16' },
    good: observed([[user('a \ud83d\udc4d')]]),
    bad: observed([[user('{"a": "\\ud83d"}')]]),
  },
  {
    check: {
      op: 'any_of',
      of: [[{ op: 'no_error' }, { op: 'alive' }], [{ op: 'error_code', codes: ['x'] }]],
    },
    good: observed([{ error: { code: 'x', message: '' } }]),
    bad: observed([{ error: { code: 'y', message: '' } }]),
  },
];

rows.forEach((r, i) => {
  const label = JSON.stringify(r.check);
  test(`check ${r.check.op} holds and can fail (${i}: ${label.length > 90 ? `${label.slice(0, 90)}…` : label})`, () => {
    assert.deepEqual(
      evaluate(caseOf([r.check], r.setup), r.good).map((f) => f.message),
      [],
    );
    assert.notEqual(evaluate(caseOf([r.check], r.setup), r.bad).length, 0);
  });
});

test('check table: every operation has a row here, and each row that needs a field says when it lacks', () => {
  const covered = new Set(rows.map((r) => r.check.op));
  assert.deepEqual(
    Object.keys(CHECKS).filter((op) => !covered.has(op)),
    [],
  );
  const needy = [
    'context_tokens',
    'trigger_fired',
    'budget_positive',
    'epochs_max',
    'count',
    'time_ms_max',
    'handles_unique',
  ];
  for (const op of needy) {
    const failures = evaluate(caseOf([{ op, value: 1, max: 1 }]), observed([{}]));
    assert.match(failures[0]?.message ?? '', /not observable/, op);
  }
});

test('check unknown: an operation that does not exist fails', () => {
  assert.match(
    evaluate(caseOf([{ op: 'no_such_thing' }]), observed([history()]))[0]?.message ?? '',
    /there is no check/,
  );
});

test('check normal form: string and single text block are the same, marks and key order do not count', () => {
  const marked = history();
  marked[0] = user([{ text: 'first task', type: 'text', cache_control: { type: 'ephemeral' } }]);
  assert.deepEqual(evaluate(caseOf([{ op: 'no_edit' }]), observed([marked])), []);
});
