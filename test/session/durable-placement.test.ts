// The durable block in the request: where it stands, when it moves, what it leaves alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';

const S = 's1';
const NONE = { plugins: { active: [] } };

async function open(d: BenchDaemon, o: Json = {}): Promise<void> {
  await d.call('session.open', {
    session: S,
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    config: NONE,
    ...o,
  });
}

async function prepare(d: BenchDaemon, append?: Json[], more: Json = {}): Promise<Json> {
  return d.call('llm.prepare', { session: S, ...(append === undefined ? {} : { append }), ...more });
}

function copies(request: Json, needle = '<durable_state>'): number {
  return JSON.stringify(request).split(needle).length - 1;
}

test('NS-18 NS-21 the block is in every main request once, with every layer off', async () => {
  const d = new BenchDaemon();
  await open(d);
  const { block } = await d.call('durable.add_decision', { session: S, text: 'Use port 7443' });
  const first = await prepare(d, [user('go')]);
  assert.deepEqual(first.request.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'go' },
        { type: 'text', text: block },
      ],
    },
  ]);
  assert.equal(first.tokens.session, Math.ceil(block.length / 4));
  await d.call('turn.end', { session: S });
  const second = await prepare(d, [assistant('ok'), user('more')]);
  assert.deepEqual(second.request.messages[0], first.request.messages[0]);
  assert.equal(copies(second.request), 1);
  assert.equal(second.cache.prefix_stable, true);
  const replay = await d.call('journal.replay', { session: S });
  assert.equal(replay.identical, true);
});

test('NS-22 L5-4 the estimate holds the whole block, however short the message is that it stands in', async () => {
  for (const model of ['gpt-5.4', 'claude-sonnet-4-5']) {
    const d = new BenchDaemon();
    await open(d, { model, format: model.startsWith('gpt') ? 'openai-chat' : 'anthropic' });
    const { tokens } = await d.call('durable.set_manifest', {
      session: S,
      text: 'A fact of the case. '.repeat(200),
    });
    const plain = await prepare(d, [user('go')]);
    assert.ok(plain.tokens.estimated >= tokens, `${model}: ${plain.tokens.estimated} of ${tokens}`);
    assert.ok(plain.tokens.estimated < 1.5 * plain.tokens.curated);
  }
});

test('NS-22 a changed block goes to the newest turn, the sent copy stays where it is', async () => {
  const d = new BenchDaemon();
  await open(d);
  await d.call('durable.set_manifest', { session: S, text: 'one' });
  const a = await prepare(d, [user('go')]);
  await d.call('durable.set_manifest', { session: S, text: 'two' });
  const b = await prepare(d, toolRound('t1', 'read', {}, 'body'));
  assert.deepEqual(b.request.messages[0], a.request.messages[0]);
  const last = b.request.messages.at(-1).content;
  assert.equal(last[0].type, 'tool_result');
  assert.match(last[1].text, /two/);
  assert.equal(b.cache.prefix_stable, true);
});

test('NS-22 a copy that no request carried is taken back at once', async () => {
  const d = new BenchDaemon();
  await open(d);
  await d.call('durable.set_manifest', { session: S, text: 'one' });
  const sent = await prepare(d, [user('go')]);
  await d.call('durable.set_manifest', { session: S, text: 'two' });
  const retry = await prepare(d);
  // The newest message was sent: a message of ours follows it, nothing sent changes.
  assert.deepEqual(retry.request.messages[0], sent.request.messages[0]);
  assert.equal(retry.request.messages.length, 2);
  assert.equal(retry.request.messages[1].role, 'user');
});

test('NS-22 superseded copies go with the next paid edit', async () => {
  const d = new BenchDaemon();
  await open(d, {
    config: {
      plugins: {
        active: ['nexus.memory.tool_result_clear'],
        'nexus.memory.tool_result_clear': { age_turns: 1, size_bytes_threshold: 10 },
      },
      curated: { cost_rule: 'off' },
    },
  });
  await prepare(d, [user('go'), ...toolRound('t1', 'read', { p: 1 }, 'x'.repeat(4000))]);
  await d.call('durable.set_manifest', { session: S, text: 'one' });
  await prepare(d, [assistant('a'), user('b')]);
  await d.call('durable.set_manifest', { session: S, text: 'two' });
  const before = await prepare(d, [assistant('c'), user('d')]);
  assert.equal(copies(before.request), 2);
  await d.call('turn.end', { session: S });
  const after = await prepare(d, [assistant('e'), user('f')]);
  assert.equal(copies(after.request), 1);
  assert.equal(copies(after.request, 'two'), 1);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('NS-22 openai-chat: behind a tool result stands a message of ours, a user text grows at its end', async () => {
  const d = new BenchDaemon();
  await open(d, { format: 'openai-chat', model: 'gpt-4o' });
  await d.call('durable.add_decision', { session: S, text: 'keep it' });
  const first = await prepare(d, [user('go')]);
  assert.match(first.request.messages[0].content, /^go\n\n<durable_state>/);
  await d.call('durable.add_decision', { session: S, text: 'and this' });
  const call = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  };
  const second = await prepare(d, [call, { role: 'tool', tool_call_id: 'c1', content: 'out' }]);
  assert.equal(second.request.messages.at(-1).role, 'user');
  assert.match(second.request.messages.at(-1).content, /and this/);
  const third = await prepare(d, [{ role: 'assistant', content: 'done' }, user('next')]);
  assert.deepEqual(
    third.request.messages.map((m: Json) => m.role),
    ['user', 'assistant', 'tool', 'user', 'assistant', 'user'],
  );
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('NS-22 strict alternation: a changed block is edited in, announced with the message it changes', async () => {
  const d = new BenchDaemon();
  await open(d, {
    format: 'openai-chat',
    model: 'local',
    config: { ...NONE, curated: { alternation: 'strict' } },
  });
  await d.call('durable.set_manifest', { session: S, text: 'one' });
  await prepare(d, [user('go')]);
  await d.call('durable.set_manifest', { session: S, text: 'two' });
  const retry = await prepare(d);
  assert.equal(retry.request.messages.length, 1);
  assert.equal(retry.curated.length, 1);
  assert.equal(retry.curated[0].cache_invalidates, true);
  assert.equal(retry.curated[0].first_message, 0);
});

test('NS-25 PROTOCOL 4: without durable state, and with preset off, the request is what was stored', async () => {
  for (const preset of ['off', 'conservative', 'observe']) {
    const d = new BenchDaemon();
    await open(d, { preset, config: {} });
    if (preset !== 'conservative') await d.call('durable.add_decision', { session: S, text: 'x' });
    const out = await prepare(d, [user('go')]);
    assert.deepEqual(out.request.messages, [user('go')]);
  }
});

test('NS-22 the patch carries the block, also behind the last message', async () => {
  const d = new BenchDaemon();
  await open(d, { format: 'openai-chat', model: 'gpt-4o' });
  await prepare(d, [user('go')]);
  await d.call('durable.set_manifest', { session: S, text: 'one' });
  const out = await prepare(d, undefined, { return: 'patch' });
  assert.equal(out.patch.ops.at(-1).op, 'add');
  assert.equal(out.patch.ops.at(-1).path, '/messages/1');
});

test('NS-18 NS-22 whatever changes when, the newest block is there once and sent bytes stand', async () => {
  const step = fc.oneof(
    fc.record({ k: fc.constant('decide'), n: fc.nat(5) }),
    fc.record({ k: fc.constant('user'), n: fc.nat(5) }),
    fc.record({ k: fc.constant('tool'), n: fc.nat(5) }),
    fc.record({ k: fc.constant('again'), n: fc.nat(5) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const d = new BenchDaemon();
      await open(d);
      let last = (await prepare(d, [user('start')])).request.messages;
      let id = 0;
      for (const { k, n } of steps) {
        if (k === 'decide') {
          await d.call('durable.set_manifest', { session: S, text: `state ${n}` });
          continue;
        }
        const append =
          k === 'user'
            ? [assistant('a'), user(`u${n}`)]
            : k === 'tool'
              ? toolRound(`t${++id}`, 'read', {}, 'body')
              : undefined;
        const out = await prepare(d, append);
        assert.deepEqual(out.request.messages.slice(0, last.length), last);
        last = out.request.messages;
        const { block } = await d.call('durable.get', { session: S });
        if (block !== '') assert.ok(JSON.stringify(last).includes(JSON.stringify(block).slice(1, -1)));
      }
      assert.equal((await d.call('journal.replay', { session: S })).identical, true);
    }),
    { numRuns: 40 },
  );
});

test('NS-18 the block is there once where the host has the model go on in words of its own, if the user turn before is new', async () => {
  for (const [format, model, words] of [
    ['anthropic', 'claude-sonnet-4-5', assistant('I will')],
    ['openai-chat', 'gpt-5', { role: 'assistant', content: 'I will' }],
    [
      'openai-responses',
      'gpt-5',
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will' }] },
    ],
  ] as [string, string, Json][]) {
    const d = new BenchDaemon();
    await open(d, { format, model });
    await d.call('durable.set_manifest', { session: S, text: 'state 1' });
    const first = (await prepare(d, [user('go'), words])).request.messages;
    assert.equal(copies(first), 1, format);
    assert.ok(JSON.stringify(first[0]).includes('state 1'));
    assert.deepEqual(first.at(-1), words);
    // What was sent stays as it was: a change waits for a place behind it.
    await d.call('durable.set_manifest', { session: S, text: 'state 2' });
    assert.deepEqual((await prepare(d)).request.messages, first);
    const next = (await prepare(d, [user('and'), words])).request.messages;
    assert.deepEqual(next.slice(0, 2), first);
    assert.ok(JSON.stringify(next[2]).includes('state 2'));
    assert.ok((await d.call('journal.replay', { session: S })).identical);
  }
});

test('NS-22 PV-A25 words of the model that hold bound thinking keep the user turn before them as it was', async () => {
  const d = new BenchDaemon();
  await open(d, { model: 'claude-opus-5-5' });
  await d.call('durable.set_manifest', { session: S, text: 'state 1' });
  const thought = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'so', signature: 'abc' },
      { type: 'tool_use', id: 'c1', name: 'read', input: {} },
    ],
  };
  const { messages } = (await prepare(d, [user('go'), thought], { pending: ['c1'] })).request;
  assert.deepEqual(messages[0], user('go'));
});

test('NS-22 PV-A12 where the operator speaks last, the block stands in the user turn before, and what was sent stays', async () => {
  const order = { role: 'system', content: 'order' };
  for (const before of [[user('go')], [user('go'), ...toolRound('t1', 'read', {}, 'ok')]]) {
    const d = new BenchDaemon();
    await open(d, { model: 'claude-opus-4-8' });
    await d.call('durable.add_decision', { session: S, text: 'Use port 7443' });
    const first = await prepare(d, [...before, order]);
    assert.deepEqual(first.request.messages.at(-1), order);
    assert.match(JSON.stringify(first.request.messages.at(-2)), /Use port 7443/);
    // All that could take the block has been sent: the next request has the place.
    await d.call('durable.add_decision', { session: S, text: 'Keep it small' });
    const again = await prepare(d);
    assert.deepEqual(again.request.messages, first.request.messages);
    const next = await prepare(d, [assistant('done'), user('on'), order]);
    assert.match(JSON.stringify(next.request.messages.at(-2)), /Keep it small/);
    assert.equal(next.cache.prefix_stable, true);
    assert.equal((await d.call('journal.replay', { session: S })).identical, true);
  }
});

test('NS-22 PV-S1 strict alternation: behind a result that comes late as the user’s text the block makes no second user turn', async () => {
  const d = new BenchDaemon();
  const config = { ...NONE, curated: { alternation: 'strict' } };
  await open(d, { format: 'openai-chat', model: 'gemma-3-9b', config });
  const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }));
  const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: `out of ${id}` });
  const round = [user('go'), { role: 'assistant', content: null, tool_calls: calls }, tool('a')];
  await prepare(d, round, { pending: ['b'] });
  await d.call('durable.add_decision', { session: S, text: 'Use port 7443' });
  const { request } = await prepare(d, [{ role: 'assistant', content: 'meanwhile' }, tool('b')]);
  const roles = request.messages.map((m: Json) => m.role);
  assert.deepEqual(roles, ['user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
  assert.match(JSON.stringify(request.messages), /out of b/);
  assert.equal(copies(request, 'Use port 7443'), 1);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('NS-22 PV-A25 a superseded block stays where bound thinking stands behind it, whatever goes before it', async () => {
  const d = new BenchDaemon();
  const curated = { keep: { thinking_turns: 1 }, cost_rule: 'off', boundary: 'turn' };
  await open(d, { model: 'claude-opus-5-5', config: { ...NONE, curated } });
  const thought = (n: number) => ({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'long '.repeat(400), signature: `s${n}` },
      { type: 'text', text: `answer ${n}` },
    ],
  });
  const seen = new Map<string, string>();
  let history: Json[] = [user('question 0')];
  for (let n = 0; n < 6; n += 1) {
    await d.call('durable.set_todos', { session: S, items: [`item ${n}`] });
    const { request } = await prepare(d, history);
    const bare = request.messages.map((m: Json) =>
      Array.isArray(m.content) ? m.content.filter((b: Json) => b.type !== 'thinking') : m.content,
    );
    // What each thought was produced behind, thinking aside, is what stands before it now (PV-A25).
    for (const [at, m] of request.messages.entries())
      for (const b of Array.isArray(m.content) ? m.content : [])
        if (b.type === 'thinking')
          assert.equal(JSON.stringify(bare.slice(0, at)), seen.get(b.signature), `${n} ${b.signature}`);
    seen.set(`s${n}`, JSON.stringify(bare));
    await d.call('session.append', { session: S, messages: [thought(n)] });
    await d.call('turn.end', { session: S });
    history = [user(`question ${n + 1}`)];
  }
});

test('NS-22 PV-A12 where a summary takes the user turn between two of the operator’s messages, the block stands before both', async () => {
  const d = new BenchDaemon();
  const plugins = { active: ['nexus.memory.compaction', 'nexus.gate.context_window'] };
  await open(d, {
    model: 'claude-opus-4-8',
    context_window: 4000,
    max_output_tokens: 500,
    config: { plugins },
  });
  const order = (content: string) => ({ role: 'system', content });
  await prepare(d, [user('go'), order('one')]);
  await d.call('session.append', { session: S, messages: [assistant('done')] });
  await d.call('turn.end', { session: S, final: true });
  await d.call('durable.add_decision', { session: S, text: 'Use port 7443' });
  const { request } = await prepare(d, [user(`on ${'word '.repeat(3900)}`), order('two')]);
  const roles = request.messages.map((m: Json) => m.role);
  assert.deepEqual(roles.slice(-2), ['system', 'system']);
  assert.ok(
    roles.slice(0, -2).every((role: string) => role === 'user'),
    roles.join(),
  );
  assert.equal(copies(request, 'Use port 7443'), 1);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});
