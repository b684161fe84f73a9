// Repairs of what comes seldom: server tools over several messages, shell calls, items without a store, operators' changes of tools.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProfileOverrides, profileOf } from '../../src/providers/profile.js';
import { applyDocEdits, repair } from '../../src/providers/repair.js';
import { specOf } from '../../src/providers/spec.js';
import type { DocEdit, Format } from '../../src/providers/types.js';
import { historyOf } from '../../src/providers/validate.js';
import { assistant, broken, type Msg, natives, result, text, use, user } from './kit.js';

interface Given {
  from?: number;
  before?: readonly DocEdit[];
  over?: ProfileOverrides;
  pending?: string[];
}

/** The messages as they go out, and all edits so far; what is left of violations fails. */
function mend(format: Format, model: string, messages: readonly Msg[], given: Given = {}) {
  const spec = specOf(format);
  const profile = profileOf(format, model, given.over);
  const history = historyOf(spec, natives(messages));
  const repairs = repair(spec, history, given.from ?? 0, {
    pending: new Set(given.pending),
    profile,
    declared: new Set(['read', 'later']),
  });
  const edits = [...(given.before ?? []), ...repairs.flatMap((r) => r.edits)];
  const texts = applyDocEdits(
    history.map((m) => m.native),
    edits,
  );
  const out = texts.map((t) => JSON.parse(t) as Msg);
  const tools = format === 'anthropic' ? { tools: [{ name: 'read' }, { name: 'later' }] } : {};
  assert.deepEqual(broken(spec, profile, out, tools), []);
  return { out, edits, rules: repairs.map((r) => r.rule) };
}

const AF = 'claude-sonnet-4-5';
const MID = 'claude-opus-4-8';
const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };

test('PV-A46 F32 a change of the tools goes behind the whole turn, whatever the operator says between its messages', () => {
  const change = { role: 'system', content: [{ type: 'tool_addition', name: 'later' }] };
  const void_ = { role: 'system', content: [{ type: 'tool_removal', name: 'undeclared' }] };
  for (const between of [
    [void_],
    [{ role: 'system', content: 'order' }],
    [void_, user([result('none', 'x')])],
  ]) {
    const { out } = mend('anthropic', MID, [user('a'), change, user('b'), ...between, user('c')]);
    assert.deepEqual(out.at(-1), change);
    assert.deepEqual(out.at(-2), user('c'));
  }
});

test('PV-A34 F32 a result of a server tool that stands before its call answers nothing: both go', () => {
  const { out } = mend('anthropic', AF, [user('go'), assistant(found, search, text('x')), user('on')]);
  assert.deepEqual(out[1], assistant(text('x')));
});

test('PV-A34 F32 a server call whose turn ended without its result goes, one that the next message answers stays', () => {
  const split = [user('go'), assistant(search), assistant(found, text('x')), user('on')];
  assert.deepEqual(mend('anthropic', AF, split).rules, []);
  const lost = mend('anthropic', AF, [user('go'), assistant(search), assistant(text('x')), user('on')]);
  assert.ok(!JSON.stringify(lost.out).includes('server_tool_use'));
});

test('PV-A35 F32 results before a compaction block stay with their calls', () => {
  const { out, rules } = mend('anthropic', AF, [
    user('go'),
    assistant(use('a')),
    user([result('a', 'kept')]),
    assistant({ type: 'compaction', content: 'sum' }),
    user([text(''), text('on')]),
  ]);
  assert.deepEqual(rules, ['PV-A17']);
  assert.deepEqual(out[2], user([result('a', 'kept')]));
});

test('PV-A17 F32 an empty result that comes late is told as one without output', () => {
  const messages = [user('go'), assistant(use('a')), user('wait'), user([result('a', '')])];
  const first = mend('anthropic', AF, messages.slice(0, 3));
  const { out } = mend('anthropic', AF, messages, { from: 3, before: first.edits });
  assert.match(JSON.stringify(out.at(-1)), /came late.*\(no output\)/);
});

test('PV-A46 F32 a change of the tools that has no place waits for the next user turn', () => {
  const change = { role: 'system', content: [{ type: 'tool_addition', name: 'later' }] };
  const messages = [user('go'), assistant(text('done')), change];
  const first = mend('anthropic', MID, [...messages, assistant(text('more'))], { over: { prefill: true } });
  assert.equal(first.out.length, 3);
  const all = [...messages, assistant(text('more')), user('on')];
  const { out } = mend('anthropic', MID, all, { from: 4, before: first.edits });
  assert.deepEqual(out.slice(-2), [user('on'), change]);
  // Told once: the turn after that has nothing to tell.
  const next = [...all, assistant(text('x')), user('and on')];
  assert.deepEqual(mend('anthropic', MID, next, { from: 5, before: first.edits }).rules, []);
});

const ask = { type: 'message', role: 'user', content: 'go' };
const RESPONSES = 'gpt-6';

test('PV-R1 a local shell call takes an output of its own type, or that of a function', () => {
  const call = { type: 'local_shell_call', call_id: 'c1', action: {}, status: 'completed' };
  for (const output of [
    { type: 'local_shell_call_output', id: 'c1', output: 'ok' },
    { type: 'function_call_output', call_id: 'c1', output: 'ok' },
  ])
    assert.deepEqual(mend('openai-responses', RESPONSES, [ask, call, output]).rules, []);
});

test('PV-R1 F32 an output of another type than its call goes out as one of its type, with all it holds', () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' };
  const output = { type: 'shell_call_output', call_id: 'c1', output: [{ stdout: 'all of it' }] };
  const { out } = mend('openai-responses', RESPONSES, [ask, call, output]);
  assert.deepEqual(out[2], {
    type: 'function_call_output',
    call_id: 'c1',
    output: '[{"stdout":"all of it"}]',
  });
});

test('PV-R4 PV-R5 PV-R6 F32 reasoning that cannot be sent goes, with the id of the call behind it', () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c1', output: 'ok' };
  const { id: _, ...bare } = call;
  const forged = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: '' };
  const stored = { type: 'reasoning', id: 'rs_1', summary: [] };
  for (const [reasoning, over] of [
    [forged, {}],
    [stored, { store: false }],
  ] as const) {
    const { out } = mend('openai-responses', RESPONSES, [ask, reasoning, call, output], { over });
    assert.deepEqual(out, [ask, bare, output]);
  }
  assert.deepEqual(mend('openai-responses', RESPONSES, [ask, stored, call, output]).rules, []);
});

test('PV-S5 PV-S7 F32 calls that go out one by one have plain contents where a template wants them', () => {
  const tool_calls = ['a', 'b'].map((id) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }));
  const messages = [
    user('go'),
    { role: 'assistant', content: 'look', tool_calls },
    ...['a', 'b'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
  ];
  const { out } = mend('openai-chat', 'llama-3.1-8b', messages, { over: { plainContent: true } });
  assert.deepEqual(
    out.map((m) => m['content']),
    ['go', 'look', 'ok', '', 'ok'],
  );
});

test('PV-C1 PV-S7 F32 calls at once that are all in flight go out one by one with what says so; one that may still be answered waits', () => {
  const tool_calls = ['a', 'b'].map((id) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }));
  const messages = [user('go'), { role: 'assistant', content: 'look', tool_calls }];
  const { out } = mend('openai-chat', 'llama-3.1-8b', messages, { pending: ['a', 'b'] });
  assert.deepEqual(
    out.map((m) => m['role']),
    ['user', 'assistant', 'tool', 'assistant', 'tool'],
  );
  const waits = [...messages, { role: 'tool', tool_call_id: 'a', content: 'ok' }];
  assert.equal(mend('openai-chat', 'llama-3.1-8b', waits, { pending: ['b'] }).out.length, 5);
});

test('PV-R1 PV-R6 F32 an output whose call a reference may stand for is the host’s, once; behind the next turn it is an orphan', () => {
  const model = 'gpt-5.4';
  const asked = { role: 'user', content: 'go' };
  const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: `told ${call_id}` });
  const fine = [asked, { type: 'item_reference', id: 'fc_1' }, output('c1')];
  assert.deepEqual(mend('openai-responses', model, fine).rules, []);
  assert.deepEqual(mend('openai-responses', model, [...fine, output('c1')]).rules, ['PV-R1']);
  assert.deepEqual(mend('openai-responses', model, [...fine, output('c2')]).rules, ['PV-R1'], 'one each');
  const later = [...fine, { role: 'assistant', content: 'ok' }, output('c2')];
  assert.deepEqual(mend('openai-responses', model, later).rules, ['PV-R1']);
  assert.deepEqual(mend('openai-responses', model, [asked, output('c1')]).rules, ['PV-R1']);
  // Step by step: the reference was sent before its output came.
  assert.deepEqual(mend('openai-responses', model, fine, { from: 2 }).rules, []);
});

test('PV-R1 F32 a search for tools that the client makes is paired, one that the provider makes is its own', () => {
  const call = { type: 'tool_search_call', call_id: 't1', execution: 'client', arguments: {} };
  const output = { type: 'tool_search_output', call_id: 't1', execution: 'client', tools: [] };
  const hosted = { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} };
  const asked = { role: 'user', content: 'go' };
  const model = 'gpt-5.4';
  assert.deepEqual(mend('openai-responses', model, [asked, call, output]).rules, []);
  assert.deepEqual(mend('openai-responses', model, [asked, output]).rules, ['PV-R1']);
  const both = [asked, hosted, { ...hosted, type: 'tool_search_output', tools: [] }, asked];
  assert.deepEqual(mend('openai-responses', model, both).rules, []);
});

test('PV-A18 PV-C5 F32 a lone surrogate in a key of the arguments is mended like one in a value', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"\\ud800":1,"b":"x"}' } };
  const { out } = mend('openai-chat', 'gpt-5.4', [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'ok' },
  ]);
  const [mended] = out[1]!['tool_calls'] as (typeof call)[];
  assert.equal(mended!.function.arguments, '{"\ufffd":1,"b":"x"}');
});
