// A user takes one decision back: in place, from the next turn boundary, journalled and priced like any other, and for good.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assistant, BenchCaller, BenchDaemon, clearing, type Json, toolRound, user } from './bench-daemon.js';

const BODY = 'a line of a file that was read\n'.repeat(60);
const AGED = { age_turns: 2, size_bytes_threshold: 200 };

interface Talk {
  daemon: BenchDaemon;
  call(method: string, params?: Json, caller?: BenchCaller): Promise<Json>;
  /** A turn with one tool round; what its end decided. */
  turn(n: number, body?: string): Promise<Json[]>;
  /** Text of the request's messages. */
  request(append?: Json[]): Promise<string>;
  events(): Promise<Json[]>;
}

async function talk(
  o: { config?: Json; model?: string; daemon?: BenchDaemon; open?: Json } = {},
): Promise<Talk> {
  const daemon = o.daemon ?? new BenchDaemon();
  const call = (method: string, params: Json = {}, caller?: BenchCaller) =>
    daemon.call(method as never, { session: 's', ...params }, caller);
  await call('session.open', {
    format: 'anthropic',
    model: o.model ?? 'claude-haiku-4-5',
    config: o.config ?? clearing(AGED),
    ...o.open,
  });
  const request = async (append: Json[] = []) =>
    JSON.stringify((await call('llm.prepare', append.length === 0 ? {} : { append })).request.messages);
  return {
    daemon,
    call,
    request,
    async turn(n, body = `${n}: ${BODY}`) {
      await call('session.append', {
        messages: [user(`go ${n}`), ...toolRound(`t${n}`, 'Read', { n }, body)],
      });
      await request();
      await call('session.append', { messages: [assistant(`done ${n}`)] });
      return (await call('turn.end', { usage: { input_tokens: 100, output_tokens: 5 } })).decisions;
    },
    events: async () => (await call('journal.read')).events,
  };
}

const isCleared = (e: Json) => e.type === 'memory.tool_result_cleared';
const inRequest = (n: number) => `${n}: a line of a file`;

test('L1-7 P-7 an undone clearing comes back at the next turn boundary, in an envelope that says what it costs', async () => {
  const t = await talk();
  await t.turn(0);
  const decided = (await t.turn(1)).filter(isCleared);
  assert.equal(decided.length, 1);
  const { seq, handle } = decided[0];
  assert.ok(!(await t.request([user('next')])).includes(inRequest(0)));
  const asked = await t.call('session.undo', { seq });
  assert.deepEqual([asked.undoes, asked.applies], [[seq], 'turn_end']);
  assert.deepEqual((await t.call('session.state')).undo, [seq]);
  // Nothing that was sent changes in mid-turn.
  assert.ok(!(await t.request()).includes(inRequest(0)));
  await t.call('turn.end', { final: false });
  assert.ok(!(await t.request()).includes(inRequest(0)));

  await t.call('session.append', { messages: [assistant('so')] });
  const { decisions } = await t.call('turn.end', {});
  const restored = decisions.find((e: Json) => e.type === 'memory.tool_result_restored');
  assert.deepEqual([restored.reason, restored.undoes, restored.handle], ['undo', [seq], handle]);
  const envelope = decisions.find((e: Json) => e.layer === 'undo');
  assert.equal(envelope.cache_invalidates, true);
  assert.equal(envelope.first_message, restored.message);
  assert.equal(envelope.sections_touched[0].tokens_delta, -decided[0].tokens_delta);
  assert.ok(envelope.saves_per_request < 0, 'it costs with every request');
  assert.ok((await t.request()).includes(inRequest(0)));
  assert.equal((await t.call('session.state')).undo, undefined);
});

test('L1-7 what a user took back is pinned: no turn, no gate and no restart clears it again', async () => {
  const t = await talk({ open: { context_window: 6000, max_output_tokens: 500 } });
  await t.turn(0);
  const [cleared] = (await t.turn(1)).filter(isCleared);
  await t.call('session.undo', { seq: cleared.seq });
  for (let n = 2; n < 6; n++) await t.turn(n);
  assert.ok((await t.request([user('x')])).includes(inRequest(0)));
  assert.ok(!(await t.request()).includes(inRequest(1)), 'others are still cleared');
  const again = await talk({ daemon: new BenchDaemon({ store: t.daemon.store }) });
  for (let n = 6; n < 9; n++) await again.turn(n);
  assert.ok((await again.request([user('y')])).includes(inRequest(0)));
  assert.deepEqual(
    (await again.events()).filter((e) => isCleared(e) && e.message === cleared.message).length,
    1,
  );
  const replayed = await again.call('journal.replay');
  assert.ok(replayed.identical && replayed.requests > 8);
});

test('P-7 an undo between the end of a turn that edited nothing and the next request is in that request', async () => {
  const t = await talk();
  await t.turn(0);
  const [cleared] = (await t.turn(1)).filter(isCleared);
  await t.request([user('quiet')]);
  await t.call('session.append', { messages: [assistant('ok')] });
  assert.equal((await t.call('turn.end', {})).decisions.filter(isCleared).length, 1);
  await t.request([user('quieter')]);
  await t.call('session.append', { messages: [assistant('ok')] });
  assert.deepEqual((await t.call('turn.end', {})).decisions, []);
  const asked = await t.call('session.undo', { seq: cleared.seq });
  assert.equal(asked.applies, 'next_request');
  const prepared = await t.call('llm.prepare', { append: [user('now')] });
  assert.ok(JSON.stringify(prepared.request.messages).includes(inRequest(0)));
  const [envelope] = prepared.curated;
  assert.deepEqual([envelope.layer, envelope.cache_invalidates], ['undo', true]);
  assert.equal(prepared.cache.first_changed, envelope.first_message);
});

test('session.undo refuses what is no decision, does not stand, or may not come back, and says what would do', async () => {
  const t = await talk();
  await t.turn(0);
  const decided = await t.turn(1);
  const cleared = decided.find(isCleared);
  const envelope = decided.find((e) => e.type === 'memory.curated');
  const refused = async (seq: number) => {
    const before = (await t.events()).length;
    const e = await t.call('session.undo', { seq }).then(
      () => assert.fail('taken'),
      (error: Json) => error,
    );
    assert.equal((await t.events()).length, before, 'nothing was journalled');
    return e;
  };
  assert.equal((await refused(1)).kind, 'UNSUPPORTED');
  assert.equal((await refused(9999)).kind, 'SEQ_GAP');
  assert.deepEqual((await refused(envelope.seq)).detail.decisions, [cleared.seq]);
  await t.call('session.undo', { seq: cleared.seq });
  await t.turn(2);
  assert.match((await refused(cleared.seq)).message, /does not stand any more/);
  const watched = await talk({ config: { curated: { preset: 'observe' } } });
  await assert.rejects(watched.call('session.undo', { seq: 1 }), /observe/);
});

test('L2-10 an undone pruning lists the tool again, and it is not pruned again', async () => {
  const tools = ['a', 'b', 'c'].map((name) => ({
    name,
    description: `does ${name} and much else `.repeat(20),
    input_schema: { type: 'object' },
  }));
  const id = 'nexus.memory.tool_def_pruner';
  const config = { plugins: { active: [id], [id]: { unused_turns_threshold: 1 } } };
  const t = await talk({ config, open: { tools } });
  let pruned: Json[] = [];
  for (let n = 0; pruned.length === 0 && n < 6; n++) {
    pruned = (await t.turn(n)).filter((e) => e.type === 'memory.tool_def_pruned');
  }
  assert.ok(pruned.length > 0, 'nothing was pruned');
  const names = async () => {
    const prepared = await t.call('llm.prepare', { append: [user('?')] });
    return (prepared.request.tools ?? []).map((tool: Json) => tool.name);
  };
  const { seq, tool_id: name } = pruned[0];
  assert.ok(!(await names()).includes(name));
  await t.call('session.undo', { seq });
  const back = await t.turn(10);
  assert.ok(
    back.some((e) => e.type === 'memory.tool_def_restored' && e.tool_id === name && e.reason === 'undo'),
  );
  assert.equal(back.find((e) => e.layer === 'undo').cache_invalidates, true);
  for (let n = 11; n < 15; n++) await t.turn(n);
  assert.ok((await names()).includes(name));
  assert.ok((await t.call('journal.replay')).identical);
});

test('L1-8 an undone pair comes back as a pair, and the undo of its call says which decision that is', async () => {
  const t = await talk({ config: clearing({ ...AGED, drop_strategy: 'full_drop' }) });
  let decided: Json[] = [];
  for (let n = 0; decided.length === 0 && n < 4; n++) decided = (await t.turn(n)).filter(isCleared);
  const [result, call] = decided;
  assert.deepEqual([call.reason, call.tool_call_id], ['input', result.tool_call_id]);
  const before = await t.request([user('?')]);
  assert.ok(!before.includes(`"id":"${result.tool_call_id}"`), 'the call is out as well');
  await assert.rejects(t.call('session.undo', { seq: call.seq }), (e: Json) => {
    assert.deepEqual(e.detail.decisions, [result.seq]);
    return true;
  });
  assert.deepEqual((await t.call('session.undo', { seq: result.seq })).undoes, [result.seq, call.seq]);
  for (let n = 5; n < 9; n++) await t.turn(n);
  const stored = (await t.call('session.messages')).messages.map((m: Json) => JSON.stringify(m.message));
  const now = await t.request([user('!')]);
  for (const at of [call.message, result.message]) assert.ok(now.includes(stored[at]), `message ${at}`);
  assert.ok((await t.call('journal.replay')).identical);
});

test("a shortened call's input is taken back alone, and stays whole", async () => {
  const config = {
    ...clearing(AGED),
    curated: { clear_tool_inputs: true, max_input_chars: 200, cost_rule: 'off', keep: { tool_uses: 1 } },
  };
  const t = await talk({ config });
  const text = 'a long new file '.repeat(80);
  const write = (n: number) => toolRound(`w${n}`, 'Write', { path: `f${n}`, text: `${n} ${text}` }, 'ok');
  let cut: Json;
  for (let n = 0; n < 8; n++) {
    await t.call('session.append', { messages: [user(`go ${n}`), ...write(n)] });
    await t.request();
    await t.call('session.append', { messages: [assistant('done')] });
    await t.call('turn.end', {});
    cut ??= (await t.events()).find((e) => isCleared(e) && e.reason === 'input');
    if (cut !== undefined && n === 4) await t.call('session.undo', { seq: cut.seq });
  }
  const now = await t.request([user('?')]);
  const own = Number(cut.tool_call_id.slice(1));
  assert.ok(now.includes(`${own} ${text}`));
  assert.ok(!now.includes(`${own + 1} ${text}`), 'the next one is still short');
  assert.ok((await t.call('journal.replay')).identical);
});

for (const format of ['openai-chat', 'openai-responses'] as const)
  test(`an undone clearing comes back byte for byte: ${format}`, async () => {
    const daemon = new BenchDaemon();
    const call = (method: string, params: Json = {}) =>
      daemon.call(method as never, { session: 's', ...params });
    await call('session.open', { format, model: 'gpt-5', config: clearing(AGED) });
    const args = '{"n": 1.0}';
    const round = (n: number): Json[] =>
      format === 'openai-chat'
        ? [
            {
              role: 'assistant',
              tool_calls: [{ id: `t${n}`, type: 'function', function: { name: 'Read', arguments: args } }],
            },
            { role: 'tool', tool_call_id: `t${n}`, content: `${n}: ${BODY}` },
          ]
        : [
            { type: 'function_call', call_id: `t${n}`, name: 'Read', arguments: args },
            { type: 'function_call_output', call_id: `t${n}`, output: `${n}: ${BODY}` },
          ];
    let cleared: Json;
    for (let n = 0; n < 6; n++) {
      await call('session.append', { messages: [user(`go ${n}`), ...round(n)] });
      await call('llm.prepare');
      await call('session.append', { messages: [{ role: 'assistant', content: `done ${n}` }] });
      await call('turn.end', {});
      cleared ??= (await call('journal.read')).events.find(isCleared);
      if (n === 3) await call('session.undo', { seq: cleared.seq });
    }
    const { messages } = (await call('llm.prepare', { append: [user('?')] })).request;
    const stored = (await call('session.messages')).messages.map((m: Json) => m.message);
    assert.deepEqual(messages[cleared.message], stored[cleared.message]);
    assert.notDeepEqual(messages[cleared.message + 4], stored[cleared.message + 4]);
    assert.ok((await call('journal.replay')).identical);
  });

test('F41 an undo comes from beside the writer, and takes no lease from it', async () => {
  const t = await talk();
  await t.turn(0);
  const [cleared] = (await t.turn(1)).filter(isCleared);
  const other = new BenchCaller();
  await t.call('session.undo', { seq: cleared.seq, key: 'k' }, other);
  const again = await t.call('session.undo', { seq: cleared.seq, key: 'k' }, other);
  assert.deepEqual(again.undoes, [cleared.seq]);
  assert.deepEqual(t.daemon.caller.supersededSessions, []);
  const decisions = await t.turn(2);
  assert.equal(decisions.filter((e) => e.reason === 'undo' && e.undoes !== undefined).length, 1);
});

test('P-7 J-10 whatever is undone and whenever: what was undone stands whole, prefixes break only where told, replay is identical', async () => {
  const step = fc.record({
    undo: fc.boolean(),
    pick: fc.nat(20),
    preset: fc.constantFrom('conservative', 'aggressive'),
    model: fc.constantFrom('claude-haiku-4-5', 'claude-opus-5'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), async (steps) => {
      const config = { ...clearing(AGED), curated: { preset: steps[0]!.preset } };
      const { model } = steps[0]!;
      const t = await talk({ config, model });
      const think = { type: 'thinking', thinking: 'hm, so it is', signature: 'c2ln' };
      const wanted = new Set<number>();
      let last: string[] = [];
      const check = (prepared: Json, told: Json[]) => {
        const now = (prepared.request.messages as Json[]).map((m) => JSON.stringify(m));
        const broken = [...prepared.curated, ...told].filter((e) => e.cache_invalidates === true);
        const first = Math.min(...broken.map((e) => e.first_message), last.length);
        assert.deepEqual(now.slice(0, first), last.slice(0, first));
        last = now;
      };
      let told: Json[] = [];
      for (const [n, s] of steps.entries()) {
        await t.call('session.append', {
          messages: [user(`go ${n}`), ...toolRound(`t${n}`, 'Read', { n }, `${n}: ${BODY}`)],
        });
        check(await t.call('llm.prepare'), told);
        await t.call('session.append', {
          messages: [{ role: 'assistant', content: [think, ...assistant(`done ${n}`).content] }],
        });
        const stands = (await t.events()).filter((e) => isCleared(e) && !wanted.has(e.message));
        const one = stands[s.pick % Math.max(1, stands.length)];
        if (s.undo && one !== undefined) {
          const ok = await t.call('session.undo', { seq: one.seq }).catch(() => undefined);
          if (ok !== undefined) wanted.add(one.message);
        }
        told = (await t.call('turn.end', {})).decisions;
      }
      const prepared = await t.call('llm.prepare', { append: [user('end')] });
      check(prepared, told);
      const stored = (await t.call('session.messages')).messages.map((m: Json) => JSON.stringify(m.message));
      for (const at of wanted) assert.ok(last.includes(stored[at]), `message ${at} is not whole`);
      assert.ok((await t.call('journal.replay')).identical);
    }),
    { numRuns: 15 },
  );
});
