// A comparison that is looked at while it runs: planted differences end it early, planted nulls do not end it wrongly.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SequentialTest, type Verdict } from '../../src/eval/sequential.js';
import { ratioBootstrap } from '../../src/eval/stats.js';
import { seeded } from '../../src/random.js';

function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

function verdictOf(
  mean: number,
  seed: number,
  most: number,
  margin?: number,
): { verdict: Verdict; pairs: number } {
  const next = seeded(seed);
  const run = new SequentialTest({ seed, ...(margin === undefined ? {} : { margin }) });
  for (let n = 1; n <= most; n++) {
    const verdict = run.add(mean + normal(next));
    if (verdict !== 'open') return { verdict, pairs: n };
  }
  return { verdict: 'open', pairs: most };
}

test('no planted null is found more often than the stated level, over all looks', () => {
  const runs = 100;
  let found = 0;
  for (let seed = 1; seed <= runs; seed++) if (verdictOf(0, seed, 64).verdict !== 'open') found++;
  // Three standard errors of 100 runs around 5 %.
  assert.ok(found / runs <= 0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs), `${found} of ${runs}`);
});

test('a large planted difference ends the run early and with the right sign', () => {
  for (const sign of [1, -1]) {
    const { verdict, pairs } = verdictOf(sign * 2, 7, 256);
    assert.equal(verdict, sign > 0 ? 'better' : 'worse');
    assert.ok(pairs <= 32, `${pairs}`);
  }
});

test('a run with a margin ends when the arm is not worse by more than that, and never when it is', () => {
  assert.equal(verdictOf(0, 3, 1024, 1).verdict, 'non-inferior');
  assert.equal(verdictOf(-2, 3, 1024, 1).verdict, 'worse');
});

test('what was said stays said, and before the first look nothing is', () => {
  const run = new SequentialTest();
  for (let i = 0; i < 7; i++) assert.equal(run.add(5 + i / 10), 'open');
  assert.equal(run.interval, undefined);
  assert.equal(run.add(5), 'better');
  for (let i = 0; i < 40; i++) assert.equal(run.add(-100), 'better');
});

test('the ratio of two groups: planted nulls stay near the level, a planted half is found', () => {
  const group = (next: () => number, factor: number) =>
    Array.from({ length: 30 }, () => {
      const weight = 1 + Math.floor(next() * 50);
      return { sum: factor * weight * Math.exp(normal(next) / 2), weight };
    });
  let found = 0;
  const runs = 300;
  for (let seed = 1; seed <= runs; seed++) {
    const next = seeded(seed);
    const i = ratioBootstrap(group(next, 1), group(next, 1), { seed, samples: 400 })!;
    if (i.low > 0 || i.high < 0) found++;
  }
  assert.ok(found / runs <= 0.1, `${found} of ${runs}`);
  const next = seeded(5);
  const half = ratioBootstrap(group(next, 0.5), group(next, 1))!;
  assert.ok(half.high < 0 && half.low > -1, JSON.stringify(half));
  assert.equal(ratioBootstrap(group(next, 1).slice(0, 4), group(next, 1)), undefined);
});
