// Layer 4: when a summary is due, what it keeps, how it is put in, how older blocks are merged.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Summary } from '../../src/summary/summariser.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import {
  BUFFER,
  COMPACTION,
  compact,
  events,
  FakeSummariser,
  GATE,
  good,
  journal,
  open,
  prepare,
  S,
  settled,
  texts,
} from './condensing.js';

const FREE = { require_over_budget: false };

function turns(from: number, n: number, size = ''): Json[] {
  return Array.from({ length: n }, (_, i) => [
    user(`question ${from + i} ${size}`),
    assistant(`answer ${from + i} ${size}`),
  ]).flat();
}

async function play(d: BenchDaemon, n: number, size: string, from = 0): Promise<Json> {
  let out: Json;
  for (let i = 0; i < n; i += 1) {
    out = await prepare(d, [
      ...(i + from === 0 ? [] : [assistant(`answer ${from + i - 1} ${size}`)]),
      user(`question ${from + i} ${size}`),
    ]);
    await d.call('turn.end', { session: S });
    await settled(d);
  }
  return out;
}

const LINE = 'some words that say little '.repeat(20);

test('L4-1 L4-3 L4-10 at the threshold the older part becomes one summary, the last messages stay', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [BUFFER], {
    blocks: { [BUFFER]: { ...FREE, message_threshold: 20, max_recent: 4 } },
    curated: { cost_rule: 'off' },
  });
  await play(d, 10, LINE);
  assert.equal(events(d, 'memory.summary_replaced').length, 0, '19 messages');
  await play(d, 2, LINE, 10);
  const out = await prepare(d, [assistant('a'), user('q')]);
  const [done] = events(d, 'memory.summary_replaced');
  assert.equal(events(d, 'memory.compaction.triggered')[0].reason, 'message count 21 >= threshold 20');
  const { messages } = out.request;
  assert.match(texts([messages[0]]), /## Prior Context \(Summarised\)/);
  assert.ok(texts(messages.slice(1)).includes('question 11'));
  assert.ok(done.summary_tokens < done.original_tokens);
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('L4-14 L4-15 the range is the real one, in event and section', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [BUFFER], {
    blocks: { [BUFFER]: { ...FREE, message_threshold: 12, max_recent: 2 } },
    curated: { cost_rule: 'off' },
  });
  await play(d, 14, LINE);
  const done = await journal(d, 'memory.summary_replaced');
  assert.ok(done.length >= 2);
  const second = done[1];
  assert.equal(
    second.from_turns[0],
    done[0].from_turns[1] + (second.from_turns[0] > done[0].from_turns[1] ? 1 : 0),
  );
  assert.ok(second.from_turns[0] > 0);
  const envelopes = (await journal(d, 'memory.curated')).filter((e) => e.layer === 'summary_buffer');
  assert.equal(
    envelopes[1].sections_touched[0].section_id,
    `${BUFFER}/range-${second.from_turns[0]}-${second.from_turns[1]}`,
  );
  assert.equal(envelopes[1].sections_touched[0].kind, 'session');
});

test('L4-21 P-2 under budget nothing runs unless the session says so', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [BUFFER], { blocks: { [BUFFER]: { message_threshold: 10, max_recent: 2 } } });
  await play(d, 12, LINE);
  assert.equal(fake.asked.length, 0);
});

test('L4-1 the other measures: tokens of the view, and turns since the last summary', async () => {
  for (const settings of [
    { strategy: 'token_estimate', token_threshold: 2000, max_recent: 2 },
    { strategy: 'turn_count', turn_threshold: 6, max_recent: 2 },
  ]) {
    const d = new BenchDaemon({ summariser: new FakeSummariser() });
    await open(d, [BUFFER], {
      blocks: { [BUFFER]: { ...FREE, ...settings } },
      curated: { cost_rule: 'off' },
    });
    await play(d, 11, LINE);
    const reasons = events(d, 'memory.compaction.triggered').map((e) => e.reason);
    const measure =
      settings.strategy === 'turn_count'
        ? /^turn count 6 >= threshold 6$/
        : /^token estimate \d+ >= threshold 2000$/;
    assert.match(reasons[0] ?? '', measure);
    if (settings.strategy === 'turn_count') assert.ok(reasons.length <= 2, 'L4-10 the measure starts anew');
  }
});

test('L4-16 one handler answers: the target, else layer 5, else this one', async () => {
  const heading = async (active: string[], more: Json) => {
    const d = new BenchDaemon({ summariser: new FakeSummariser() });
    await open(d, active);
    await d.call('session.append', { session: S, messages: turns(0, 10, LINE) });
    await compact(d, more);
    return texts((await prepare(d, [user('now')])).request.messages.slice(0, 1));
  };
  assert.match(await heading([BUFFER], {}), /Summarised/);
  assert.match(await heading([BUFFER, COMPACTION], {}), /Compacted/);
  assert.match(await heading([BUFFER, GATE], {}), /Compacted/);
  assert.match(await heading([BUFFER, COMPACTION], { target: BUFFER }), /Summarised/);
});

test('L4-12 L4-17 a failing summariser frees the layer, and it is tried again when more has come', async () => {
  const fake = new FakeSummariser((): Summary => ({ ok: false, reason: 'error', calls: 3 }));
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [BUFFER], {
    blocks: { [BUFFER]: { ...FREE, message_threshold: 8, max_recent: 2 } },
    curated: { cost_rule: 'off' },
  });
  await play(d, 5, LINE);
  const failures = fake.asked.length;
  assert.ok(failures >= 1);
  const states = events(d, 'io.status').map((e) => e.state);
  assert.equal(states.filter((s) => s === 'thinking').length, states.filter((s) => s === 'idle').length);
  fake.behaviour = () => good('short');
  // More than the growth below which nothing is tried again.
  await play(d, 2, LINE.repeat(16), 5);
  assert.equal(events(d, 'memory.summary_replaced').length, 1);
});

test('P-7 COSTS 3 a summary in the background waits for a boundary at which it pays', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser() });
  await open(d, [BUFFER], {
    blocks: { [BUFFER]: { ...FREE, message_threshold: 10, max_recent: 8 } },
    curated: { cache_ttl: '1h' },
  });
  // The tail is far larger than what the summary frees: with a warm cache that never pays.
  for (let i = 0; i < 8; i += 1) {
    const size = i < 2 ? LINE : LINE.repeat(12);
    await prepare(d, [...(i === 0 ? [] : [assistant(`a${i} ${size}`)]), user(`q${i} ${size}`)]);
    await d.call('turn.end', { session: S });
    await new Promise((r) => setTimeout(r, 5));
  }
  assert.equal(events(d, 'memory.compaction.triggered').length, 1);
  assert.equal(events(d, 'memory.summary_replaced').length, 0);
});

test('L4-20 the decision of turn 1 survives 20 cycles', async () => {
  const fake = new FakeSummariser((r) => {
    const kept = r.messages.map((m) => /DECISION [^.]*\./.exec(m.text)?.[0]).filter((t) => t !== undefined);
    return good(
      [...kept, ...r.messages.slice(0, 12).map((m) => `Seen at ${m.at}: ${m.text.slice(0, 60)}`)].join('\n'),
    );
  });
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [BUFFER], {
    model: 'gpt-4o',
    context_window: 16_384,
    max_output_tokens: 4096,
    blocks: { [BUFFER]: { ...FREE, message_threshold: 1_000_000, max_recent: 2 } },
  });
  await d.call('session.append', {
    session: S,
    messages: [user('begin'), assistant('DECISION to use JWT instead of sessions. ')],
  });
  for (let cycle = 0; cycle < 20; cycle += 1) {
    await d.call('session.append', { session: S, messages: turns(cycle * 10, 6, LINE) });
    await compact(d);
  }
  assert.equal(events(d, 'memory.summary_replaced').length, 20);
  const out = await prepare(d, [user('now')]);
  const summary = texts([out.request.messages[0]]);
  assert.match(summary, /DECISION to use JWT instead of sessions/);
  assert.ok(summary.length / 4 < 16_384 / 4, 'bounded');
  assert.equal((summary.match(/Prior Context/g) ?? []).length, 1, 'never nested');
});

test('L4-6 L4-7 the summariser sees the calls and their results, never thinking, never our own blocks', async () => {
  const fake = new FakeSummariser();
  const d = new BenchDaemon({ summariser: fake });
  await open(d, [BUFFER], { blocks: { [BUFFER]: { max_recent: 1 } } });
  await d.call('durable.add_decision', { session: S, text: 'pinned by the agent' });
  const [call, result] = toolRound('t1', 'read', { path: 'a.ts' }, LINE.repeat(4));
  call.content.unshift({ type: 'thinking', thinking: 'a secret thought', signature: 'x' });
  await prepare(d, [user('go'), call, result]);
  await d.call('session.append', {
    session: S,
    messages: [assistant('done'), user('next'), assistant('ok'), user('now')],
  });
  await compact(d);
  const seen = JSON.stringify(fake.asked[0]);
  assert.ok(seen.includes('a.ts'));
  assert.ok(!seen.includes('secret thought'));
  assert.ok(!seen.includes('pinned by the agent'), 'NS-18');
  assert.ok(JSON.stringify((await prepare(d)).request).includes('pinned by the agent'));
});
