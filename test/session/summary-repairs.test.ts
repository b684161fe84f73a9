// Summaries over messages that were repaired: the repair goes with what it mended and comes back with it, and a summary
// that finds no place costs the agent nothing. Each was found by random agents.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BenchDaemon, type Json, user } from './bench-daemon.js';
import { COMPACTION, compact, events, FakeSummariser, open, prepare, S } from './condensing.js';

const LONG = 'word '.repeat(600);
const TAIL = (protect_recent: number) => ({ blocks: { [COMPACTION]: { protect_recent } } });

test('PV-C2 L4-5 the result that a repair wrote goes with its call, also from behind a message that was left out', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], { format: 'openai-chat', model: 'gpt-5.4', ...TAIL(3) });
  const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } };
  await prepare(d, [
    user('go'),
    { role: 'assistant', content: LONG, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'orphan', content: 'of no call' },
    { role: 'assistant', content: 'ok' },
    user('next'),
  ]);
  await compact(d);
  assert.equal(events(d, 'memory.compacted').length, 1);
  const { request } = await prepare(d);
  assert.equal(request.messages.filter((m: Json) => m.role === 'tool').length, 0);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('PV-R1 L4-20 when a divergence takes a summary away, what it stood for is as mended as before', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [COMPACTION], { format: 'openai-responses', model: 'gpt-5.4', ...TAIL(2) });
  const said = (text: string) => ({ role: 'assistant', content: [{ type: 'output_text', text }] });
  const call = { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' };
  const messages: Json[] = [user('go'), call, user('no result came'), said(LONG), user('a'), said('b')];
  await prepare(d, [...messages, user('c')]);
  await compact(d);
  assert.equal(events(d, 'memory.compacted').length, 1);
  const once = await prepare(d);
  assert.ok(!JSON.stringify(once.request.messages).includes('function_call'));
  const { request } = await prepare(d, undefined, {
    messages: [...messages.slice(0, 4), user('something else')],
  });
  const outputs = request.messages.filter((m: Json) => m.type === 'function_call_output');
  assert.deepEqual(
    outputs.map((m: Json) => m.call_id),
    ['c'],
  );
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('F36 P-5 a waiting summary that finds no place is given up, and the call that met it is answered', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  const BUFFER = 'nexus.memory.summary_buffer';
  await open(d, [BUFFER], {
    blocks: { [BUFFER]: { message_threshold: 4, max_recent: 2, require_over_budget: false } },
    curated: { cost_rule: 'off' },
  });
  const said = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });
  const history = Array.from({ length: 4 }, (_, i) => [user(`${i} ${LONG}`), said(`${i} ${LONG}`)]).flat();
  await prepare(d, [...history, user('go')]);
  const actor = await d.registry.get('default', S);
  while (actor.compactor.cycle !== undefined && !actor.compactor.waits) await new Promise(setImmediate);
  // The rules find fault with the summary in its place, whatever it is.
  const { rendering } = actor.session;
  const rules = rendering.violations.bind(rendering);
  rendering.violations = (state, walk) => [
    ...rules(state, walk),
    ...(state.summary === undefined ? [] : [{ rule: 'PV-A10', path: '/messages/0', message: 'no place' }]),
  ];
  await d.call('session.append', { session: S, messages: [said('ok')] });
  const ended = await d.call('turn.end', { session: S });
  assert.equal(ended.turn, 0);
  assert.equal(events(d, 'memory.summary_replaced').length, 0);
  assert.match(events(d, 'memory.compaction.failed')[0].reason, /no place/);
  const { request } = await prepare(d, [user('more')]);
  assert.deepEqual(request.messages.slice(0, 8), history);
});
