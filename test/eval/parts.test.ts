// How a recording becomes sessions, rounds and turns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConversation } from '../../src/eval/conversation.js';
import { partsOf } from '../../src/eval/parts.js';
import { roundsOf } from '../../src/eval/rounds.js';
import { stretchedWindow } from '../../src/eval/window-of.js';

function conversation(value: unknown) {
  const parsed = parseConversation(JSON.stringify(value), 'line');
  assert.ok(parsed.ok);
  return parsed.conversation;
}

const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `content of ${id}` });
const text = (t: string) => ({ type: 'text', text: t });

test('a conversation is cut at its compactions, and the first message of a part loses its results', () => {
  const c = conversation({
    format: 'anthropic',
    messages: [
      { role: 'user', content: [text('go')] },
      { role: 'assistant', content: [call('a')] },
      { role: 'user', content: [result('a'), text('This session is continued.')] },
      { role: 'assistant', content: [call('b')] },
      { role: 'user', content: [result('b')] },
      { role: 'assistant', content: [text('done')] },
    ],
    meta: { compactions: [{ msg: 2 }, { msg: 4 }] },
  });
  const parts = partsOf(c).map((p) => p.messages.map((m) => m.native.text));
  assert.deepEqual(
    parts.map((p) => p.length),
    [2, 2, 1],
  );
  assert.deepEqual(JSON.parse(parts[1]![0]!), {
    role: 'user',
    content: [text('This session is continued.')],
  });
  assert.deepEqual(JSON.parse(parts[2]![0]!), { role: 'assistant', content: [text('done')] });
});

test('one request before each answer; results end a round, a user with words of their own ends a turn', () => {
  const c = conversation({
    format: 'openai',
    messages: [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'assistant', content: 'done' },
      { role: 'user', content: 'more' },
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: 'nobody answered this' },
    ],
  });
  const rounds = roundsOf(partsOf(c)[0]!, c.format);
  assert.deepEqual(
    rounds.map((r) => [r.results.length, r.news.length, r.userTurn]),
    [
      [0, 1, true],
      [1, 0, false],
      [0, 1, true],
    ],
  );
});

test('model, usage and exact texts are read; what is no conversation is named', () => {
  const line =
    '{"id":"x","format":"anthropic","messages":[{"role":"user", "content":"1.0 \\u00e9"}],"meta":{"usage":[{"msg":1,"in":1,"cr":2,"cw":3,"out":4,"model":"m"}]}}';
  const parsed = parseConversation(line, 'f');
  assert.ok(parsed.ok);
  assert.equal(parsed.conversation.model, 'm');
  assert.equal(parsed.conversation.messages[0]!.text, '{"role":"user", "content":"1.0 \\u00e9"}');
  assert.deepEqual(parsed.conversation.usage.get(1), { msg: 1, in: 1, cr: 2, cw: 3, out: 4, model: 'm' });
  for (const bad of ['{', '[]', '{"format":"x"}', '{"format":"openai","messages":[1]}'])
    assert.equal(parseConversation(bad, 'f').ok, false, bad);
});

test('a recording larger than the known window is played with one that could have held it', () => {
  assert.equal(stretchedWindow('gpt-5.4', 50_000), undefined);
  assert.equal(stretchedWindow('gpt-5.4', 172_000), 400_000);
  assert.equal(stretchedWindow('claude-opus-4-5', 160_000), undefined);
});
