// Changes of the set of tools that the host tells by system messages (PV-A46).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import { nativeOf, validateRequest } from '../../src/providers/validate.js';
import { assistant, BenchDaemon, type Json, user } from './bench-daemon.js';
import { COMPACTION, compact, FakeSummariser, journal, open, prepare, S } from './condensing.js';
import { tool } from './tool-kit.js';

const MODEL = 'claude-opus-5-5';
const LONG = 'word '.repeat(600);
const TOOLS = [tool('read'), tool('plot', { defer_loading: true }), tool('chart', { defer_loading: true })];
const change = (kind: 'addition' | 'removal', ...names: string[]): Json => ({
  role: 'system',
  content: names.map((name) => ({ type: `tool_${kind}`, name })),
});

function faults(request: Json, model = MODEL): string[] {
  const messages = request.messages.map((m: Json) => nativeOf(JSON.stringify(m)));
  const { system, tools } = request;
  const parts = {
    messages,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
  };
  return validateRequest(specOf('anthropic'), profileOf('anthropic', model), parts).map(
    (v) => `${v.rule} ${v.path}`,
  );
}

test('PV-A46 a change that names a tool which is not declared is refused; one that brings its definition is not', () => {
  const messages = [
    user('go'),
    { role: 'system', content: [{ type: 'tool_addition', name: 'gone' }] },
    assistant('ok'),
    user('on'),
    {
      role: 'system',
      content: [
        { type: 'tool_addition', tool: tool('new') },
        { type: 'tool_removal', name: 'read' },
      ],
    },
    assistant('ok'),
    user('on'),
    change('removal', 'new'),
  ];
  assert.deepEqual(faults({ messages, tools: TOOLS }), ['PV-A46 /messages/1/content/0']);
  // A server's set of tools declares names that nobody reads in the list.
  const mcp = { type: 'mcp_toolset', mcp_server_name: 'files' };
  assert.deepEqual(faults({ messages, tools: [...TOOLS, mcp] }), []);
});

test('PV-A46 a change of a tool that is not declared is left out and told; what is passed on keeps it and says so', async () => {
  const off = new BenchDaemon();
  await open(off, [], { model: MODEL, tools: TOOLS, preset: 'off' });
  const passed = await prepare(off, [user('go'), change('addition', 'plot', 'gone')]);
  assert.deepEqual(
    passed.violations.map((v: Json) => `${v.rule} ${v.path}`),
    ['PV-A46 /messages/1/content/1'],
  );
  const d = new BenchDaemon();
  await open(d, [], { model: MODEL, tools: TOOLS });
  const { request } = await prepare(d, [
    user('go'),
    change('addition', 'plot', 'gone'),
    assistant('ok'),
    user('on'),
    change('removal', 'gone'),
  ]);
  assert.deepEqual(faults(request), []);
  assert.deepEqual(request.messages, [user('go'), change('addition', 'plot'), assistant('ok'), user('on')]);
  assert.deepEqual(
    (await journal(d, 'session.repaired')).map((e: Json) => e.rule),
    ['PV-A46', 'PV-A46'],
  );
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('PV-A46 PV-G a tool that leaves the list takes the changes that name it along, announced', async () => {
  const d = new BenchDaemon();
  await open(d, [], { model: MODEL, tools: TOOLS });
  await prepare(d, [user('go'), change('addition', 'plot', 'chart')]);
  await d.call('session.append', { session: S, messages: [assistant('ok')] });
  const out = await prepare(d, [user('on')], { tools: TOOLS.slice(0, 2) });
  assert.deepEqual(faults(out.request), []);
  assert.deepEqual(out.request.messages[1], change('addition', 'plot'));
  const told = out.curated.filter((c: Json) => c.layer === 'repair');
  assert.deepEqual(
    told.map((c: Json) => [c.cache_invalidates, c.first_message]),
    [[true, 1]],
  );
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('PV-A46 PV-A12 a change that stands where no system message may is stated behind the user turn that follows; where the model takes none it goes', async () => {
  const history = [user('go'), assistant('ok'), change('addition', 'plot'), user('on')];
  const d = new BenchDaemon();
  await open(d, [], { model: MODEL, tools: TOOLS });
  const { request } = await prepare(d, history);
  assert.deepEqual(faults(request), []);
  assert.deepEqual(request.messages, [user('go'), assistant('ok'), user('on'), change('addition', 'plot')]);
  await d.call('session.append', { session: S, messages: [assistant('fine')] });
  const model = 'claude-opus-4-6';
  await d.call('session.open', { session: S, format: 'anthropic', model });
  const switched = await prepare(d, [user('with another model')]);
  assert.deepEqual(faults(switched.request, model), []);
  assert.ok(!JSON.stringify(switched.request.messages).includes('tool_addition'));
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('PV-A46 PV-A13 a change that stands in what a compaction takes out still applies, wherever the tail begins', async () => {
  for (const tail of [1, 2, 3, 4]) {
    const d = new BenchDaemon({ summariser: new FakeSummariser() });
    await open(d, [COMPACTION], {
      model: MODEL,
      tools: TOOLS,
      blocks: { [COMPACTION]: { protect_recent: tail } },
    });
    const history = [
      user('go'),
      assistant(LONG),
      user('load it'),
      change('addition', 'plot'),
      assistant(LONG),
      user('more'),
      assistant(LONG),
      user('and more'),
      assistant('x'),
      user('end'),
    ];
    await prepare(d, history);
    await compact(d);
    const { request } = await prepare(d);
    assert.equal((await journal(d, 'memory.compacted')).length, 1, `tail ${tail}`);
    assert.deepEqual(faults(request), [], `tail ${tail}`);
    const at = request.messages.findIndex(
      (m: Json) => JSON.stringify(m) === JSON.stringify(change('addition', 'plot')),
    );
    assert.ok(at > 0, `tail ${tail}`);
    assert.equal((await d.call('journal.replay', { session: S })).identical, true);
  }
});
