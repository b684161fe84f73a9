// Progressive discovery through the real handlers: what is listed, how classes are revealed, and how they go again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { assistant, type Json, user } from './bench-daemon.js';
import { names, PROGRESSIVE, PRUNER, play, tool } from './tool-kit.js';

const TOOLS = [
  tool('plain'),
  tool('fetch', { class: 'web', subclass: 'read', description: 'Fetches a page. Slowly.' }),
  tool('search', { class: 'web', subclass: 'find', description: 'fetches a page. And more.' }),
  tool('mail', { class: 'communication' }),
  tool('query', { class: 'db', description: 'Asks <the> "database" & waits.' }),
  tool('delegate', { class: 'agents' }),
];
const ALWAYS = ['plain', 'mail', 'delegate'];

async function listed(p: Awaited<ReturnType<typeof play>>, more: Json = {}): Promise<string[]> {
  const prepared = await p.d.call('llm.prepare', { session: 's', ...more });
  return names(prepared.request.tools);
}

function discover(p: Awaited<ReturnType<typeof play>>, what: Json): Promise<Json> {
  return p.d.call('tools.discover', { session: 's', ...what });
}

test('D-1 D-2 communication, agents and classless tools are shown, and discover while something is hidden', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {} });
  assert.deepEqual((await p.turn()).listed, [...ALWAYS, 'discover']);
  const full = await play(TOOLS, { [PROGRESSIVE]: { default_depth: 'full' } });
  assert.deepEqual((await full.turn()).listed, names(TOOLS));
  const strict = await play(TOOLS, {
    [PROGRESSIVE]: { classless_behavior: 'exclude', always_include: ['db', 'fetch'] },
  });
  assert.deepEqual((await strict.turn()).listed, ['fetch', 'mail', 'query', 'delegate', 'discover']);
});

test('D-1 class, subclass and tags are read where a host can put them', async () => {
  const schema = { type: 'object', properties: {}, 'x-curated': { class: 'hid' } };
  const p = await play(
    [
      tool('a', { metadata: { class: 'hid' } }),
      tool('b', { annotations: { class: 'hid' } }),
      tool('c', { 'x-curated': { class: 'hid', subclass: 's', tags: ['t'] } }),
      { name: 'd', description: 'd', input_schema: schema },
      tool('mcp__hid__e'),
      tool('shown'),
    ],
    { [PROGRESSIVE]: {} },
  );
  assert.deepEqual((await p.turn()).listed, ['shown', 'discover']);
  assert.deepEqual(names((await discover(p, { class: 'hid' })).tools), ['a', 'b', 'c', 'd', 'mcp__hid__e']);
});

test('D-2 the first list costs no cache: nothing was sent before', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {} });
  const { prepared } = await p.turn();
  assert.deepEqual(
    prepared.curated.map((c: Json) => [c.layer, c.cache_invalidates]),
    [['progressive', false]],
  );
  assert.deepEqual(
    prepared.curated[0].sections_touched.map((s: Json) => s.section_id),
    [`${PROGRESSIVE}/discover`, `${PROGRESSIVE}/web`, `${PROGRESSIVE}/db`],
  );
});

test('D-3 discover reveals a class or a part of it, and answers with the definitions', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {} });
  await p.turn();
  const part = await discover(p, { class: 'web', subclass: 'find' });
  assert.equal(part.class, 'web');
  assert.equal(part.subclass, 'find');
  assert.deepEqual(part.tools, [
    {
      name: 'search',
      description: 'fetches a page. And more.',
      parameters: TOOLS[2].input_schema,
      subclass: 'find',
    },
  ]);
  assert.deepEqual((await p.turn()).listed, [...ALWAYS, 'discover', 'search']);
});

test('D-3 missing class, unknown class and unknown subclass are three errors, and change nothing', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {} });
  const before = await p.turn();
  const errors: CuratedError[] = [];
  for (const what of [{}, { class: 'nope' }, { class: 'web', subclass: 'nope' }]) {
    await assert.rejects(discover(p, what), (e) => {
      assert.ok(e instanceof CuratedError);
      errors.push(e);
      return true;
    });
  }
  assert.deepEqual(
    errors.map((e) => [e.kind, e.path, (e.detail as Json)?.reason]),
    [
      ['BAD_TYPE', '/class', undefined],
      ['UNSUPPORTED', '/class', 'unknown_class'],
      ['UNSUPPORTED', '/subclass', 'unknown_subclass'],
    ],
  );
  assert.deepEqual((errors[1]!.detail as Json).classes, ['agents', 'communication', 'db', 'web']);
  assert.deepEqual((await p.turn()).listed, before.listed);
});

test('D-4 the index lists classes by name, first sentences once, cut at 200 characters, nothing breaks out of it', async () => {
  const long = Array.from({ length: 9 }, (_, i) =>
    tool(`l${i}`, { class: 'a"b', description: `${i} is a sentence of some forty characters.` }),
  );
  const p = await play([...TOOLS, ...long], { [PROGRESSIVE]: {} });
  const { prepared } = await p.turn();
  const text = JSON.stringify(prepared.request.messages);
  const index = JSON.parse(`"${/<tool_discovery>.*?<\/tool_discovery>/.exec(text)![0]}"`);
  const lines = index.split('\n');
  assert.deepEqual(lines.slice(0, 2), ['<tool_discovery>', '<tool_classes>']);
  assert.match(lines[2], /^<class name="a&quot;b" tools="9">0 is a .*\.\.\.<\/class>$/);
  assert.equal(/>(.*)</.exec(lines[2])![1]!.length, 200);
  assert.equal(
    lines[3],
    '<class name="db" tools="1">Asks &lt;the&gt; &quot;database&quot; &amp; waits.</class>',
  );
  assert.equal(lines[4], '<class name="web" tools="2" subclasses="find,read">Fetches a page.</class>');
});

test('D-5 P-4 the index stands in the newest user turn, not in the system prompt, and changes at boundaries only', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {} }, { system: 'You are.' });
  const first = await p.turn();
  assert.equal(first.prepared.request.system, 'You are.');
  assert.match(JSON.stringify(first.prepared.request.messages[0]), /tool_discovery/);
  const [indexed] = await p.journal('tools.indexed');
  assert.equal(indexed.message, 0);
  const asked = await p.d.call('llm.prepare', { session: 's', append: [user('q')] });
  await discover(p, { class: 'db' });
  const same = await p.d.call('llm.prepare', { session: 's' });
  assert.deepEqual(same.request.messages, asked.request.messages);
  assert.ok(names(same.request.tools).includes('query'));
  await p.d.call('session.append', { session: 's', messages: [assistant('y')] });
  await p.d.call('turn.end', { session: 's' });
  const next = await p.turn({ say: 'more' });
  const last = JSON.stringify(next.prepared.request.messages.at(-1));
  assert.match(last, /name=\\"web\\"/);
  assert.doesNotMatch(last, /name=\\"db\\"/);
});

test('D-6 hybrid: a class that is idle for more turns than allowed goes; a tool loop does not count', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: { scope: 'hybrid', idle_prune_turns: 1 } });
  await p.turn();
  await discover(p, { class: 'db' });
  const shown = [...ALWAYS, 'discover', 'query'];
  assert.deepEqual((await p.turn({ calls: Array.from({ length: 8 }, () => 'plain') })).listed, shown);
  assert.deepEqual((await p.turn({ calls: ['query'] })).listed, shown);
  assert.deepEqual((await p.turn()).listed, shown);
  assert.deepEqual((await p.turn()).listed, shown);
  assert.deepEqual((await p.turn()).listed, [...ALWAYS, 'discover']);
  const { sections_touched: sections, cache_invalidates: invalidates } = (
    await p.journal('memory.curated')
  ).at(-1);
  assert.deepEqual([sections.map((s: Json) => s.section_id), invalidates], [[`${PROGRESSIVE}/db`], true]);
});

test('D-6 a class that was hidden again has to be discovered again, in parts too', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: { scope: 'hybrid', idle_prune_turns: 0 } });
  await discover(p, { class: 'web', subclass: 'read' });
  assert.ok((await p.turn()).listed.includes('fetch'));
  await p.turn();
  assert.ok(!(await p.turn()).listed.includes('fetch'));
  await discover(p, { class: 'web', subclass: 'find' });
  const again = (await p.turn()).listed;
  assert.ok(again.includes('search') && !again.includes('fetch'), again.join());
});

test('D-7 turn scope: visible in the turn that discovered it, gone in the next', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: { scope: 'turn' } });
  await p.turn();
  assert.ok(!(await listed(p, { append: [user('q')] })).includes('fetch'));
  await discover(p, { class: 'web' });
  for (let i = 0; i < 3; i += 1) assert.ok((await listed(p)).includes('fetch'));
  await p.d.call('session.append', { session: 's', messages: [assistant('y')] });
  await p.d.call('turn.end', { session: 's' });
  assert.deepEqual((await p.turn()).listed, [...ALWAYS, 'discover']);
});

test('D-8 equal state gives equal bytes, over restarts and replays', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {} });
  await p.turn();
  await discover(p, { class: 'web' });
  const text = JSON.stringify((await p.turn()).prepared.request.tools);
  p.d.registry.drop('default', 's');
  await p.d.call('session.open', { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5' });
  assert.equal(JSON.stringify((await p.turn()).prepared.request.tools), text);
  const replayed = await p.d.call('journal.replay', { session: 's' });
  assert.equal(replayed.identical, true, JSON.stringify(replayed.mismatches));
});

test('D-9 a class and its part both revealed list each tool once; names with dots are whole', async () => {
  const tools = [tool('a.b', { class: 'x.y', subclass: 's.t' }), tool('a', { class: 'x' }), tool('p')];
  const p = await play(tools, { [PROGRESSIVE]: {} });
  await p.turn();
  await discover(p, { class: 'x.y', subclass: 's.t' });
  await discover(p, { class: 'x.y' });
  assert.deepEqual((await p.turn()).listed, ['p', 'discover', 'a.b']);
});

test('D-10 tool_choice for a hidden tool shows it and its class; unknown and visible ones change nothing', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {} });
  await p.turn();
  for (const name of ['nobody', 'plain']) {
    const { listed } = await p.turn({ prepare: { tool_choice: { type: 'tool', name } } });
    assert.deepEqual(listed, [...ALWAYS, 'discover']);
  }
  const forced = await p.turn({ prepare: { tool_choice: { type: 'tool', name: 'search' } } });
  assert.deepEqual(forced.listed, [...ALWAYS, 'discover', 'fetch', 'search']);
  assert.deepEqual((await p.turn()).listed, forced.listed);
  assert.equal((await p.journal('tools.discovered'))[0].reason, 'tool_choice');
});

test('D-2 when nothing is hidden any more, the discover tool of ours goes at the next boundary', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {} });
  await p.turn();
  await discover(p, { class: 'web' });
  await discover(p, { class: 'db' });
  await p.turn();
  assert.deepEqual((await p.turn()).listed, [...ALWAYS, 'fetch', 'search', 'query']);
});

test('D-2 a discover tool of the host takes the place of ours', async () => {
  const p = await play([...TOOLS, tool('discover', { description: 'own' })], { [PROGRESSIVE]: {} });
  const { prepared } = await p.turn();
  const found = prepared.request.tools.filter((t: Json) => t.name === 'discover');
  assert.deepEqual(
    found.map((t: Json) => t.description),
    ['own'],
  );
});

test('D-11 L2-7 discovery and layer 2 work side by side: neither reports what the other hid, discover restores', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: {}, [PRUNER]: { unused_turns_threshold: 2 } });
  for (let i = 0; i < 4; i += 1) await p.turn({ calls: ['plain'] });
  const pruned = (await p.journal('memory.tool_def_pruned')).map((e) => e.tool_id);
  assert.deepEqual(pruned, ['mail', 'delegate']);
  await discover(p, { class: 'web' });
  assert.deepEqual((await p.turn({ calls: ['plain'] })).listed, ['plain', 'discover', 'fetch', 'search']);
  assert.equal((await p.journal('memory.tool_def_restored')).length, 0);
  await p.turn({ calls: ['plain'] });
  await p.turn({ calls: ['plain'] });
  assert.deepEqual((await p.turn({ calls: ['plain'] })).listed, ['plain', 'discover']);
  await discover(p, { class: 'web' });
  await p.turn({ calls: ['plain'] });
  assert.deepEqual(
    (await p.journal('memory.tool_def_restored')).map((e) => [e.tool_id, e.reason]),
    [
      ['fetch', 'discover'],
      ['search', 'discover'],
    ],
  );
});

test('D-11 tools that join later are hidden before any request lists them', async () => {
  const p = await play(TOOLS.slice(0, 1), { [PROGRESSIVE]: {} });
  assert.deepEqual((await p.turn()).listed, ['plain']);
  assert.deepEqual((await p.turn({ prepare: { tools: TOOLS } })).listed, [...ALWAYS, 'discover']);
});

test('D-2 in the shape of every format', async () => {
  for (const [format, model] of [
    ['openai-chat', 'gpt-5.4'],
    ['openai-responses', 'gpt-5.4'],
  ]) {
    const wrap = (t: Json) => {
      const { input_schema: parameters, ...rest } = t;
      return format === 'openai-chat'
        ? { type: 'function', function: { ...rest, parameters } }
        : { type: 'function', ...rest, parameters };
    };
    const p = await play(TOOLS.map(wrap), { [PROGRESSIVE]: {} }, { format, model });
    const prepared = await p.d.call('llm.prepare', { session: 's', append: [user('q')] });
    assert.deepEqual(names(prepared.request.tools), [...ALWAYS, 'discover'], format);
    const choice =
      format === 'openai-chat'
        ? { type: 'function', function: { name: 'query' } }
        : { type: 'function', name: 'query' };
    const forced = await p.d.call('llm.prepare', { session: 's', tool_choice: choice });
    assert.deepEqual(names(forced.request.tools), [...ALWAYS, 'discover', 'query'], format);
  }
});

test('D-1 PV-A46 a tool that a reference in the history names stays listed, however long its class is idle', async () => {
  const p = await play(TOOLS, { [PROGRESSIVE]: { scope: 'turn' } });
  const found = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'ts', name: 'plain', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'ts',
          content: [{ type: 'tool_reference', tool_name: 'query' }],
        },
      ],
    },
  ];
  await p.d.call('llm.prepare', { session: 's', append: [user('x'), ...found] });
  await p.d.call('session.append', { session: 's', messages: [assistant('y')] });
  await p.d.call('turn.end', { session: 's' });
  for (let i = 0; i < 3; i += 1) await p.turn();
  assert.deepEqual((await p.turn()).listed, ['plain', 'mail', 'query', 'delegate', 'discover']);
});
