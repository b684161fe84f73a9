// llm.prepare: what comes back, what it costs, and what happens when it fails.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { applyPatch } from '../../src/client/index.js';
import { CuratedError } from '../../src/errors.js';
import { canonicalize } from '../../src/json/index.js';
import { assistant, BenchDaemon, clearing, type Json, toolRound, user } from './bench-daemon.js';

const OPEN = { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5' };
const BODY = 'y'.repeat(1000);

function hashOf(request: Json): string {
  return `sha256:${createHash('sha256')
    .update(canonicalize(JSON.stringify(request)))
    .digest('hex')}`;
}

test('P-5 NS-25 with every layer off the view is what was given, byte for byte, spelling included', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, preset: 'off' });
  const exact =
    '{"role":"user","content":[{"type":"text","text":"a","x":1.0,"9":9007199254740993,"1":-0.0e2}]}';
  const caller = d.caller;
  const { HANDLERS } = await import('../../src/service/handlers.js');
  const { codecFor } = await import('../../src/protocol/index.js');
  const frame = `{"jsonrpc":"2.0","id":1,"method":"llm.prepare","params":{"session":"s","append":[ ${exact} ]}}`;
  const incoming = codecFor('curated.v1.json').decode(frame);
  assert.equal(incoming.kind, 'request');
  const result = (await HANDLERS['llm.prepare']!(caller, (incoming as Json).params, d.rooms)) as Json;
  assert.equal(result.request.text, `{"messages":[${exact}]}`);
});

test('the hash is that of the canonical request, and grows with it message by message', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', {
    ...OPEN,
    system: 'be brief',
    tools: [{ name: 'read', input_schema: { type: 'object' } }],
    config: clearing({ age_turns: 1, size_bytes_threshold: 50 }),
  });
  for (let i = 0; i < 150; i += 1) {
    const append =
      i % 2 === 0 ? [user(`q${i}`)] : [...toolRound(`t${i}`, 'read', { i }, BODY + i), assistant('ok')];
    const r = await d.call('llm.prepare', { session: 's', append });
    assert.equal(r.hash, hashOf(r.request), `request ${i}`);
    if (i % 2 === 1) await d.call('turn.end', { session: 's' });
  }
  const replayed = await d.call('journal.replay', { session: 's' });
  assert.deepEqual(replayed, { requests: 150, identical: true, mismatches: [] });
});

test('return: patch turns what the agent holds into the curated request', async () => {
  for (const format of ['anthropic', 'openai-chat']) {
    const d = new BenchDaemon();
    await d.call('session.open', {
      ...OPEN,
      format,
      system: 'be brief',
      config: clearing({ age_turns: 1, size_bytes_threshold: 50 }),
    });
    const own: Json = { system: 'be brief', messages: [] };
    for (let i = 0; i < 6; i += 1) {
      const round: Json[] =
        format === 'anthropic'
          ? toolRound(`t${i}`, 'read', { i }, BODY)
          : [
              {
                role: 'assistant',
                content: null,
                tool_calls: [
                  { id: `t${i}`, type: 'function', function: { name: 'read', arguments: `{"i":${i}}` } },
                ],
              },
              { role: 'tool', tool_call_id: `t${i}`, content: BODY },
            ];
      const append = [
        user(`q${i}`),
        ...round,
        format === 'anthropic' ? assistant('ok') : { role: 'assistant', content: 'ok' },
      ];
      own.messages.push(...append);
      const r = await d.call('llm.prepare', { session: 's', append, return: 'patch' });
      assert.equal(r.request, undefined);
      assert.equal(r.patch.base_messages, own.messages.length);
      assert.equal(hashOf(applyPatch(structuredClone(own), r.patch.ops)), r.hash, `${format} ${i}`);
      await d.call('turn.end', { session: 's' });
    }
  }
});

test('P-6 exempt kinds pass through, journalled, and move no counter', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, config: clearing({ age_turns: 1, size_bytes_threshold: 50 }) });
  await d.call('llm.prepare', { session: 's', append: [user('go')] });
  await d.call('llm.prepare', { session: 's', append: toolRound('a', 'read', { p: 1 }, BODY) });
  const before = await d.call('session.state', { session: 's' });
  for (const task_kind of [
    'plan',
    'classify',
    'summarise',
    'summarize',
    'compact',
    'compaction',
    'subagent',
    'delegate',
    'fanout_judge',
    'hitl_synthesize',
    'rag_contextualize',
  ]) {
    const messages = [user(`inner ${task_kind}`)];
    const r = await d.call('llm.prepare', { session: 's', task_kind, messages, system: 'other' });
    assert.deepEqual(r.request, { system: 'other', messages });
    assert.equal(r.hash, hashOf(r.request));
    // Of what goes out, not of the session.
    const { tokens } = await d.call('tokens.count', { messages, system: 'other' });
    assert.deepEqual([r.tokens.raw, r.tokens.curated], [tokens, tokens]);
  }
  const after = await d.call('session.state', { session: 's' });
  assert.equal(after.messages, before.messages);
  assert.equal(after.turn, before.turn);
  for (const task_kind of ['no such kind', 'no such kind', 'Plan', 'no such kind', 'Plan'])
    await d.call('llm.prepare', { session: 's', task_kind });
  assert.equal(d.notices.length, 2, 'each unknown kind is told once, not at every call');
  for (let i = 0; i < 40; i += 1) await d.call('llm.prepare', { session: 's', task_kind: `made up ${i}` });
  assert.ok(d.notices.length <= 16, 'a host that makes up one a call does not fill the log');
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('P-6 P-4 an exempt request of openai-chat has its system prompt as the first message, in full and as a patch', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, format: 'openai-chat', model: 'gpt-5.4' });
  const own = { system: 'Judge it.', messages: [user('this')] };
  const ask = { session: 's', task_kind: 'classify', ...own };
  const { request, hash } = await d.call('llm.prepare', ask);
  assert.deepEqual(request, { messages: [{ role: 'system', content: own.system }, ...own.messages] });
  const { patch, hash: again } = await d.call('llm.prepare', { ...ask, return: 'patch' });
  assert.equal(again, hash);
  assert.equal(hashOf(applyPatch(structuredClone(own), patch.ops)), hash);
});

test('P-4 the system prompt is static in the account, given at open or as a message', async () => {
  const d = new BenchDaemon();
  const system = 'You are careful. '.repeat(20);
  const open = { ...OPEN, format: 'openai-chat', model: 'gpt-5.4' };
  await d.call('session.open', { ...open, session: 'as message' });
  const messages = [{ role: 'system', content: system }, user('go')];
  const { tokens } = await d.call('llm.prepare', { session: 'as message', messages });
  assert.ok(tokens.static > 50 && tokens.volatile < 20, JSON.stringify(tokens));
  assert.equal(tokens.static + tokens.session + tokens.volatile, tokens.curated);
  const state = await d.call('session.state', { session: 'as message' });
  assert.deepEqual(state.tokens, {
    static: tokens.static,
    session: 0,
    volatile: tokens.volatile,
    total: tokens.curated,
  });
  await d.call('session.open', { ...open, session: 'at open', system });
  const other = await d.call('llm.prepare', { session: 'at open', append: [user('go')] });
  assert.ok(Math.abs(other.tokens.static - tokens.static) <= 4);
});

test('P-4 what is static in the account stays so when the view is built anew from near its head', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', {
    ...OPEN,
    format: 'openai-chat',
    model: 'gpt-5.4',
    config: clearing({ age_turns: 1, drop_strategy: 'full_drop' }),
  });
  const call = { id: 'c', type: 'function', function: { name: 'sh', arguments: '{}' } };
  const first = [
    { role: 'system', content: 'You are careful. '.repeat(50) },
    user('go'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: BODY },
  ];
  const words = Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? assistant(`a${i}`) : user(`u${i}`)));
  const before = await d.call('llm.prepare', { session: 's', append: [...first, ...words] });
  await d.call('turn.end', { session: 's' });
  const after = await d.call('llm.prepare', { session: 's', append: [assistant('ok'), user('on')] });
  assert.equal(after.request.messages.length, before.request.messages.length, 'call and result have gone');
  assert.equal(after.tokens.static, before.tokens.static);
  assert.ok(after.tokens.volatile > 0 && after.tokens.volatile < before.tokens.volatile);
});

test('P-4 PV-C7 an edited system prompt at the head of a resent history is the new one, not a second beside the old', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, format: 'openai-chat', model: 'gpt-5.4', system: 'One.' });
  const system = (content: unknown): Json => ({ role: 'system', content });
  const history = [user('go'), { role: 'assistant', content: 'ok' }, user('on')];
  const send = async (...messages: Json[]) =>
    (await d.call('llm.prepare', { session: 's', messages })).request.messages;
  assert.deepEqual(await send(system('One.'), history[0]!), [system('One.'), history[0]]);
  // The same as a list of parts.
  const parts = [{ type: 'text', text: 'One.' }];
  assert.deepEqual(await send(system(parts), ...history), [system('One.'), ...history]);
  assert.deepEqual(await send(system('Two.'), ...history), [system('Two.'), ...history]);
  assert.deepEqual(await send(system('Two.'), ...history), [system('Two.'), ...history]);
  const { events } = await d.call('journal.read', { session: 's' });
  assert.equal(events.filter((e: Json) => e.type === 'session.diverged').length, 0);
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('F32 a call that cannot be sent changes nothing: the history is as it was before', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  await d.call('llm.prepare', { session: 's', append: [user('go')] });
  const before = await d.journalled();
  const open = { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'read', input: {} }] };
  await assert.rejects(
    d.call('llm.prepare', { session: 's', append: [open] }),
    (e: unknown) => e instanceof CuratedError && e.kind === 'PAIRING',
  );
  assert.deepEqual(await d.journalled(), before);
  const ok = await d.call('llm.prepare', {
    session: 's',
    append: [open, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'r' }] }],
  });
  assert.equal(ok.request.messages.length, 3);
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('F32 a result without its call is mended before it is sent, and the mend is journalled', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  const orphan = {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'ghost', content: 'boo' },
      { type: 'text', text: 'and go on' },
    ],
  };
  const { request } = await d.call('llm.prepare', {
    session: 's',
    append: [user('hi'), assistant('yes'), orphan],
  });
  assert.ok(!JSON.stringify(request).includes('"tool_result"'));
  assert.ok(JSON.stringify(request).includes('and go on'));
  const { events } = await d.call('journal.read', { session: 's' });
  assert.ok(events.some((e: Json) => e.type === 'session.repaired'));
  const stored = await d.call('session.messages', { session: 's' });
  assert.deepEqual(stored.messages[2].message, orphan, 'the stored history stays as it came');
});

test('preset off sends what was stored, also where it is invalid, and says so', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, preset: 'off' });
  const orphan = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'ghost', content: 'boo' }] };
  const r = await d.call('llm.prepare', { session: 's', append: [user('hi'), assistant('yes'), orphan] });
  assert.deepEqual(r.request.messages[2], orphan);
  assert.ok(r.violations.some((v: Json) => v.rule === 'PV-A2'));
});

test('observe tells what would have been done, marked, and changes nothing', async () => {
  const d = new BenchDaemon();
  const config = clearing({ age_turns: 1, size_bytes_threshold: 50 }, { observe: true });
  await d.call('session.open', { ...OPEN, config });
  await d.call('llm.prepare', { session: 's', append: [user('go')] });
  await d.call('llm.prepare', { session: 's', append: toolRound('a', 'read', { p: 1 }, BODY) });
  await d.call('session.append', { session: 's', messages: [assistant('done')] });
  const ended = await d.call('turn.end', { session: 's' });
  assert.deepEqual(
    ended.decisions.map((e: Json) => [e.type, e.observed]),
    [
      ['memory.tool_result_cleared', true],
      ['memory.curated', true],
    ],
  );
  const again = await d.call('turn.end', { session: 's' });
  assert.deepEqual(again.decisions, [], 'what was observed once is not observed again');
  const { request } = await d.call('llm.prepare', { session: 's', append: [user('next')] });
  assert.ok(JSON.stringify(request).includes(BODY));
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('F29 messages of one turn are taken up to the limit, then LIMIT', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  const hundred = Array.from({ length: 100 }, (_, i) => user(`m${i}`));
  for (let i = 0; i < 100; i += 1) await d.call('session.append', { session: 's', messages: hundred });
  await assert.rejects(
    d.call('session.append', { session: 's', messages: [user('one more')] }),
    (e: unknown) => e instanceof CuratedError && e.kind === 'LIMIT',
  );
  await assert.rejects(
    d.call('session.append', { session: 's', messages: [...hundred, user('x')] }),
    (e: unknown) => e instanceof CuratedError && e.kind === 'LIMIT',
  );
});

test('PV-A47 implausible usage is refused and said so; plausible usage moves the estimate', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  const { tokens } = await d.call('llm.prepare', { session: 's', append: [user('w'.repeat(40_000))] });
  await d.call('turn.end', {
    session: 's',
    usage: { input_tokens: 90_000_000, output_tokens: 1 },
    final: false,
  });
  const { events } = await d.call('journal.read', { session: 's' });
  assert.ok(events.some((e: Json) => e.type === 'memory.diagnostic' && e.what === 'usage_refused'));
  await d.call('turn.end', { session: 's', usage: { input_tokens: 14_000, output_tokens: 5 } });
  const after = await d.call('llm.prepare', { session: 's', append: [assistant('a'), user('b')] });
  assert.notEqual(after.tokens.estimated, tokens.estimated);
  assert.ok(Math.abs(after.tokens.estimated - 14_000) < 300, `${after.tokens.estimated}`);
});

test('a turn counts what it added, not what the history weighs', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, context_window: 1_000_000 });
  const spent: number[] = [];
  for (let i = 0; i < 400; i += 1) {
    const before = d.counted;
    await d.call('llm.prepare', {
      session: 's',
      append: [i % 2 ? assistant(`a${i}`) : user(`u${i}`)],
      return: 'patch',
    });
    spent.push(d.counted - before);
  }
  assert.deepEqual([...new Set(spent)], [1]);
});

test('L5-4 the count of a request covers system, tools, call arguments and images, not text alone', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', OPEN);
  const bare = await d.call('llm.prepare', { session: 's', append: [user('x')] });
  await d.call('session.open', {
    ...OPEN,
    session: 't',
    system: 'y'.repeat(400),
    tools: [{ name: 'read', description: 'z'.repeat(400), input_schema: { type: 'object' } }],
  });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(40) } };
  const full = await d.call('llm.prepare', {
    session: 't',
    append: [
      { role: 'user', content: [{ type: 'text', text: 'x' }, image] },
      ...toolRound('a', 'read', { path: 'w'.repeat(400) }, 'ok'),
    ],
  });
  // 100 tokens each for the system, the description and the arguments, and more than 1,000 for a picture of unknown size.
  assert.ok(
    full.tokens.curated - bare.tokens.curated > 1_300,
    `${full.tokens.curated} and ${bare.tokens.curated}`,
  );
  assert.ok(full.tokens.static > 200);
});

test('PV-A44 a call that only warms the cache says max_tokens 0: the same request, with no room kept for an answer', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, system: 'be brief' });
  const asked = await d.call('llm.prepare', { session: 's', append: [user('hello')], max_tokens: 8000 });
  const warm = await d.call('llm.prepare', { session: 's', max_tokens: 0 });
  assert.equal(warm.hash, asked.hash);
  assert.ok(warm.tokens.threshold > asked.tokens.threshold);
  await assert.rejects(d.call('llm.prepare', { session: 's', max_tokens: -1 }), { kind: 'BAD_TYPE' });
});
