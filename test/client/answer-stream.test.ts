// Streams of providers, cut anywhere: the bytes go on as they came, the copy is put together the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Answer, AnswerStream, withBetas } from '../../src/client/answer-stream.js';

type Format = 'anthropic' | 'openai-chat';

function sse(events: readonly unknown[], more = ''): Uint8Array {
  const text = events.map((e) => `event: x\r\ndata: ${JSON.stringify(e)}\r\n\r\n`).join('');
  return new TextEncoder().encode(`: a comment\n\n${text}${more}`);
}

/** Reads the bytes in pieces that end at `cuts`; what was handed on must be what was given. */
function read(format: Format, bytes: Uint8Array, cuts: readonly number[]): Answer {
  const stream = new AnswerStream(format);
  const ends = [...new Set(cuts.map((c) => c % bytes.length))].sort((a, b) => a - b);
  const passed: Uint8Array[] = [];
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    passed.push(stream.push(bytes.subarray(from, end)));
    from = end;
  }
  assert.deepEqual(Buffer.concat(passed), Buffer.from(bytes));
  return stream.end();
}

const block = (index: number, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, d: unknown) => ({ type: 'content_block_delta', index, delta: d });
const stop = (index: number) => ({ type: 'content_block_stop', index });

const CLAUDE = [
  {
    type: 'message_start',
    message: { role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } },
  },
  { type: 'ping' },
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'hm 🙂' }),
  delta(0, { type: 'signature_delta', signature: 'sig==' }),
  stop(0),
  block(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: '数据 ' }),
  delta(1, { type: 'text_delta', text: 'read' }),
  delta(1, { type: 'citations_delta', citation: { cited_text: 'c' } }),
  stop(1),
  block(2, { type: 'tool_use', id: 't', name: 'read', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '{"pa' }),
  delta(2, { type: 'input_json_delta', partial_json: 'th":"é"}' }),
  stop(2),
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use' },
    usage: { output_tokens: 40 },
    context_management: { applied_edits: [] },
    input_transformations: [{ type: 'thinking_dropped' }],
  },
  { type: 'message_stop' },
];

test('PV-A53 an Anthropic stream cut anywhere: bytes unchanged, one message, usage and edits of the last delta', () => {
  const bytes = sse(CLAUDE);
  fc.assert(
    fc.property(fc.array(fc.nat()), (cuts) => {
      assert.deepEqual(read('anthropic', bytes, cuts), {
        complete: true,
        unknown: false,
        stop_reason: 'tool_use',
        usage: { input_tokens: 9, output_tokens: 40 },
        context_management: { applied_edits: [] },
        input_transformations: [{ type: 'thinking_dropped' }],
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm 🙂', signature: 'sig==' },
            { type: 'text', text: '数据 read', citations: [{ cited_text: 'c' }] },
            { type: 'tool_use', id: 't', name: 'read', input: { path: 'é' } },
          ],
        },
      });
    }),
  );
});

test('PV-A53 a compaction comes whole in one delta; an error in mid-stream and a cut stream are told apart from an end', () => {
  const head = [CLAUDE[0], block(0, { type: 'compaction', content: null })];
  const whole = delta(0, { type: 'compaction_delta', content: 'so far', encrypted_content: 'e==' });
  const done = read('anthropic', sse([...head, whole, stop(0), CLAUDE.at(-1)]), []);
  assert.deepEqual(done.message!['content'], [
    { type: 'compaction', content: 'so far', encrypted_content: 'e==' },
  ]);
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  const broken = read('anthropic', sse([...head, { type: 'error', error }]), [7]);
  assert.deepEqual(broken.error, error);
  assert.equal(broken.complete, false);
  assert.equal(read('anthropic', sse([...head, delta(0, { type: 'new_delta' })]), []).unknown, true);
  assert.equal(read('anthropic', sse([], 'data: {"type":\n\n'), []).unknown, true);
});

test('PV-C13 PV-C8 interleaved deltas of parallel calls, usage in a last chunk without choices, and [DONE]', () => {
  const chunk = (d: unknown, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: d, finish_reason }],
  });
  const call = (index: number, fields: unknown) => chunk({ tool_calls: [{ index, ...(fields as object) }] });
  const bytes = sse(
    [
      chunk({ role: 'assistant', content: 'let ' }),
      chunk({ content: 'me' }),
      call(0, { id: 'a', type: 'function', function: { name: 'read', arguments: '' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'grep', arguments: '{"q' } }),
      call(0, { function: { arguments: '{"p":' } }),
      call(1, { function: { arguments: '":"数"}' } }),
      call(0, { function: { arguments: '1}' } }),
      chunk({}, 'tool_calls'),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
    ],
    'data: [DONE]\n\n',
  );
  fc.assert(
    fc.property(fc.array(fc.nat()), (cuts) => {
      const fn = (id: string, name: string, args: string) => ({
        id,
        type: 'function',
        function: { name, arguments: args },
      });
      assert.deepEqual(read('openai-chat', bytes, cuts), {
        complete: true,
        unknown: false,
        stop_reason: 'tool_calls',
        usage: { prompt_tokens: 7, completion_tokens: 3 },
        message: {
          role: 'assistant',
          content: 'let me',
          tool_calls: [fn('a', 'read', '{"p":1}'), fn('b', 'grep', '{"q":"数"}')],
        },
      });
    }),
  );
});

test("PV-A54 the host's own beta values stay beside those that a request needs", () => {
  assert.equal(withBetas('a, b', ['b', 'c']), 'a,b,c');
  assert.equal(withBetas(undefined, ['c']), 'c');
  assert.equal(withBetas('a', undefined), 'a');
  assert.equal(withBetas(undefined, undefined), undefined);
});
