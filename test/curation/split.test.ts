// Where a history may be cut: the goldens, and no orphan for any interleaving of calls and results.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { safeSplit, spansOf } from '../../src/curation/split.js';
import { Native } from '../../src/json/native.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format, Reading } from '../../src/providers/types.js';

function readings(messages: readonly unknown[], format: Format = 'openai-chat'): Reading[] {
  const spec = specOf(format);
  return messages.map((m) => spec.read(new Native(JSON.stringify(m))));
}

const u = { role: 'user', content: 'u' };
const a = { role: 'assistant', content: 'a' };
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });

function split(messages: readonly unknown[], wanted: number): number {
  return safeSplit(spansOf(readings(messages), 'openai-chat'), wanted);
}

test('L4-4 L5-8 the golden: a result in the tail moves the split to its call', () => {
  assert.equal(split([u, a, u, calls('t9'), result('t9')], 4), 3);
});

test('L4-5 the golden: the move repeats, and a split at 0 is no split', () => {
  assert.equal(split([calls('t1'), calls('t2'), result('t1'), result('t2')], 3), 0);
});

test('L4-5 an id that a host uses again binds each result to its own call', () => {
  const messages = [calls('x'), result('x'), u, calls('x'), result('x')];
  assert.equal(split(messages, 2), 2);
  assert.equal(split(messages, 4), 3);
});

test('NS-8 Responses: reasoning stays with the item it produced', () => {
  const items = [
    { type: 'message', role: 'user', content: 'q' },
    { type: 'reasoning', id: 'rs', summary: [] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'r' },
  ];
  const spans = spansOf(readings(items, 'openai-responses'), 'openai-responses');
  for (const wanted of [2, 3]) assert.equal(safeSplit(spans, wanted), 1);
});

test('L4-5 no result is ever parted from its call, and no smaller cut was needed', () => {
  const kind = fc.constantFrom('user', 'assistant', 'call', 'result', 'lost');
  fc.assert(
    fc.property(fc.array(fc.tuple(kind, fc.nat(4)), { maxLength: 40 }), fc.nat(40), (steps, wanted) => {
      const open: string[] = [];
      const messages = steps.map(([k, n], i) => {
        if (k === 'call') {
          const ids = Array.from({ length: (n % 3) + 1 }, (_, j) => `c${i}-${j}`);
          open.push(...ids);
          return calls(...ids);
        }
        if (k === 'result' && open.length > 0) return result(open.splice(n % open.length, 1)[0]!);
        if (k === 'lost') return result(`never-${i}`);
        return k === 'user' ? u : a;
      });
      const all = readings(messages);
      const spans = spansOf(all, 'openai-chat');
      const cut = safeSplit(spans, Math.min(wanted, messages.length));
      const crossed = (c: number) => spans.some((s) => s.from < c && c <= s.to);
      assert.ok(!crossed(cut));
      for (let c = cut + 1; c <= Math.min(wanted, messages.length); c += 1)
        assert.ok(crossed(c), `${c} was free`);
    }),
  );
});

test('L4-4 PV-R1 parallel calls of Responses stay together, one whose result never came too: its stand-in is behind them all', () => {
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
  const output = { type: 'function_call_output', call_id: 'b', output: 'r' };
  const spans = spansOf(
    readings([u, call('lost'), call('b'), output, u], 'openai-responses'),
    'openai-responses',
  );
  assert.deepEqual(
    [1, 2, 3, 4].map((at) => safeSplit(spans, at)),
    [1, 1, 1, 4],
  );
});

test('L4-4 PV-A34 a paused turn is not cut: the server tool call stays with its result in the next message', () => {
  const say = (...content: unknown[]) => ({ role: 'assistant', content });
  const call = { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] };
  const messages = [u, say(call), say(found, { type: 'text', text: 'x' }), u, say(call, found), u];
  const spans = spansOf(readings(messages, 'anthropic'), 'anthropic');
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((at) => safeSplit(spans, at)),
    [1, 1, 3, 4, 5],
  );
});
