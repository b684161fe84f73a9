// The fake providers refuse what the real ones refuse, and their caches behave as PROVIDERS.md says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answer, assistant, call, history, text, user } from './build.js';
import { FakeAnthropic } from './fakes/anthropic.js';
import { bill } from './fakes/bill.js';
import { serveFakes } from './fakes/http.js';
import { FakeOpenAi } from './fakes/openai.js';
import type { FakeReply } from './fakes/reply.js';
import type { Obj } from './types.js';

const AF = 'claude-sonnet-4-5';
const AB = 'claude-opus-5-5';
const BETA = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
/** 1,200 tokens of the fakes' tokenizer. */
const BIG = 'x'.repeat(4800);
const mark = (b: Obj, ttl?: string): Obj => ({
  ...b,
  cache_control: { type: 'ephemeral', ...(ttl ? { ttl } : {}) },
});
const ask = (messages: Obj[], more: Obj = {}): string =>
  JSON.stringify({ model: AF, max_tokens: 64, messages, ...more });

function usage(r: FakeReply): Obj {
  assert.equal(r.status, 200, JSON.stringify(r.body));
  return r.body['usage'] as Obj;
}

function contentOf(r: FakeReply): Obj[] {
  assert.equal(r.status, 200, JSON.stringify(r.body));
  return r.body['content'] as Obj[];
}

function clocked<T>(make: (now: () => number) => T): { fake: T; advance: (sec: number) => void } {
  let t = 1_000_000;
  return {
    fake: make(() => t),
    advance: (sec) => {
      t += sec * 1000;
    },
  };
}

test('PV-A1 fake refuses a call without its result, with the real error shape', () => {
  const fake = new FakeAnthropic();
  const r = fake.messages(ask([user('a'), assistant([call('1')]), user('b')]));
  assert.equal(r.status, 400);
  assert.equal(r.rule, 'PV-A1');
  assert.deepEqual(Object.keys(r.body), ['type', 'error', 'request_id']);
  assert.match(JSON.stringify(r.body), /messages\.1\.content\.0: tool_use 1 without tool_result right after/);
  assert.equal(fake.messages(ask(history())).status, 200);
});

test('PV-A18 fake refuses a body that is not JSON', () => {
  assert.equal(new FakeAnthropic().messages('{').status, 400);
  assert.equal(
    new FakeAnthropic().messages(`{"model":"${AF}","messages":[{"role":"user","content":"\\ud83d"}]}`).rule,
    'PV-A18',
  );
});

test('PV-A38 fake refuses a fifth cache mark', () => {
  const blocks = Array.from({ length: 5 }, (_, i) => mark(text(`t${i}`)));
  const r = new FakeAnthropic().messages(ask([user(blocks)]));
  assert.match(JSON.stringify(r.body), /a maximum of 4 blocks with cache_control may be provided, found 5/);
});

test('PV-A47 fake usage is additive: uncached + written + read is the prompt', () => {
  const fake = new FakeAnthropic();
  const body = ask([user([mark(text(BIG)), text('tail')])]);
  const first = usage(fake.messages(body));
  const second = usage(fake.messages(body));
  assert.equal(first['cache_creation_input_tokens'], 1200);
  assert.equal(first['cache_read_input_tokens'], 0);
  assert.equal(second['cache_read_input_tokens'], 1200);
  assert.equal(second['cache_creation_input_tokens'], 0);
  assert.equal(second['input_tokens'], first['input_tokens']);
  const count = fake.countTokens(body);
  assert.equal(count.body['input_tokens'], 1200 + Number(first['input_tokens']));
});

test('PV-A44 fake cache: a read renews the time to live, silence ends it, 1h marks live longer', () => {
  const { fake, advance } = clocked((now) => new FakeAnthropic({ now }));
  const body = ask([user([mark(text(BIG))])]);
  const read = (b: string) => Number(usage(fake.messages(b))['cache_read_input_tokens']);
  assert.equal(read(body), 0);
  advance(290);
  assert.equal(read(body), 1200);
  advance(290);
  assert.equal(read(body), 1200);
  advance(301);
  assert.equal(read(body), 0);
  const hour = ask([user([mark(text(`h${BIG}`), '1h')])]);
  const written = usage(fake.messages(hour))['cache_creation'] as Obj;
  assert.ok(Number(written['ephemeral_1h_input_tokens']) > 1200);
  advance(3000);
  assert.ok(read(hour) > 1200);
});

test('PV-A43 fake cache: below the minimum nothing is cached and nothing is refused', () => {
  const fake = new FakeAnthropic();
  const body = ask([user([mark(text('small'))])]);
  for (let i = 0; i < 2; i++) {
    const u = usage(fake.messages(body));
    assert.equal(u['cache_creation_input_tokens'], 0);
    assert.equal(u['cache_read_input_tokens'], 0);
  }
});

test('PV-A41 fake cache: marks may move, a changed tool list loses everything', () => {
  const fake = new FakeAnthropic();
  const tools = [{ name: 'a', input_schema: { type: 'object' } }];
  const one = [user([mark(text(BIG))])];
  const two = [user([text(BIG)]), assistant([text('ok')]), user([mark(text('next'))])];
  usage(fake.messages(ask(one, { tools })));
  assert.ok(Number(usage(fake.messages(ask(two, { tools })))['cache_read_input_tokens']) >= 1200);
  const other = [{ ...tools[0], description: 'changed' }];
  assert.equal(usage(fake.messages(ask(two, { tools: other })))['cache_read_input_tokens'], 0);
});

test('PV-A42 fake cache: a read looks back 20 positions, a run of parallel results is one position', () => {
  const read = (blocks: Obj[]) => {
    const fake = new FakeAnthropic();
    usage(fake.messages(ask([user([mark(text(BIG))])])));
    return Number(
      usage(fake.messages(ask([user([text(BIG), ...blocks, mark(text('end'))])])))['cache_read_input_tokens'],
    );
  };
  const fill = (n: number) => Array.from({ length: n }, (_, i) => text(`b${i}`));
  assert.equal(read(fill(18)), 1200);
  assert.equal(read(fill(19)), 0);
  const fake = new FakeAnthropic();
  const ids = Array.from({ length: 30 }, (_, i) => `c${i}`);
  const start = [user([mark(text(BIG))])];
  usage(fake.messages(ask(start)));
  const grown = [
    user([text(BIG)]),
    assistant(ids.map((id) => call(id))),
    user([...ids.map((id) => answer(id)), mark(text('end'))]),
  ];
  assert.equal(usage(fake.messages(ask(grown)))['cache_read_input_tokens'], 1200);
});

test('PV-A25 fake binds thinking: an edited history is refused at the first failing block', () => {
  const fake = new FakeAnthropic({ answer: () => ({ content: [call('1')], stop_reason: 'tool_use' }) });
  const start = [user('a')];
  const first = contentOf(fake.messages(ask(start, { model: AB })));
  assert.equal(first[0]?.['type'], 'thinking');
  const grown = [...start, assistant(first), user([answer('1', 'long body')])];
  const second = contentOf(fake.messages(ask(grown, { model: AB })));
  const more = [...grown, assistant([second[0]!, text('x')]), user('b')];
  assert.equal(fake.messages(ask(more, { model: AB })).status, 200);
  const edited = structuredClone(more);
  edited[2] = user([answer('1', 'cleared')]);
  const r = fake.messages(ask(edited, { model: AB }));
  assert.equal(r.rule, 'PV-A25');
  assert.match(JSON.stringify(r.body), /messages\.3\.content\.0: Invalid signature/);
  assert.equal(fake.countTokens(ask(edited, { model: AB })).rule, 'PV-A25');
  const forged = structuredClone(more);
  forged[1] = assistant([{ ...first[0]!, signature: 'forged' }, call('1')]);
  assert.equal(fake.messages(ask(forged, { model: AB })).rule, 'PV-A22');
});

test('PV-A26 fake binds thinking: a run from the start may go, a gap and a return may not', () => {
  const fake = new FakeAnthropic();
  const list: Obj[] = [user('a')];
  for (let i = 0; i < 3; i++) {
    const content = contentOf(fake.messages(ask(list, { model: AB })));
    list.push(assistant(content), user(`next ${i}`));
  }
  const strip = (...at: number[]) =>
    list.map((m, i) => (at.includes(i) ? assistant((m['content'] as Obj[]).slice(1)) : m));
  assert.equal(fake.messages(ask(strip(1), { model: AB })).status, 200);
  assert.equal(fake.messages(ask(strip(1, 3), { model: AB })).status, 200);
  assert.equal(fake.messages(ask(strip(5), { model: AB })).status, 200);
  assert.equal(fake.messages(ask(strip(1, 3, 5), { model: AB })).status, 200);
  assert.equal(fake.messages(ask(strip(3), { model: AB })).rule, 'PV-A25');
  const without = strip(1);
  const later = [...without, assistant(contentOf(fake.messages(ask(without, { model: AB })))), user('z')];
  assert.equal(fake.messages(ask(later, { model: AB })).status, 200);
  const back = structuredClone(later);
  back[1] = list[1]!;
  assert.equal(fake.messages(ask(back, { model: AB })).rule, 'PV-A25');
});

test('PV-A27 PV-A28 PV-A29 fake binding: old accounts are told, drop_block needs its header and its thinking', () => {
  const free = new FakeAnthropic({ enforceBinding: false });
  const content = contentOf(free.messages(ask([user('a')], { model: AB })));
  const edited = [user('b'), assistant(content), user('c')];
  const allowed = free.messages(ask(edited, { model: AB }), BETA);
  assert.deepEqual(allowed.body['input_transformations'], [
    { type: 'thinking_mismatch_allowed', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' },
  ]);
  assert.equal(free.messages(ask(edited, { model: AB })).body['input_transformations'], undefined);
  const drop = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } };
  assert.equal(free.messages(ask(edited, { model: AB, ...drop })).rule, 'PV-A28');
  const dropped = free.messages(ask(edited, { model: AB, ...drop }), BETA);
  assert.deepEqual((dropped.body['input_transformations'] as Obj[])[0]?.['type'], 'thinking_dropped');
});

test('PV-C8 PV-C10 fake chat cache: cached tokens are inside the prompt, in steps of 128, from 1,024 on', () => {
  const { fake, advance } = clocked((now) => new FakeOpenAi({ now }));
  const body = (tail: string) =>
    JSON.stringify({ model: 'gpt-5.4', messages: [user(BIG), assistant('b'), user(tail)] });
  const u1 = usage(fake.chat(body('one')));
  const u2 = usage(fake.chat(body('two')));
  const cached = (u: Obj) => Number((u['prompt_tokens_details'] as Obj)['cached_tokens']);
  assert.equal(cached(u1), 0);
  assert.equal(cached(u2) % 128, 0);
  assert.ok(cached(u2) >= 1024 && cached(u2) <= Number(u2['prompt_tokens']));
  advance(301);
  assert.equal(cached(usage(fake.chat(body('three')))), 0);
  const small = JSON.stringify({ model: 'gpt-5.4', messages: [user('short')] });
  usage(fake.chat(small));
  assert.equal(cached(usage(fake.chat(small))), 0);
});

test('PV-C9 PV-C11 fake breakpoint cache: writes are charged and end exactly at the newest user or tool message', () => {
  const fake = new FakeOpenAi();
  const one = [user(BIG)];
  const two = [user(BIG), assistant('b'), user('two')];
  const ask6 = (messages: Obj[], more: Obj = {}) => JSON.stringify({ model: 'gpt-6', messages, ...more });
  const d = (u: Obj) => u['prompt_tokens_details'] as Obj;
  const u1 = usage(fake.chat(ask6(one)));
  assert.equal(d(u1)['cache_write_tokens'], u1['prompt_tokens']);
  const u2 = usage(fake.chat(ask6(two)));
  assert.equal(d(u2)['cached_tokens'], 1200);
  assert.equal(Number(d(u2)['cache_write_tokens']) + 1200, u2['prompt_tokens']);
  const off = new FakeOpenAi();
  const explicit = { prompt_cache_options: { mode: 'explicit' } };
  usage(off.chat(ask6(one, explicit)));
  assert.equal(d(usage(off.chat(ask6(one, explicit))))['cached_tokens'], 0);
});

test('PV-C1 PV-R1 PV-S1 fake OpenAI refuses with its own error shape', () => {
  const fake = new FakeOpenAi();
  const calls = {
    ...assistant(null),
    tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  };
  const r = fake.chat(JSON.stringify({ model: 'gpt-5.4', messages: [user('a'), calls] }));
  assert.equal(r.rule, 'PV-C1');
  const error = r.body['error'] as Obj;
  assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code']);
  assert.equal(error['param'], 'messages.[1].tool_calls.[0]');
  const orphan = [{ type: 'function_call_output', call_id: '1', output: 'x' }];
  assert.equal(fake.responses(JSON.stringify({ model: 'gpt-5.4', input: orphan })).rule, 'PV-R1');
  const strict = new FakeOpenAi({ template: { alternation: 'strict' } });
  assert.equal(strict.chat(JSON.stringify({ messages: [user('a'), user('b')] })).rule, 'PV-S1');
});

test('PV-R6 PV-R11 fake Responses: store false wants encrypted reasoning, usage includes what was cached', () => {
  const fake = new FakeOpenAi();
  const reasoning = { type: 'reasoning', id: 'rs', summary: [] };
  const reply = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] };
  const input = [
    { type: 'message', role: 'user', content: BIG },
    reasoning,
    reply,
    { type: 'message', role: 'user', content: 'y' },
  ];
  assert.equal(fake.responses(JSON.stringify({ model: 'gpt-5.4', store: false, input })).rule, 'PV-R6');
  const body = JSON.stringify({ model: 'gpt-5.4', store: true, input });
  usage(fake.responses(body));
  const u = usage(fake.responses(body));
  const cached = Number((u['input_tokens_details'] as Obj)['cached_tokens']);
  assert.ok(cached >= 1024 && cached <= Number(u['input_tokens']));
});

test('PV-R14 bill: a tier applies to the whole request', () => {
  const p = {
    input: 2,
    write5m: 2,
    write1h: 2,
    read: 0.2,
    output: 10,
    tierLimit: 272_000,
    tierInput: 2,
    tierOutput: 1.5,
  };
  const spent = (uncached: number) => ({ uncached, write5m: 0, write1h: 0, read: 0, output: 1_000_000 });
  assert.equal(bill(spent(272_000), p), 0.544 + 10);
  assert.equal(bill(spent(272_001), p), (272_001 * 4) / 1e6 + 15);
});

test('fakes overflow: too long a prompt is a 400 that says so', () => {
  const a = new FakeAnthropic({ window: 100 }).messages(ask([user(BIG)]));
  assert.match(JSON.stringify(a.body), /prompt is too long: \d+ tokens > 100 maximum/);
  const o = new FakeOpenAi({ window: 100 }).chat(JSON.stringify({ messages: [user(BIG)] }));
  assert.equal((o.body['error'] as Obj)['code'], 'context_length_exceeded');
});

test('PV-G fake cache: a request that grows reads at least what the one before wrote', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 12 }), (turns) => {
      const fake = new FakeAnthropic();
      const list: Obj[] = [];
      let held = 0;
      for (const t of turns) {
        const open = [...list, user([mark(text(`${BIG}${t}`))])];
        const u = usage(fake.messages(ask(open)));
        assert.equal(u['cache_read_input_tokens'], held);
        held += Number(u['cache_creation_input_tokens']);
        list.push(user([text(`${BIG}${t}`)]), assistant([text('ok')]));
      }
    }),
    { numRuns: 30 },
  );
});

test('fakes over HTTP: the same answers at the paths of the real endpoints', async () => {
  const server = await serveFakes({ anthropic: new FakeAnthropic(), openai: new FakeOpenAi() });
  try {
    const post = async (path: string, body: string) => {
      const r = await fetch(server.url + path, { method: 'POST', body });
      return { status: r.status, body: (await r.json()) as Obj };
    };
    assert.equal((await post('/v1/messages', ask(history()))).status, 200);
    const refused = await post('/v1/messages', ask([assistant('a')]));
    assert.equal(refused.status, 400);
    assert.equal(refused.body['type'], 'error');
    assert.equal((await post('/v1/messages/count_tokens', ask(history()))).status, 200);
    assert.equal(
      (await post('/v1/chat/completions', JSON.stringify({ model: 'gpt-5.4', messages: [user('a')] })))
        .status,
      200,
    );
    const input = [{ type: 'message', role: 'user', content: 'a' }];
    assert.equal((await post('/v1/responses', JSON.stringify({ model: 'gpt-5.4', input }))).status, 200);
    assert.equal((await post('/v1/nothing', '{}')).status, 404);
  } finally {
    await server.close();
  }
});
