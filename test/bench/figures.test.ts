// Results of benchmarks held against each other: which figures got worse, by their direction.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BenchResults, brokenSince, changesBetween, directionOf } from '../../bench/figures.js';

const results = (benches: BenchResults['benches']): BenchResults => ({
  commit: 'c',
  dirty: false,
  machine: 'm',
  day: '2026-11-30',
  benches,
});

test('a figure knows from its name whether more is better', () => {
  for (const more of [
    'turns_per_s',
    'o200k_base.prose.vs_tiktoken',
    'cost_saved',
    'recall_at_10',
    'confirmed_macro_f1',
  ])
    assert.equal(directionOf(more), 1, more);
  for (const less of [
    'p50_us',
    'attach_ms',
    'cpu_ratio_turn_10000_to_100',
    'refs_lost',
    'bytes_per_event',
    'parked_session_kb',
  ])
    assert.equal(directionOf(less), -1, less);
  for (const neither of ['machine', 'naive_events_per_s_group64', 'client_us_per_turn', 'crossover'])
    assert.equal(directionOf(neither), 0, neither);
});

test('changes are told by ratio, the worst first, in either direction', () => {
  const before = results({ a: { p50_us: 100, turns_per_s: 1000, machine: 'x' }, b: { cost_saved: 0.4 } });
  const after = results({ a: { p50_us: 150, turns_per_s: 2000, machine: 'y' }, b: { cost_saved: 0.2 } });
  assert.deepEqual(
    changesBetween(before, after).map((c) => [c.bench, c.figure, c.worse]),
    [
      ['b', 'cost_saved', 2],
      ['a', 'p50_us', 1.5],
      ['a', 'turns_per_s', 0.5],
    ],
  );
});

test('a benchmark that no longer gives figures is told, zeros are not divided by', () => {
  const before = results({ a: { refs_lost: 0 }, b: { p50_us: 1 }, c: { error: 'was broken' } });
  const after = results({ a: { refs_lost: 3 }, b: { error: 'ended' } });
  assert.deepEqual(changesBetween(before, after), []);
  assert.deepEqual(brokenSince(before, after), ['b']);
});
