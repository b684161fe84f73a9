// Layer 2 through the real handlers: which definitions leave the list, when, and how they come back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assistant, type Json, toolRound, user } from './bench-daemon.js';
import { names, PRUNER, play, tool } from './tool-kit.js';

const TOOLS = [tool('alpha'), tool('beta'), tool('gamma')];

test('L2-1 L2-11 of two tools exactly the idle one goes, at the threshold and not before', async () => {
  const p = await play([tool('alpha'), tool('beta')], { [PRUNER]: { unused_turns_threshold: 3 } });
  for (let i = 0; i < 3; i += 1)
    assert.deepEqual((await p.turn({ calls: ['alpha'] })).listed, ['alpha', 'beta']);
  assert.deepEqual((await p.turn()).listed, ['alpha']);
  const pruned = await p.journal('memory.tool_def_pruned');
  assert.deepEqual(
    pruned.map((e) => [e.tool_id, e.last_used_turn]),
    [['beta', 0]],
  );
});

test('L2-1 a tool is idle from its last use on', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } });
  await p.turn({ say: 'alpha beta gamma' });
  await p.turn({ say: 'alpha, then beta' });
  const third = await p.turn({ answer: 'I use alpha' });
  assert.deepEqual(third.listed, ['alpha', 'beta']);
  assert.deepEqual((await p.turn()).listed, ['alpha']);
});

test('L2-1 L2-11 first sight never prunes: a tool that joins late has its own turns', async () => {
  const p = await play([tool('alpha')], { [PRUNER]: { unused_turns_threshold: 2 } });
  await p.turn({ calls: ['alpha'] });
  await p.turn({ calls: ['alpha'] });
  const both = { tools: [tool('alpha'), tool('late')] };
  assert.deepEqual((await p.turn({ calls: ['alpha'], prepare: both })).listed, ['alpha', 'late']);
  assert.deepEqual((await p.turn({ calls: ['alpha'] })).listed, ['alpha', 'late']);
  assert.deepEqual((await p.turn({ calls: ['alpha'] })).listed, ['alpha']);
});

test('L2-2 L2-11 a call saves the tool, whatever its result, also one inside another tool', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } });
  await p.turn();
  await p.d.call('session.append', {
    session: 's',
    messages: [user('q'), ...toolRound('f1', 'alpha', {}, 'no such file', true)],
  });
  await p.d.call('session.append', {
    session: 's',
    messages: toolRound('in1', 'beta', {}, 'x'),
    parent_call_id: 'f1',
  });
  await p.d.call('session.append', { session: 's', messages: [assistant('hm')] });
  await p.d.call('turn.end', { session: 's' });
  assert.deepEqual((await p.turn()).listed, ['alpha', 'beta']);
});

test('L2-3 survivors keep their order; without tools nothing happens', async () => {
  const p = await play([tool('d'), tool('c'), tool('b'), tool('a')], {
    [PRUNER]: { unused_turns_threshold: 2 },
  });
  await p.turn({ calls: ['a', 'b', 'd'] });
  await p.turn({ calls: ['a', 'b', 'd'] });
  assert.deepEqual((await p.turn({ calls: ['a', 'b', 'd'] })).listed, ['d', 'b', 'a']);
  const none = await play([], { [PRUNER]: { unused_turns_threshold: 2 } });
  for (let i = 0; i < 3; i += 1) await none.turn();
  assert.equal((await none.journal('memory.curated')).length, 0);
});

test('L2-4 events carry the size of the definition, the section, the exact change in tokens and the estimate', async () => {
  const text = JSON.stringify(tool('größe'));
  const p = await play([tool('alpha'), tool('größe')], { [PRUNER]: { unused_turns_threshold: 1 } });
  const before = await p.turn({ calls: ['alpha'] });
  const [pruned] = await p.journal('memory.tool_def_pruned');
  const [envelope] = await p.journal('memory.curated');
  assert.equal(pruned.definition_size, Buffer.byteLength(text));
  assert.equal(pruned.tokens_delta_estimate, -Math.trunc(Buffer.byteLength(text) / 4));
  assert.equal(envelope.layer, 'tool_def_pruner');
  assert.deepEqual(envelope.sections_touched, [
    { section_id: `${PRUNER}/größe`, kind: 'session', tokens_delta: pruned.tokens_delta },
  ]);
  assert.equal(envelope.cache_invalidates, true);
  assert.equal(envelope.first_message, 0);
  const after = await p.turn();
  assert.equal(after.prepared.tokens.static - before.prepared.tokens.static, pruned.tokens_delta);
  assert.equal(after.prepared.cache.prefix_stable, false);
});

test('L2-5 ten requests with the same pruned set: one event a tool, one envelope, one re-cache', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } });
  for (let i = 0; i < 12; i += 1) {
    const { prepared } = await p.turn({ calls: ['alpha'] });
    assert.equal(prepared.cache.prefix_stable, i !== 2, `turn ${i}`);
  }
  assert.equal((await p.journal('memory.tool_def_pruned')).length, 2);
  assert.equal((await p.journal('memory.curated')).length, 1);
});

test('L2-6 a tool that tool_choice names is not pruned, and comes back if it was', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } });
  await p.turn({ calls: ['alpha'] });
  await p.turn({ calls: ['alpha'] });
  assert.deepEqual((await p.turn({ calls: ['alpha'] })).listed, ['alpha']);
  const forced = await p.turn({ prepare: { tool_choice: { type: 'tool', name: 'gamma' } } });
  assert.deepEqual(forced.listed, ['alpha', 'gamma']);
  const [restored] = await p.journal('memory.tool_def_restored');
  assert.deepEqual([restored.tool_id, restored.reason], ['gamma', 'tool_choice']);
  assert.deepEqual(forced.prepared.curated.at(-1).forced, true);
});

test('L2-6 with nothing listed a tool_choice that wants some tool gets one', async () => {
  const p = await play([tool('alpha')], { [PRUNER]: { unused_turns_threshold: 1 } });
  await p.turn();
  assert.equal((await p.turn()).prepared.request.tools, undefined);
  assert.deepEqual((await p.turn({ prepare: { tool_choice: { type: 'auto' } } })).listed, ['alpha']);
});

test('L2-7 a pruned tool returns when it is named as a whole word, called or discovered', async () => {
  const p = await play([tool('keep'), tool('read_file'), tool('b'), tool('c')], {
    [PRUNER]: { unused_turns_threshold: 2 },
  });
  await p.turn({ calls: ['keep'] });
  await p.turn({ calls: ['keep'] });
  assert.deepEqual((await p.turn({ calls: ['keep'] })).listed, ['keep']);
  assert.deepEqual((await p.turn({ say: 'read_files and pre-read_file', calls: ['keep'] })).listed, ['keep']);
  assert.deepEqual((await p.turn({ say: 'call `read_file`.', calls: ['keep'] })).listed, [
    'keep',
    'read_file',
  ]);
  await p.turn({ calls: ['keep', 'b'] });
  const restored = await p.journal('memory.tool_def_restored');
  assert.deepEqual(
    restored.map((e) => [e.tool_id, e.reason]),
    [
      ['read_file', 'mention'],
      ['b', 'invoke'],
    ],
  );
});

test('L2-8 PV-A45 a tool with calls in the request stays, whatever its age', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 1 } });
  await p.turn({ calls: ['gamma', 'beta'] });
  for (let i = 0; i < 4; i += 1) await p.turn();
  assert.deepEqual((await p.turn()).listed, ['beta', 'gamma']);
});

test('L2-8 the list never becomes empty while the history holds calls: the tool used last stays', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 1 } });
  await p.turn({ calls: ['unlisted'], say: 'beta' });
  for (let i = 0; i < 4; i += 1) await p.turn();
  assert.deepEqual((await p.turn()).listed, ['beta']);
});

test('L2-9 new and restored tools go to the end, the others keep their places', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } });
  await p.turn({ calls: ['beta', 'gamma'] });
  await p.turn({ calls: ['beta', 'gamma'] });
  await p.turn({ calls: ['beta', 'gamma'] });
  const say = { say: 'use alpha', calls: ['alpha', 'beta', 'gamma'] };
  assert.deepEqual((await p.turn(say)).listed, ['beta', 'gamma', 'alpha']);
  const tools = [tool('fresh'), ...TOOLS].reverse();
  assert.deepEqual((await p.turn({ ...say, prepare: { tools } })).listed, [
    'beta',
    'gamma',
    'alpha',
    'fresh',
  ]);
});

test('L2-9 a prune that no request has carried is undone without a trace in the list', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } });
  await p.turn({ calls: ['beta', 'gamma'] });
  await p.turn({ calls: ['beta', 'gamma'] });
  const { prepared } = await p.turn({ say: 'use alpha' });
  assert.deepEqual(names(prepared.request.tools), ['alpha', 'beta', 'gamma']);
  assert.equal(prepared.cache.prefix_stable, true);
  assert.equal(prepared.curated[0].cache_invalidates, false);
});

test('L2-10 within a turn the list is constant or grows, at rounds as boundaries too', async () => {
  const p = await play(
    TOOLS,
    { [PRUNER]: { unused_turns_threshold: 1 } },
    {
      config: {
        plugins: { active: [PRUNER], [PRUNER]: { unused_turns_threshold: 1 } },
        curated: { boundary: 'round' },
      },
    },
  );
  await p.turn({ calls: ['alpha', 'beta', 'gamma'] });
  const { d } = p;
  let last = names((await d.call('llm.prepare', { session: 's', append: [user('x')] })).request.tools);
  for (let i = 0; i < 4; i += 1) {
    await d.call('session.append', { session: 's', messages: toolRound(`r${i}`, 'alpha', { i }, 'ok') });
    await d.call('turn.end', { session: 's', final: false });
    const listed = names((await d.call('llm.prepare', { session: 's' })).request.tools);
    assert.deepEqual(listed.slice(0, last.length), last);
    last = listed;
  }
});

test('L2-11 never_prune survives ten turns, exempt requests are untouched', async () => {
  const p = await play([tool('alpha'), tool('discover'), tool('ask_user')], {
    [PRUNER]: { unused_turns_threshold: 1 },
  });
  for (let i = 0; i < 10; i += 1) await p.turn();
  assert.deepEqual((await p.turn()).listed, ['discover', 'ask_user']);
  const exempt = await p.d.call('llm.prepare', {
    session: 's',
    task_kind: 'summarize',
    messages: [user('x')],
    tools: TOOLS,
  });
  assert.deepEqual(names(exempt.request.tools), ['alpha', 'beta', 'gamma']);
});

test('L2-4 a definition keeps every byte: spelling of numbers, order of keys, escapes', async () => {
  const odd =
    '{"name":"odd","input_schema":{"type":"object","properties":{"n":{"maximum":1.0e2,"b":1,"a":"\\u00e9"}}}}';
  const plain = JSON.stringify(tool('alpha'));
  const p = await play([], { [PRUNER]: { unused_turns_threshold: 1 } });
  const { RawJson } = await import('../../src/json/index.js');
  const tools = new RawJson(`[ ${plain} , ${odd} ]`);
  await p.turn({ say: 'alpha', prepare: { tools } });
  const text = await p.d.callText('llm.prepare', { session: 's', append: [user('odd')] });
  assert.ok(text.includes(`"tools":[${odd}]`), text);
});

test('L2-1 what the provider needs declared stays: deferred tools, marks, provider tools, referenced ones', async () => {
  const tools = [
    tool('alpha'),
    tool('deferred', { defer_loading: true }),
    tool('marked', { cache_control: { type: 'ephemeral' } }),
    { type: 'web_search_20250305', name: 'web_search' },
    tool('referenced'),
    tool('idle'),
  ];
  const p = await play(tools, { [PRUNER]: { unused_turns_threshold: 1, never_prune: [] } });
  const found = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'ts', name: 'find', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'ts',
          content: [{ type: 'tool_reference', tool_name: 'referenced' }],
        },
      ],
    },
  ];
  await p.d.call('llm.prepare', { session: 's', append: [user('x'), ...found] });
  await p.d.call('session.append', { session: 's', messages: [assistant('y')] });
  await p.d.call('turn.end', { session: 's' });
  for (let i = 0; i < 3; i += 1) await p.turn();
  assert.deepEqual((await p.turn()).listed, ['deferred', 'marked', 'web_search', 'referenced']);
  assert.deepEqual(
    (await p.journal('memory.tool_def_pruned')).map((e) => e.tool_id),
    ['alpha', 'idle'],
  );
});

test('L2-1 PV-A46 a reference to a tool that was pruned brings its definition back', async () => {
  const p = await play([tool('find'), tool('late')], {
    [PRUNER]: { unused_turns_threshold: 1, never_prune: ['find'] },
  });
  for (let i = 0; i < 3; i += 1) await p.turn();
  assert.deepEqual((await p.turn()).listed, ['find']);
  const content = [{ type: 'tool_reference', tool_name: 'late' }];
  const found = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'ts', name: 'find', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'ts', content }] },
  ];
  const { request } = await p.d.call('llm.prepare', { session: 's', append: [user('x'), ...found] });
  assert.deepEqual(names(request.tools), ['find', 'late']);
});

test('PV-A25 on models with bound thinking no definition leaves once there is thinking', async () => {
  const open = { model: 'claude-opus-5-5' };
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 1 } }, open);
  await p.d.call('llm.prepare', { session: 's', append: [user('x')] });
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
  const reply = { role: 'assistant', content: [thinking, { type: 'text', text: 'y' }] };
  await p.d.call('session.append', { session: 's', messages: [reply] });
  await p.d.call('turn.end', { session: 's' });
  for (let i = 0; i < 3; i += 1) await p.turn();
  assert.deepEqual((await p.turn()).listed, ['alpha', 'beta', 'gamma']);
});

test('P-7 with a warm known prefix a prune waits until it pays', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } });
  const long = `${'word '.repeat(4000)}`;
  for (let i = 0; i < 3; i += 1) {
    const prepared = await p.d.call('llm.prepare', { session: 's', append: [user(i === 0 ? long : 'go')] });
    assert.deepEqual(names(prepared.request.tools), ['alpha', 'beta', 'gamma']);
    await p.d.call('session.append', { session: 's', messages: [assistant('y')] });
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 5000,
      cache_creation_input_tokens: 0,
      output_tokens: 5,
    };
    await p.d.call('turn.end', { session: 's', usage });
  }
});

test('J-5 a replay and a resumed session list the same tools byte for byte', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 1 } });
  await p.turn({ calls: ['beta'] });
  await p.turn({ calls: ['beta'] });
  await p.turn({ say: 'gamma', calls: ['beta'] });
  const replayed = await p.d.call('journal.replay', { session: 's' });
  assert.equal(replayed.identical, true, JSON.stringify(replayed.mismatches));
  const before = await p.d.journalled();
  p.d.registry.drop('default', 's');
  assert.deepEqual(await p.d.journalled(), before);
});

test('P-5 observe lists what the host sent, and says what would have gone', async () => {
  const p = await play(
    TOOLS,
    {},
    {
      config: {
        plugins: { active: [PRUNER], [PRUNER]: { unused_turns_threshold: 1 } },
        curated: { preset: 'observe' },
      },
    },
  );
  await p.turn({ calls: ['alpha'] });
  for (let i = 0; i < 4; i += 1)
    assert.deepEqual((await p.turn({ calls: ['alpha'] })).listed, ['alpha', 'beta', 'gamma']);
  const pruned = await p.journal('memory.tool_def_pruned');
  assert.deepEqual(
    pruned.map((e) => [e.tool_id, e.observed]),
    [
      ['beta', true],
      ['gamma', true],
    ],
  );
});

test('L2-7 D-11 without discovery a pruned tool is found by its name or by what it does', async () => {
  const tools = [
    tool('keep'),
    tool('send_email', { description: 'Sends an email to somebody.' }),
    tool('weather', { description: 'Tells the weather of a city.' }),
  ];
  const p = await play(tools, { [PRUNER]: { unused_turns_threshold: 2 } });
  for (let i = 0; i < 3; i += 1) await p.turn({ calls: ['keep'] });
  const found = await p.d.call('tools.discover', { session: 's', class: 'mail somebody a letter' });
  assert.equal(found.tools[0].name, 'send_email');
  const named = await p.d.call('tools.discover', { session: 's', class: 'weather' });
  assert.deepEqual(names(named.tools), ['weather']);
  assert.ok((await p.turn({ calls: ['keep'] })).listed.includes('weather'));
  await assert.rejects(p.d.call('tools.discover', { session: 's', class: 'xyzzy' }), /no tool has the class/);
});

test('P-12 with the layer off what it hid comes back, once, and says so', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } });
  for (let i = 0; i < 3; i += 1) await p.turn({ calls: ['alpha'] });
  await p.d.call('session.open', {
    session: 's',
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    config: { curated: { preset: 'off' } },
  });
  for (let i = 0; i < 2; i += 1) assert.deepEqual((await p.turn()).listed, ['alpha', 'beta', 'gamma']);
  assert.deepEqual(
    (await p.journal('memory.tool_def_restored')).map((e) => [e.tool_id, e.reason]),
    [
      ['beta', 'config'],
      ['gamma', 'config'],
    ],
  );
  assert.equal((await p.d.call('journal.replay', { session: 's' })).identical, true);
});

test('PV-A31 on models with bound thinking a tool that is named comes back at rest, and the thinking goes', async () => {
  const open = { model: 'claude-opus-5-5' };
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 2 } }, open);
  for (let i = 0; i < 3; i += 1) await p.turn({ calls: ['alpha'] });
  assert.deepEqual((await p.turn({ calls: ['alpha'] })).listed, ['alpha']);
  const { d } = p;
  const thought = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
  const call = { type: 'tool_use', id: 'w', name: 'alpha', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'w', content: 'beta says hello' };
  await d.call('llm.prepare', { session: 's', append: [user('x')] });
  const open_ = [
    { role: 'assistant', content: [thought, { type: 'text', text: 'I want beta' }, call] },
    { role: 'user', content: [result] },
  ];
  const inside = await d.call('llm.prepare', { session: 's', append: open_ });
  assert.deepEqual(names(inside.request.tools), ['alpha'], 'not while a round is open');
  const rest = await d.call('llm.prepare', { session: 's', append: [assistant('y'), user('go on')] });
  assert.deepEqual(names(rest.request.tools), ['alpha', 'beta']);
  assert.doesNotMatch(JSON.stringify(rest.request.messages), /"thinking"/);
  assert.equal(rest.curated.at(-1).cache_invalidates, true);
});

test('PV-G a patch takes the host to the same list', async () => {
  const p = await play(TOOLS, { [PRUNER]: { unused_turns_threshold: 1 } });
  await p.turn({ calls: ['beta'] });
  const { patch } = await p.d.call('llm.prepare', { session: 's', append: [user('x')], return: 'patch' });
  assert.deepEqual(
    patch.ops.map((o: Json) => [o.op, o.path, names(o.value)]),
    [['replace', '/tools', ['beta']]],
  );
});

test('L2-11 PV-A45 the last tool that is not deferred stays, however idle: a list of deferred ones alone is refused', async () => {
  const later = { ...tool('later'), defer_loading: true };
  const p = await play([tool('alpha'), tool('beta'), later], { [PRUNER]: { unused_turns_threshold: 1 } });
  await p.turn({ say: 'beta' });
  for (let i = 0; i < 3; i += 1) await p.turn({ say: 'go on' });
  assert.deepEqual((await p.turn({ say: 'go on' })).listed, ['beta', 'later']);
});
