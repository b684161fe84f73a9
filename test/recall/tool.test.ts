// The tool that a model may call: constant in each provider's shape, and answered in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerContextRecall, CONTEXT_RECALL, contextRecallTool } from '../../src/index.js';

test('M-7 context_recall has one constant definition in each provider shape', () => {
  assert.equal(CONTEXT_RECALL.anthropic.input_schema, CONTEXT_RECALL['openai-chat'].function.parameters);
  assert.equal(contextRecallTool('openai-responses').name, 'context_recall');
  assert.ok(Object.isFrozen(CONTEXT_RECALL.anthropic.input_schema.properties));
  assert.equal(JSON.stringify(contextRecallTool('anthropic')), JSON.stringify(CONTEXT_RECALL.anthropic));
});

test('M-7 M-9 M-10 a call of context_recall searches or recalls, and wrong arguments are answered in words', async () => {
  const asked: unknown[] = [];
  const client = {
    call: async (method: string, params: unknown) => {
      asked.push([method, params]);
      return method === 'recall.get'
        ? { text: 'original', total_bytes: 8, original: true }
        : { hits: [{ handle: 'rabc', score: 0.5, tool: 'grep', turn: 3, snippet: 'a\nb', tokens: 7 }] };
    },
  } as unknown as Parameters<typeof answerContextRecall>[0];
  assert.equal(
    await answerContextRecall(client, 's', { query: 'x', k: 900 }),
    '[1] rabc (grep, turn 3, 7 tokens, sim=0.500): a b',
  );
  assert.equal(await answerContextRecall(client, 's', { handle: 'rabc', grep: 'o' }), 'original');
  assert.match(await answerContextRecall(client, 's', {}), /Give a query/);
  assert.match(
    await answerContextRecall(client, 's', { topic: 'net' }),
    /^## L2 — ON-DEMAND \(1 entries\)\n\[1\] rabc/,
  );
  assert.deepEqual(asked, [
    ['recall.search', { session: 's', query: 'x', k: 50 }],
    ['recall.get', { handle: 'rabc', max_tokens: 8000, grep: 'o' }],
    ['recall.search', { session: 's', query: '', k: 5, topic: 'net' }],
  ]);
});

test('M-7 a recall that is cut, or has nothing to show, says so in words', async () => {
  const client = (text: string, total_bytes: number) =>
    ({ call: async () => ({ text, total_bytes, original: true }) }) as unknown as Parameters<
      typeof answerContextRecall
    >[0];
  const ask = (text: string, total: number, grep?: string) =>
    answerContextRecall(client(text, total), 's', { handle: 'r', ...(grep === undefined ? {} : { grep }) });
  assert.equal(await ask('', 0), 'The original holds no text.');
  assert.equal(await ask('', 9, 'x"'), 'No line of the original holds "x\\"".');
  assert.match(await ask('héad', 900), /^héad\n\[the first 5 of 900 bytes/);
  assert.equal(await ask('héad', 5), 'héad');
  assert.equal(await ask('a line', 900, 'line'), 'a line');
});
