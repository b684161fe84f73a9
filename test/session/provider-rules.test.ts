// Provider rules that only a session can keep: what stays over many requests, what a switch or a summary must not touch.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { FakeAnthropic } from '../conformance/fakes/anthropic.js';
import { checkRequest } from '../conformance/rules/check.js';
import { anthropicProfile } from '../conformance/rules/profile.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import { COMPACTION, compact, FakeSummariser, journal, open, prepare, S } from './condensing.js';

const CLEAR = 'nexus.memory.tool_result_clear';
const LONG = 'word '.repeat(600);
const EAGER = { [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 }, [COMPACTION]: { protect_recent: 2 } };

test('PV-A13 system messages inside the conversation outlive clearing and compaction, in place and verbatim', async () => {
  const model = 'claude-opus-4-8';
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [CLEAR, COMPACTION], { model, blocks: EAGER, curated: { cost_rule: 'off' } });
  const requests: Json[] = [];
  const order = { role: 'system', content: 'Never touch the lock file.' };
  const turns: Json[][] = [
    [user('go'), order],
    [...toolRound('a', 'read', {}, LONG), assistant(LONG), user('next')],
    [assistant(LONG), user('and then?')],
    [assistant('x'), user('end')],
  ];
  for (const append of turns) {
    const { request } = await prepare(d, append);
    assert.deepEqual(checkRequest(request, anthropicProfile(model), requests.slice(-1)), []);
    requests.push(request);
    await d.call('turn.end', { session: S });
  }
  await compact(d);
  const { request } = await prepare(d);
  assert.equal((await journal(d, 'memory.compacted')).length, 1);
  assert.deepEqual(checkRequest(request, anthropicProfile(model), requests.slice(-1)), []);
  assert.deepEqual(
    request.messages.filter((m: Json) => m.role === 'system'),
    [order],
  );
});

test('PV-C2 PV-A3 PV-R1 F32 a result that comes when a repair has answered its call goes in as text, once, and the session goes on', async () => {
  const formats: Record<string, { history: Json[]; late: Json }> = {
    anthropic: {
      history: [
        user('go'),
        {
          role: 'assistant',
          content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'one' }] },
      ],
      late: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: 'two' }] },
    },
    'openai-chat': {
      history: [
        user('go'),
        {
          role: 'assistant',
          content: null,
          tool_calls: ['a', 'b'].map((id) => ({
            id,
            type: 'function',
            function: { name: 'f', arguments: '{}' },
          })),
        },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
      ],
      late: { role: 'tool', tool_call_id: 'b', content: 'two' },
    },
    'openai-responses': {
      history: [
        user('go'),
        ...['a', 'b'].map((id) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })),
        { type: 'function_call_output', call_id: 'a', output: 'one' },
      ],
      late: { type: 'function_call_output', call_id: 'b', output: 'two' },
    },
  };
  for (const [format, { history, late }] of Object.entries(formats)) {
    const d = new BenchDaemon();
    const model = format === 'anthropic' ? 'claude-sonnet-4-5' : 'gpt-5.4';
    await d.call('session.open', { session: S, format, model });
    const sent = await d.call('llm.prepare', { session: S, append: history });
    // In a call of its own and within the next one: neither is the end of the session.
    await d.call('session.append', { session: S, messages: [late] });
    const next = await d.call('llm.prepare', { session: S, append: [late, user('on')] });
    const { messages } = next.request;
    assert.deepEqual(messages.slice(0, sent.request.messages.length), sent.request.messages, format);
    const rest = JSON.stringify(messages.slice(sent.request.messages.length));
    assert.equal(rest.split('two').length, 2, rest);
    assert.deepEqual(messages.at(-1), user('on'));
    assert.equal(next.cache.prefix_stable, true);
    const stored = await d.call('session.messages', { session: S });
    assert.equal(stored.messages.length, history.length + 3, 'nothing is lost');
    const repairs = (await journal(d, 'session.repaired')).map((e: Json) => e.tool_call_id);
    assert.ok(repairs.length >= 2, format);
  }
});

test('PV-A30 a switch of the model keeps every thinking block, there and back', async () => {
  const d = new BenchDaemon();
  const fake = new FakeAnthropic();
  await open(d, [CLEAR], { model: 'claude-opus-5-5' });
  const said = (answer: Json): Json => ({ role: 'assistant', content: answer.content });
  const ask = (request: Json, model: string): Json => {
    const r = fake.messages(JSON.stringify({ model, max_tokens: 9, ...request }));
    assert.equal(r.status, 200, JSON.stringify(r.body));
    return r.body;
  };
  const { request } = await prepare(d, [user('a')]);
  const thought = said(ask(request, 'claude-opus-5-5'));
  assert.equal(thought.content[0].type, 'thinking');
  await d.call('session.append', { session: S, messages: [thought] });
  for (const model of ['claude-sonnet-4-5', 'claude-opus-5-5']) {
    await d.call('session.open', { session: S, format: 'anthropic', model });
    const next = await prepare(d, [user(`on ${model}`)]);
    assert.deepEqual(next.request.messages[1], thought);
    const answer = ask(next.request, model);
    await d.call('session.append', { session: S, messages: [said(answer)] });
    await d.call('turn.end', { session: S });
  }
});

test('PV-A32 what is summarised holds no thinking, neither as blocks nor as text', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [COMPACTION], { model: 'claude-opus-4-6', blocks: EAGER });
  const thinking = { type: 'thinking', thinking: 'a secret line of thought', signature: 'sig' };
  await prepare(d, [
    user('go'),
    { role: 'assistant', content: [thinking, { type: 'text', text: `said aloud ${LONG}` }] },
    user('more'),
    assistant('yes'),
    user('last'),
  ]);
  await compact(d);
  assert.equal(fake.asked.length, 1);
  const asked = JSON.stringify(fake.asked);
  assert.ok(asked.includes('said aloud'));
  assert.ok(!asked.includes('secret line') && !asked.includes('"sig"'));
});

test('PV-A50 the reason that the provider gives for a cache miss is held against what we changed', async () => {
  const d = new BenchDaemon();
  await open(d, [CLEAR], { blocks: EAGER, curated: { cost_rule: 'off' } });
  const end = (reason: string) =>
    d.call('turn.end', { session: S, diagnostics: { cache_miss_reason: reason, missed_tokens: 700 } });
  await prepare(d, [user('go'), ...toolRound('a', 'read', {}, LONG)]);
  await d.call('session.append', { session: S, messages: [assistant('ok')] });
  await end('previous_message_not_found');
  await prepare(d, [user('next')]);
  await d.call('session.append', { session: S, messages: [assistant('ok')] });
  await end('messages_changed');
  await prepare(d, [user('again')]);
  await d.call('session.append', { session: S, messages: [assistant('ok')] });
  await end('model_changed');
  await prepare(d, [user('still')]);
  await end('messages_changed');
  const told = (await journal(d, 'memory.cache_miss')).map((e) => [e['reason'], e['changed'], e['agrees']]);
  assert.deepEqual(told, [
    ['previous_message_not_found', 'nothing', true],
    ['messages_changed', 'messages', true],
    ['model_changed', 'nothing', true],
    ['messages_changed', 'nothing', false],
  ]);
});

test('PV-R7 PV-R9 compaction items pass unchanged, and every request is the full input that a new socket needs', async () => {
  const d = new BenchDaemon();
  const format = 'openai-responses';
  await open(d, [CLEAR], { format, model: 'gpt-5.4', blocks: EAGER, curated: { cost_rule: 'off' } });
  const item = { type: 'compaction', id: 'c', encrypted_content: 'opaque==', x_unknown: 1 };
  const own: Json[] = [item, user('go')];
  for (let i = 0; i < 3; i += 1) {
    own.push(
      { type: 'function_call', call_id: `c${i}`, name: 'read', arguments: `{"i":${i}}` },
      { type: 'function_call_output', call_id: `c${i}`, output: LONG },
      { role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
      user('next'),
    );
  }
  const half = await prepare(d, own.slice(0, 6));
  await d.call('turn.end', { session: S });
  const { request } = await prepare(d, own.slice(6));
  assert.deepEqual(request.messages[0], item);
  assert.equal(request.messages.length, own.length);
  assert.equal(half.request.messages.length, 6);
  assert.equal(request.previous_response_id, undefined);
  assert.ok(
    JSON.stringify(request).includes('cleared=\\"true\\"') || JSON.stringify(request).includes('cleared='),
  );
});

test('PV-S9 reasoning_content passes as it came, whatever is cleared around it', async () => {
  const d = new BenchDaemon();
  await open(d, [CLEAR], {
    format: 'openai-chat',
    model: 'qwen3-local',
    blocks: EAGER,
    curated: { cost_rule: 'off', alternation: 'template', single_system: true },
  });
  const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } };
  const thought = { role: 'assistant', content: null, reasoning_content: 'let me look', tool_calls: [call] };
  const spoken = { role: 'assistant', content: 'done', reasoning_content: 'that was it' };
  await prepare(d, [user('go'), thought, { role: 'tool', tool_call_id: 'c', content: LONG }]);
  await d.call('session.append', { session: S, messages: [spoken] });
  await d.call('turn.end', { session: S });
  const { request } = await prepare(d, [user('next')]);
  assert.deepEqual(request.messages[1], thought);
  assert.deepEqual(request.messages[3], spoken);
  assert.notEqual(request.messages[2].content, LONG);
});

test('PV-S10 without usage the window and its reserve are as configured, and above zero', async () => {
  const d = new BenchDaemon();
  await assert.rejects(
    open(d, [], { format: 'openai-chat', model: 'local', context_window: 0 }),
    (e: unknown) => e instanceof CuratedError && e.kind === 'BAD_TYPE',
  );
  await open(d, ['nexus.gate.context_window'], {
    format: 'openai-chat',
    model: 'local',
    context_window: 8192,
    max_output_tokens: 4096,
  });
  const { tokens } = await prepare(d, [user('go')]);
  assert.equal(tokens.window, 8192);
  assert.equal(tokens.threshold, 4096);
  await d.call('session.append', { session: S, messages: [{ role: 'assistant', content: 'ok' }] });
  const ended = await d.call('turn.end', { session: S });
  assert.equal(ended.turn, 0);
  await prepare(d, [user('more')]);
  assert.equal((await journal(d, 'memory.diagnostic')).length, 0);
});

test('PV-X1 equal first words are no identity, and a history that parts from another is found where it does', async () => {
  const d = new BenchDaemon();
  for (const session of ['one', 'two']) {
    await d.call('session.open', { session, format: 'anthropic', model: 'claude-sonnet-4-5' });
    await d.call('llm.prepare', { session, append: [user('the same first words')] });
    await d.call('session.append', { session, messages: [assistant(session)] });
  }
  const one = await d.call('llm.prepare', { session: 'one', append: [user('and?')] });
  assert.ok(!JSON.stringify(one.request).includes('two'));
  const other = [user('the same first words'), assistant('something else'), user('and?')];
  const parted = await d.call('llm.prepare', { session: 'one', messages: other });
  assert.deepEqual(parted.request.messages, other);
  const { events } = await d.call('journal.read', { session: 'one' });
  const [found] = events.filter((e: Json) => e.type === 'session.diverged');
  assert.equal(found.index, 1);
  assert.equal(found.dropped_messages, 2);
});

test('PV-A23 PV-A22 no thinking of the loop that is open goes, of older turns all: also with thinking_turns 0', async () => {
  const d = new BenchDaemon();
  await open(d, [], {
    model: 'claude-sonnet-4-5',
    curated: { cost_rule: 'off', trigger: [{ tokens: 0 }], boundary: 'round', keep: { thinking_turns: 0 } },
  });
  const think = (round: Json[], n: number): Json[] => {
    round[0].content.unshift({ type: 'thinking', thinking: `thought ${n}`, signature: 'c2ln' });
    return round;
  };
  const old = think(toolRound('a', 'read', {}, 'A'), 1);
  const loop = [...think(toolRound('b', 'read', {}, 'B'), 2), ...think(toolRound('c', 'read', {}, 'C'), 3)];
  await d.call('session.append', { session: S, messages: [user('one'), ...old, assistant('done')] });
  await d.call('turn.end', { session: S });
  const { request } = await prepare(d, [user('two'), ...loop]);
  const left = request.messages
    .flatMap((m: Json) => (Array.isArray(m.content) ? m.content : []))
    .filter((b: Json) => b.type === 'thinking');
  assert.deepEqual(
    left.map((b: Json) => b.thinking),
    ['thought 2', 'thought 3'],
  );
  assert.deepEqual(checkRequest(request, anthropicProfile('claude-sonnet-4-5')), []);
});
