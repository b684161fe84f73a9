// Inputs in plain words: preload, content, tool results, as each format writes them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import { journal, open, prepare, S } from './condensing.js';

const TOPICS = 'nexus.memory.topic_pruner';

async function stored(d: BenchDaemon): Promise<Json[]> {
  return (await d.call('session.messages', { session: S })).messages.map((m: Json) => m.message);
}

test('L4-18 preload comes before the content, and is no input of the user', async () => {
  const d = new BenchDaemon();
  await open(d, [TOPICS]);
  const preload = [
    user('New topic: the style guide of the project, read from disk.'),
    user('and a second page'),
  ];
  const { ids } = await d.call('session.append', {
    session: S,
    messages: [],
    preload,
    input: 'Rename the field.',
  });
  assert.equal(ids.length, 3);
  assert.deepEqual(await stored(d), [
    ...preload,
    { role: 'user', content: [{ type: 'text', text: 'Rename the field.' }] },
  ]);
  const inputs = await journal(d, 'io.input');
  assert.deepEqual(
    inputs.map((e) => e.message ?? e.payload.message),
    [2],
  );
  assert.deepEqual(await journal(d, 'memory.topic_shift_detected'), [], 'a cue in preload is nobody’s word');
});

test('L4-18 empty content with preload adds no user message', async () => {
  const d = new BenchDaemon();
  await open(d, []);
  await d.call('session.append', { session: S, messages: [], preload: [user('context')], input: '' });
  assert.deepEqual(await stored(d), [user('context')]);
  assert.deepEqual(await journal(d, 'io.input'), []);
});

test('L4-18 a failed tool is told as Error: and its error, in every format, and the request is valid', async () => {
  const results = [
    { id: 'a', output: 'fine' },
    { id: 'b', output: 'half', error: 'no such file' },
  ];
  const calls: Record<string, Json[]> = {
    anthropic: [
      {
        role: 'assistant',
        content: results.map(({ id }) => ({ type: 'tool_use', id, name: 'run', input: {} })),
      },
    ],
    'openai-chat': [
      {
        role: 'assistant',
        content: null,
        tool_calls: results.map(({ id }) => ({
          id,
          type: 'function',
          function: { name: 'run', arguments: '{}' },
        })),
      },
    ],
    'openai-responses': results.map(({ id }) => ({
      type: 'function_call',
      call_id: id,
      name: 'run',
      arguments: '{}',
    })),
  };
  for (const [format, round] of Object.entries(calls)) {
    const d = new BenchDaemon();
    await open(d, ['nexus.memory.tool_result_clear'], {
      format,
      model: format === 'anthropic' ? 'claude-sonnet-4-5' : 'gpt-4o',
    });
    await d.call('session.append', { session: S, messages: round, preload: [], input: '' });
    await d.call('session.append', { session: S, messages: [], results, input: 'go on' });
    const text = JSON.stringify(await stored(d));
    assert.match(text, /"fine"/);
    assert.match(text, /"Error: no such file"/);
    assert.doesNotMatch(text, /half/);
    const [, failed] = await journal(d, 'tool.result');
    // What the format can say of a failure is said.
    assert.equal((failed.error ?? failed.payload?.error) === true, format === 'anthropic', format);
    const { fits } = await prepare(d);
    assert.equal(fits, true);
  }
});

test('L4-18 results answer before anything else of the same append', async () => {
  const d = new BenchDaemon();
  await open(d, []);
  const [call] = toolRound('a', 'run', {}, 'x');
  await d.call('session.append', { session: S, messages: [user('do'), call] });
  await d.call('session.append', {
    session: S,
    results: [{ id: 'a', output: 'done' }],
    messages: [],
    preload: [user('context')],
    input: 'next',
  });
  const [, , result, context, input] = await stored(d);
  assert.equal(result.content[0].content, 'done');
  assert.deepEqual(context, user('context'));
  assert.equal(input.content[0].text, 'next');
});
