// A history as other curators see it, and what they kept of it as messages of the provider.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { absentIn } from '../../bench/curators/curators.js';
import { History, type Kept, whole } from '../../bench/curators/history.js';
import { Native } from '../../src/json/native.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format } from '../../src/providers/types.js';

function historyOf(format: Format, messages: readonly object[]): { history: History; texts: string[] } {
  const natives = messages.map((m) => new Native(JSON.stringify(m)));
  const spec = specOf(format);
  return {
    history: new History(
      format,
      natives,
      natives.map((n) => spec.read(n)),
    ),
    texts: natives.map((n) => n.text),
  };
}

const ANTHROPIC = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'both' },
      { type: 'tool_use', id: 'a', name: 'Read', input: { path: '/a' } },
      { type: 'tool_use', id: 'b', name: 'Grep', input: {} },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: 'of a' },
      { type: 'tool_result', tool_use_id: 'b', content: 'of b' },
      { type: 'text', text: 'hurry' },
    ],
  },
];
const CHAT = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'a', content: 'of a' },
  {
    role: 'assistant',
    content: 'more',
    tool_calls: [{ id: 'b', type: 'function', function: { name: 'read', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'b', content: 'of b' },
];

test('what is kept whole comes back byte for byte, in both formats', () => {
  for (const [format, messages] of [
    ['anthropic', ANTHROPIC],
    ['openai-chat', CHAT],
  ] as const) {
    const { history, texts } = historyOf(format, messages);
    assert.deepEqual(history.emit(whole(history.units)), texts);
    for (let n = 0; n <= texts.length; n++)
      assert.deepEqual(history.emit(whole(history.upTo(n))), texts.slice(0, n));
  }
});

test('results stand alone with their tool; the words beside them are the user\u2019s', () => {
  const { history } = historyOf('anthropic', ANTHROPIC);
  assert.deepEqual(
    history.units.map((u) => [u.role, u.message, u.parts, u.tool, u.text]),
    [
      ['user', 0, [0], '', 'go'],
      ['assistant', 1, [0, 1, 2], '', 'both'],
      ['tool', 2, [0], 'Read', 'of a'],
      ['tool', 2, [1], 'Grep', 'of b'],
      ['user', 2, [2], '', 'hurry'],
    ],
  );
});

test('parts that go leave the rest of their message; a body that is replaced keeps its call', () => {
  const { history, texts } = historyOf('anthropic', ANTHROPIC);
  const kept: Kept[] = whole(history.units).filter((k) => !(k.part === 1 && k.message > 0));
  const [user, answer, results] = history.emit(
    kept.map((k) => (k.message === 2 && k.part === 0 ? { ...k, body: '[cleared]' } : k)),
  );
  assert.equal(user, texts[0]);
  assert.deepEqual(
    JSON.parse(answer!).content.map((b: { type: string; id?: string }) => b.id ?? b.type),
    ['text', 'b'],
  );
  const blocks = JSON.parse(results!).content;
  assert.deepEqual(
    blocks.map((b: { type: string }) => b.type),
    ['tool_result', 'text'],
  );
  assert.deepEqual([blocks[0].tool_use_id, blocks[0].content], ['a', '[cleared]']);
});

test('a chat answer that lost all its calls has no list of them', () => {
  const { history } = historyOf('openai-chat', CHAT);
  const kept = whole(history.units).filter(({ message, part }) => {
    const p = history.readings[message]!.parts[part];
    return p?.callId === undefined;
  });
  assert.deepEqual(
    history.emit(kept).map((t) => JSON.parse(t)),
    [CHAT[0], { role: 'assistant', content: 'more' }],
  );
});

test('peers that are not installed are named by their packages', () => {
  assert.deepEqual(absentIn('/nowhere'), ['@langchain/core', 'langchain', 'ai']);
});
