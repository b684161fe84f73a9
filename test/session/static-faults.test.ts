// System prompt and tool definitions that no provider takes: refused at the door with their place, in every format.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { BenchDaemon, type Json, user } from './bench-daemon.js';

const MODEL: Record<string, string> = {
  anthropic: 'claude-sonnet-4-5',
  'openai-chat': 'gpt-5',
  'openai-responses': 'gpt-5',
};

const tool = (format: string, name: string, more: Json = {}): Json =>
  format === 'openai-chat'
    ? { type: 'function', function: { name, parameters: {} }, ...more }
    : { name, input_schema: {}, ...more };

const refusedAt = (path: string) => (e: unknown) => {
  assert.ok(e instanceof CuratedError && e.kind === 'INVALID_MESSAGES', String(e));
  assert.equal(e.path, path);
  return true;
};

for (const [format, model] of Object.entries(MODEL)) {
  test(`PV-A45 ${format}: a tool name that stands twice is refused at the door, and nothing of the call stays`, async () => {
    const d = new BenchDaemon();
    const [a, b] = [tool(format, 'a'), tool(format, 'b')];
    const twice = [a, b, tool(format, 'a', { strict: true })];
    const opening = { session: 's', format, model, preset: 'balanced' };
    await assert.rejects(d.call('session.open', { ...opening, tools: twice }), refusedAt('/tools/2'));
    await d.call('session.open', { ...opening, tools: [a, b] });
    const before = await d.journalled();
    await assert.rejects(
      d.call('llm.prepare', { session: 's', append: [user('go')], tools: twice }),
      refusedAt('/tools/2'),
    );
    assert.deepEqual(await d.journalled(), before);
    const { request } = await d.call('llm.prepare', { session: 's', append: [user('go')] });
    assert.deepEqual(request.tools, [a, b]);
  });

  test(`PV-A45 ${format}: a tool of the client's without a name is refused with its place, a provider's own goes by its type`, async () => {
    const d = new BenchDaemon();
    const opening = { session: 's', format, model, preset: 'balanced' };
    const a = tool(format, 'a');
    const chat = format === 'openai-chat';
    const nameless: readonly [unknown, string][] = [
      [{ nome: 'x' }, chat ? '/function/name' : '/name'],
      [tool(format, ''), chat ? '/function/name' : '/name'],
      [{ type: 'custom' }, chat ? '/custom/name' : '/name'],
    ];
    for (const [bad, path] of nameless)
      await assert.rejects(
        d.call('session.open', { ...opening, tools: [a, bad] }),
        refusedAt(`/tools/1${path}`),
      );
    const own = {
      anthropic: [
        { type: 'web_search_20250305', name: 'web_search' },
        { type: 'mcp_toolset', mcp_server_name: 'm' },
      ],
      'openai-chat': [{ type: 'custom', custom: { name: 'c' } }],
      'openai-responses': [
        { type: 'web_search' },
        { type: 'local_shell' },
        { type: 'mcp', server_label: 'm' },
        { type: 'custom', name: 'c' },
      ],
    }[format]!;
    await d.call('session.open', { ...opening, tools: [a, ...own] });
    const { request } = await d.call('llm.prepare', { session: 's', append: [user('go')] });
    assert.deepEqual(request.tools, [a, ...own]);
  });

  test(`PV-A45 P-5 ${format}: what is only passed on keeps a doubled name and says so; curated, the call says what to change`, async () => {
    const d = new BenchDaemon();
    const tools = [tool(format, 'a'), tool(format, 'a')];
    await d.call('session.open', { session: 's', format, model, preset: 'off', tools });
    const passed = await d.call('llm.prepare', { session: 's', append: [user('go')] });
    assert.deepEqual(passed.request.tools, tools);
    assert.deepEqual(
      passed.violations.map((v: Json) => [v.rule, v.path]),
      [['PV-A45', '/tools/1']],
    );
    // As a journal of an older daemon: the list is there already.
    await d.call('session.open', { session: 's', format, model, preset: 'balanced' });
    await assert.rejects(d.call('llm.prepare', { session: 's' }), refusedAt('/tools/1'));
    const mended = await d.call('llm.prepare', { session: 's', tools: tools.slice(1) });
    assert.deepEqual(mended.request.tools, tools.slice(1));
    assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
  });

  test(`PV-A18 ${format}: a lone surrogate in system or tools is refused with its place`, async () => {
    const d = new BenchDaemon();
    const opening = { session: 's', format, model, preset: 'balanced' };
    await assert.rejects(d.call('session.open', { ...opening, system: 'a\ud83d' }), refusedAt('/system'));
    await assert.rejects(
      d.call('session.open', { ...opening, tools: [tool(format, 'a', { description: '\udc00' })] }),
      refusedAt('/tools/0/description'),
    );
  });
}

test('PV-A17 an empty system block is refused; an empty system prompt of a chat is none', async () => {
  const d = new BenchDaemon();
  const system = [
    { type: 'text', text: 'be brief' },
    { type: 'text', text: ' ' },
  ];
  await assert.rejects(
    d.call('session.open', { session: 's', format: 'anthropic', model: MODEL['anthropic'], system }),
    refusedAt('/system/1'),
  );
  const chat = { session: 's', format: 'openai-chat', model: 'gpt-5', preset: 'balanced' };
  await d.call('session.open', { ...chat, system: '' });
  const { request } = await d.call('llm.prepare', { session: 's', append: [user('go')], system: '' });
  assert.deepEqual(request.messages, [user('go')]);
});

test('PV-A45 not all tools are deferred, and the search tool never', async () => {
  const opening = { session: 's', format: 'anthropic', model: MODEL['anthropic'], preset: 'balanced' };
  const later = { defer_loading: true };
  const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
  for (const [tools, path] of [
    [[tool('anthropic', 'a', later)], '/tools'],
    [[tool('anthropic', 'a'), { ...search, ...later }], '/tools/1'],
  ] as const)
    await assert.rejects(new BenchDaemon().call('session.open', { ...opening, tools }), refusedAt(path));
  await new BenchDaemon().call('session.open', {
    ...opening,
    tools: [search, tool('anthropic', 'a', later)],
  });
});

for (const format of ['openai-chat', 'openai-responses'])
  test(`PV-A45 PV-G ${format}: a list that names no tool is none, from the first request on, and says so once`, async () => {
    const model = MODEL[format];
    const repairs = async (d: BenchDaemon) => {
      const { events } = await d.call('journal.read', { session: 's', limit: 1000 });
      return events.filter((e: Json) => e.type === 'session.repaired');
    };
    for (const when of ['open', 'prepare']) {
      const d = new BenchDaemon();
      const opening = { session: 's', format, model, preset: 'balanced' };
      await d.call('session.open', when === 'open' ? { ...opening, tools: [] } : opening);
      const ask = (text: string, more: Json) =>
        d.call('llm.prepare', { session: 's', append: [user(text)], ...more });
      const first = await ask('go', { tools: [], tool_choice: 'auto' });
      assert.equal('tools' in first.request, false);
      const patched = await ask('on', { tools: [], return: 'patch' });
      assert.ok(JSON.stringify(patched.patch.ops).includes('{"op":"remove","path":"/tools"}'));
      const third = await ask('and on', {});
      assert.deepEqual(
        third.request.messages.slice(0, first.request.messages.length),
        first.request.messages,
      );
      assert.equal(third.cache.prefix_stable, true);
      assert.deepEqual(
        (await repairs(d)).map((e: Json) => e.rule),
        ['PV-A45'],
      );
      // A list with something in it is sent; an empty one behind it is none again, and no news.
      const named = [tool(format, 'a')];
      assert.deepEqual((await ask('x', { tools: named })).request.tools, named);
      assert.equal('tools' in (await ask('y', { tools: [] })).request, false);
      assert.equal((await repairs(d)).length, 1);
      const { events } = await d.call('journal.read', { session: 's', limit: 1000 });
      const notices = events.filter((e: Json) => e.type === 'session.notice' && e.path === '/tool_choice');
      assert.equal(notices.length, 1, 'the choice of a tool is told where none is listed');
      assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
    }
  });

test('PV-A45 P-5 a list that names no tool: what is only passed on keeps it and says so, Anthropic takes it', async () => {
  for (const [format, model] of Object.entries(MODEL)) {
    const d = new BenchDaemon();
    await d.call('session.open', { session: 's', format, model, preset: 'off', tools: [] });
    const passed = await d.call('llm.prepare', { session: 's', append: [user('go')] });
    assert.deepEqual(passed.request.tools, []);
    const refused = format === 'anthropic' ? [] : [['PV-A45', '/tools']];
    assert.deepEqual(
      (passed.violations ?? []).map((v: Json) => [v.rule, v.path]),
      refused,
    );
    // Curated from now on: mended where it is refused.
    await d.call('session.open', { session: 's', format, model, preset: 'balanced' });
    const { request } = await d.call('llm.prepare', { session: 's', append: [user('on')] });
    assert.equal('tools' in request, format === 'anthropic');
  }
});

test('PV-A38 PV-A40 cache marks of system and tools that no provider takes are refused at the door: they are not ours to take out', async () => {
  const d = new BenchDaemon();
  const opening = { session: 's', format: 'anthropic', model: MODEL['anthropic'], preset: 'balanced' };
  const mark = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl ? { ttl } : {}) } });
  const says = (text: string, more: Json) => ({ type: 'text', text, ...more });
  const tools = [tool('anthropic', 'a', mark())];
  await assert.rejects(
    d.call('session.open', { ...opening, tools, system: [says('S', mark('1h'))] }),
    refusedAt('/system/0'),
  );
  const five = ['1', '2', '3', '4', '5'].map((text) => says(text, mark()));
  await assert.rejects(d.call('session.open', { ...opening, system: five }), refusedAt('/system/4'));
  await d.call('session.open', { ...opening, tools, system: five.slice(0, 3) });
  const { request } = await d.call('llm.prepare', { session: 's', append: [user('go')] });
  assert.deepEqual(request.system, five.slice(0, 3));
});
