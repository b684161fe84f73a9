// Cache marks of our own: where they go, that they move without moving anything else, and that a replay knows them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistant, BenchDaemon, type Json, toolRound } from './bench-daemon.js';

async function opened(curated: Json, system?: Json): Promise<BenchDaemon> {
  const d = new BenchDaemon();
  await d.call('session.open', {
    session: 's',
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    ...(system === undefined ? {} : { system }),
    config: { plugins: { active: ['nexus.memory.tool_result_clear'] }, curated },
  });
  return d;
}

const said = (text: string): Json => ({ role: 'user', content: [{ type: 'text', text }] });
const marksIn = (value: Json): number => JSON.stringify(value).split('"cache_control"').length - 1;
const bare = (value: Json): string =>
  JSON.stringify(value, (k, v) => (k === 'cache_control' ? undefined : v));

test('S-5 PV-A38 PV-A42 auto places at most four marks, at the tail and about every 15 positions', async () => {
  const d = await opened({ breakpoints: 'auto' });
  let before: string[] = [];
  for (let i = 0; i < 40; i += 1) {
    const append = i === 0 ? [said('go')] : toolRound(`c${i}`, 'ls', { i }, `out ${i}`);
    const { request, cache } = await d.call('llm.prepare', { session: 's', append });
    const marks = cache.breakpoints.map((b: Json) => Number(b.path.split('/')[2]));
    assert.equal(marksIn(request), marks.length);
    assert.ok(marks.length >= 1 && marks.length <= 4, `${marks.length}`);
    assert.equal(marks.at(-1), request.messages.length - 1, 'one at the tail');
    for (let k = 1; k < marks.length; k += 1)
      assert.ok(marks[k]! - marks[k - 1]! < 20, 'within the look-back');
    // Marks aside, the request before is the start of this one, byte for byte.
    const texts = request.messages.map(bare);
    assert.deepEqual(texts.slice(0, before.length), before);
    before = texts;
  }
  const replayed = await d.call('journal.replay', { session: 's' });
  assert.equal(replayed.identical, true);
});

test('PV-A38 the marks of the host are counted and left alone, those on the static part too', async () => {
  const system = [{ type: 'text', text: 'rules', cache_control: { type: 'ephemeral' } }];
  const d = await opened({ breakpoints: 'auto' }, system);
  const marked = (text: string): Json => ({
    role: 'user',
    content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }],
  });
  let append: Json[] = [marked('one'), assistant('a'), marked('two')];
  for (let i = 0; i < 6; i += 1) {
    const { request, cache } = await d.call('llm.prepare', { session: 's', append });
    assert.deepEqual(request.system, system);
    assert.equal(marksIn(request), 4);
    assert.equal(cache.breakpoints.length, 4);
    for (const m of [0, 2]) assert.ok(request.messages[m].content[0].cache_control !== undefined);
    append = [assistant(`r${i}`), said(`q${i}`)];
  }
});

test('S-5 keep, the default, sets no mark', async () => {
  const d = await opened({});
  const { request, cache } = await d.call('llm.prepare', { session: 's', append: [said('go')] });
  assert.equal(marksIn(request), 0);
  assert.deepEqual(cache.breakpoints, []);
});

test('S-5 P-7 marks, clearing and patches together: the patched request is the full one, and the hash is of it', async () => {
  const d = await opened({
    breakpoints: 'auto',
    boundary: 'round',
    cost_rule: 'off',
    keep: { tool_uses: 2 },
  });
  const stored: Json[] = [];
  for (let i = 0; i < 30; i += 1) {
    const append = i === 0 ? [said('go')] : toolRound(`c${i}`, 'cat', { i }, `${i} `.repeat(400));
    stored.push(...append);
    await d.call('llm.prepare', { session: 's', append });
    const again = await d.call('llm.prepare', { session: 's', return: 'patch' });
    const full = await d.call('llm.prepare', { session: 's' });
    const patched = { messages: structuredClone(stored) };
    for (const op of again.patch.ops) {
      const path: string[] = op.path.split('/').slice(1);
      const last = path.pop()!;
      let node: Json = patched;
      for (const step of path) node = node[step];
      if (op.op === 'remove') Array.isArray(node) ? node.splice(Number(last), 1) : delete node[last];
      else node[last] = op.value;
    }
    assert.deepEqual(patched.messages, full.request.messages);
    assert.equal(again.hash, full.hash);
  }
  const replayed = await d.call('journal.replay', { session: 's' });
  assert.deepEqual(replayed.mismatches, []);
});

const LONG = 'Mind the rules of the house. '.repeat(400);

test('S-5 PV-A39 a plain string becomes one block before its first send, is told of, and stays one', async () => {
  const d = await opened({ breakpoints: 'auto' }, LONG);
  let append: Json[] = [{ role: 'user', content: 'the first' }];
  let before: string[] = [];
  for (let i = 0; i < 6; i += 1) {
    const { request, cache, curated } = await d.call('llm.prepare', { session: 's', append });
    assert.deepEqual(request.system, [{ type: 'text', text: LONG, cache_control: { type: 'ephemeral' } }]);
    assert.equal(cache.breakpoints[0].path, '/system/0');
    assert.deepEqual(request.messages.at(-1).content, [
      { type: 'text', text: i === 0 ? 'the first' : `q${i - 1}`, cache_control: { type: 'ephemeral' } },
    ]);
    const told = curated.filter((c: Json) => c.layer === 'breakpoints');
    assert.equal(told.length, 1);
    assert.equal(told[0].cache_invalidates, false);
    assert.equal(told[0].sections_touched.length, i === 0 ? 2 : 1);
    assert.equal(told[0].first_message, i === 0 ? 0 : request.messages.length - 1);
    const texts = request.messages.map(bare);
    assert.deepEqual(texts.slice(0, before.length), before, 'nothing sent has changed its form');
    before = texts;
    append = [assistant(`r${i}`), { role: 'user', content: `q${i}` }];
  }
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('S-5 PV-A38 with no system prompt the last tool that is not deferred is marked, and nothing too short to be cached', async () => {
  const tool = (name: string, more: Json = {}): Json => ({
    name,
    description: LONG,
    input_schema: { type: 'object' },
    ...more,
  });
  for (const [tools, path] of [
    [[tool('a'), tool('b'), tool('c', { defer_loading: true })], '/tools/1'],
    [[{ name: 'a', description: 'short', input_schema: { type: 'object' } }], undefined],
  ] as const) {
    const d = new BenchDaemon();
    await d.call('session.open', {
      session: 's',
      format: 'anthropic',
      model: 'claude-sonnet-4-5',
      tools,
      config: { plugins: { active: [] }, curated: { breakpoints: 'auto' } },
    });
    const { request, cache } = await d.call('llm.prepare', { session: 's', append: [said('go')] });
    assert.deepEqual(JSON.parse(bare(request.tools)), tools, 'marks aside, as the host gave them');
    assert.equal(cache.breakpoints.length, path === undefined ? 1 : 2);
    if (path !== undefined) assert.equal(cache.breakpoints[0].path, path);
    const patch = await d.call('llm.prepare', { session: 's', return: 'patch' });
    assert.equal(patch.hash, (await d.call('llm.prepare', { session: 's' })).hash);
  }
});

test('S-5 a message that was sent as a string stays one when marks are switched on later', async () => {
  const d = await opened({}, LONG);
  const first: Json = { role: 'user', content: 'go' };
  await d.call('llm.prepare', { session: 's', append: [first] });
  await d.call('session.open', {
    session: 's',
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    config: { curated: { breakpoints: 'auto' } },
  });
  const append = [assistant('ok'), { role: 'user', content: 'more' }];
  const { request } = await d.call('llm.prepare', { session: 's', append });
  assert.equal(request.system, LONG);
  assert.deepEqual(request.messages[0], first);
  assert.equal(marksIn(request.messages.at(-1)), 1);
});

for (const [format, model, most] of [
  ['openai-chat', 'gpt-5.6-sol', 3],
  ['openai-responses', 'gpt-6-sol', 3],
  ['openai-chat', 'gpt-5.4', 0],
  ['openai-responses', 'gpt-5.4', 0],
  ['openai-chat', 'gemma-3-27b-it', 0],
] as const) {
  test(`PV-C11 PV-R12 S-5 ${format} ${model}: explicit breakpoints at the system text and behind an edit, never moved`, async () => {
    const d = new BenchDaemon();
    const chat = format === 'openai-chat';
    await d.call('session.open', {
      session: 's',
      format,
      model,
      ...(chat ? { system: LONG } : {}),
      config: {
        plugins: { active: ['nexus.memory.tool_result_clear'] },
        curated: { breakpoints: 'auto', boundary: 'round', cost_rule: 'off', keep: { tool_uses: 2 } },
      },
    });
    const places = (messages: Json[]): number[] =>
      messages.flatMap((m, i) => (JSON.stringify(m).includes('"prompt_cache_breakpoint"') ? [i] : []));
    let before: string[] = [];
    let allowed = Number.POSITIVE_INFINITY;
    let seen = 0;
    for (let i = 0; i < 8; i += 1) {
      const id = `c${i}`;
      const args = JSON.stringify({ i });
      const body = `${i} `.repeat(400);
      const news: Json[] = chat
        ? [
            {
              role: 'assistant',
              content: null,
              tool_calls: [{ id, type: 'function', function: { name: 'ls', arguments: args } }],
            },
            { role: 'tool', tool_call_id: id, content: body },
          ]
        : [
            { type: 'function_call', call_id: id, name: 'ls', arguments: args },
            { type: 'function_call_output', call_id: id, output: body },
          ];
      const head: Json[] = chat ? [] : [{ role: 'developer', content: LONG }];
      const append = i === 0 ? [...head, { role: 'user', content: 'go' }] : news;
      const { request, curated } = await d.call('llm.prepare', { session: 's', append });
      for (const c of curated) if (c.cache_invalidates === true) allowed = Math.min(allowed, c.first_message);
      const texts = request.messages.map((m: Json) => JSON.stringify(m));
      const same = Math.min(allowed, before.length);
      assert.deepEqual(texts.slice(0, same), before.slice(0, same), 'only what was announced has changed');
      const marked = places(request.messages);
      if (most > 0) assert.equal(marked[0], 0, 'the system text');
      for (const at of marked) assert.notEqual(request.messages[at].role, 'assistant');
      seen = Math.max(seen, marked.length);
      before = texts;
      allowed = Number.POSITIVE_INFINITY;
    }
    assert.ok(most === 0 ? seen === 0 : seen >= 2, `${seen} breakpoints`);
    assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
  });
}

test('PV-C11 with breakpoints of the host no others are set: only the latest three count', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', {
    session: 's',
    format: 'openai-chat',
    model: 'gpt-5.6-sol',
    system: LONG,
    config: { plugins: { active: [] }, curated: { breakpoints: 'auto' } },
  });
  const marked = { type: 'text', text: 'go', prompt_cache_breakpoint: { type: 'explicit' } };
  const { request } = await d.call('llm.prepare', {
    session: 's',
    append: [{ role: 'user', content: [marked] }],
  });
  assert.equal(request.messages[0].content, LONG);
  assert.deepEqual(request.messages[1].content, [marked]);
});
