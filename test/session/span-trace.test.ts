// The order of the stack, shown by the spans of a call: cost order, and nothing that calls a model before the rest is done.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import { BUFFER, COMPACTION, FakeSummariser, GATE, good, open, prepare, S, settled } from './condensing.js';
import { tool } from './tool-kit.js';

const CLEAR = 'nexus.memory.tool_result_clear';
const PRUNER = 'nexus.memory.tool_def_pruner';
const PROGRESSIVE = 'nexus.discovery.progressive';
const ALL = [GATE, COMPACTION, BUFFER, PRUNER, CLEAR, PROGRESSIVE];
/** In the order that REQUIREMENTS gives, whatever the order of `plugins.active`. */
const ORDER = [
  'progressive',
  'tool_result_clear',
  'tool_def_pruner',
  'measure',
  'summary_buffer',
  'context_window',
  'compaction',
];
const BODY = 'word '.repeat(400);

async function trace(d: BenchDaemon): Promise<Json[]> {
  return (await d.call('session.state', { session: S, trace: true })).trace;
}

const named = (spans: Json[]): string[] => spans.map((s) => s.layer).filter((l) => ORDER.includes(l));

test('P-3 one span a layer, in cost order, and layer 5 behind the gate that asks for it', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, ALL, {
    tools: [tool('read'), tool('late', { tags: ['x'] })],
    model: 'claude-sonnet-4-5',
    context_window: 16_384,
    max_output_tokens: 4096,
    blocks: { [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 } },
  });
  await prepare(d, [user('go')]);
  const calm = await trace(d);
  assert.deepEqual(named(calm), ORDER.slice(0, -1));
  assert.ok(calm.every((s, i) => i === 0 || s.start_ms >= calm[i - 1].start_ms));
  // Nothing to clear, and more than the window's share: the gate holds the call for a compaction.
  const words = Array.from({ length: 9 }, (_, i) => [
    user(`${i} ${BODY}${BODY}`),
    said(`${i} ${BODY}${BODY}`),
  ]);
  await prepare(d, [said('ok'), ...words.flat(), user('and now?')]);
  const held = await trace(d);
  assert.deepEqual(named(held).slice(0, ORDER.length), ORDER);
  const gate = held.find((s) => s.layer === 'context_window')!;
  assert.equal(gate.decision, 'holds');
  assert.equal(held.find((s) => s.layer === 'compaction')!.decision, 'holds');
  // The call came back, and every stage ran once more on the smaller request.
  assert.deepEqual(named(held).slice(ORDER.length), ORDER.slice(0, -1));
});

test('P-3 a span tells tokens, decisions and how the layer decided', async () => {
  const d = new BenchDaemon();
  await open(d, [CLEAR], { blocks: { [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 } } });
  await prepare(d, [user('go'), ...toolRound('a', 'read', { n: 1 }, BODY)]);
  const { request: before } = await prepare(d, [said('done')].concat(user('next')));
  await d.call('session.append', { session: S, messages: [said('ok')] });
  const end = await d.call('turn.end', { session: S });
  const span = (await trace(d)).find((s) => s.layer === 'tool_result_clear')!;
  const cleared = end.decisions.filter((e: Json) => e.type === 'memory.tool_result_cleared');
  assert.equal(cleared.length, 1);
  assert.equal(span.decision, 'edits');
  assert.equal(span.decisions, 1);
  assert.equal(span.tokens_delta, cleared[0].tokens_delta);
  assert.ok(span.tokens > 0 && span.ms >= 0);
  const after = (await prepare(d, [user('more')])).request;
  assert.ok(JSON.stringify(after.messages[2]).length < JSON.stringify(before.messages[2]).length);
});

test('P-1 every main request gets the stack, and no summariser is asked before the deterministic layers are done', async () => {
  const seen: string[][] = [];
  const fake = new FakeSummariser(async (r) => {
    seen.push((await d.registry.get('default', S)).session.trace.map((s) => s.layer));
    return good(`Turns ${r.turns[0]} to ${r.turns[1]}.`);
  });
  const d = new BenchDaemon({ summariser: fake });
  await open(d, ALL, {
    context_window: 16_384,
    max_output_tokens: 4096,
    tools: [tool('read')],
    blocks: { [BUFFER]: { message_threshold: 4, require_over_budget: false } },
  });
  for (let i = 0; i < 8; i += 1) {
    await prepare(d, [user(`${i} ${BODY}`)]);
    const spans = named(await trace(d));
    for (const layer of ['progressive', 'tool_result_clear', 'tool_def_pruner'])
      assert.ok(spans.includes(layer), `request ${i} has no ${layer}`);
    await d.call('session.append', { session: S, messages: [said(`a${i} ${BODY}`)] });
    await d.call('turn.end', { session: S });
    await settled(d);
  }
  assert.ok(seen.length > 0, 'no summary was asked for');
  for (const layers of seen) {
    const first = layers.findIndex((l) => l === 'summary_buffer' || l === 'compaction');
    const last = layers.lastIndexOf('tool_def_pruner');
    assert.ok(last >= 0 && last < (first < 0 ? layers.length : first), layers.join(' '));
  }
  const { trace: before } = await d.call('session.state', { session: S, trace: true });
  await prepare(d, undefined, { task_kind: 'plan', messages: [user('inner')] });
  assert.deepEqual(
    (await d.call('session.state', { session: S, trace: true })).trace,
    before,
    'an exempt kind ran layers',
  );
});

function said(text: string): Json {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}
