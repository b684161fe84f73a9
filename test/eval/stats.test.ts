// The evaluator's statistics: planted differences are found, planted nulls are not, at the stated level.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNonInferior, mcNemar, pairedBootstrap, quantile, shareBootstrap } from '../../src/eval/stats.js';
import { seeded } from '../../src/random.js';

const EVALS = 1000;
const PAIRS = 24;
const FAST = { samples: 400 };

/** Normal by Box-Muller. */
function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** Share of simulated evals in which the interval leaves out 0. */
function found(effect: number, draw: (next: () => number) => number): number {
  const next = seeded(7);
  let n = 0;
  for (let e = 0; e < EVALS; e++) {
    const differences = Array.from({ length: PAIRS }, () => effect + draw(next));
    const i = pairedBootstrap(differences, { ...FAST, seed: e })!;
    if (i.low > 0 || i.high < 0) n++;
  }
  return n / EVALS;
}

test('planted nulls are not found: at most about 5 % of 1,000 evals at level 95 %', () => {
  const share = found(0, normal);
  // Three standard errors of 1,000 evals around 5 %.
  assert.ok(share <= 0.072, `${share}`);
  assert.ok(share >= 0.02, `${share}: an interval that leaves out nothing finds nothing either`);
});

test('planted nulls of heavy, lopsided differences stay near the level', () => {
  const share = found(0, (next) => Math.exp(normal(next)) - Math.exp(0.5));
  assert.ok(share <= 0.13, `${share}`);
});

test('planted differences are found', () => {
  assert.ok(found(1, normal) > 0.98);
  assert.ok(found(-1, normal) > 0.98);
});

test('the bootstrap is the same for the same seed, and says nothing of four pairs', () => {
  const d = [1, 2, 5, -1, 3, 0.5];
  assert.deepEqual(pairedBootstrap(d, { seed: 3 }), pairedBootstrap(d, { seed: 3 }));
  assert.notDeepEqual(pairedBootstrap(d, { seed: 3 }), pairedBootstrap(d, { seed: 4 }));
  assert.equal(pairedBootstrap([1, 2, 3, 4]), undefined);
  assert.deepEqual(pairedBootstrap([2, 2, 2, 2, 2]), { mean: 2, low: 2, high: 2, n: 5 });
});

test('McNemar: exact values, and the level holds for planted nulls', () => {
  const arm = (yes: number, of: number) => Array.from({ length: of }, (_, i) => i < yes);
  // 8 to 1: 2 (1 + 9) / 2^9.
  assert.ok(
    Math.abs(mcNemar([...arm(8, 8), false, ...arm(3, 5)], [...arm(0, 8), true, ...arm(3, 5)]).p - 20 / 512) <
      1e-12,
  );
  assert.equal(mcNemar([true, false], [true, false]).p, 1);
  const next = seeded(11);
  let alarms = 0;
  for (let e = 0; e < EVALS; e++) {
    const a = Array.from({ length: 40 }, () => next() < 0.7);
    const b = a.map((v) => (next() < 0.3 ? next() < 0.7 : v));
    if (mcNemar(a, b).p < 0.05) alarms++;
  }
  assert.ok(alarms / EVALS <= 0.07, `${alarms}`);
  const worse = Array.from({ length: 40 }, (_, i) => i >= 12);
  assert.ok(mcNemar(Array(40).fill(true), worse).p < 0.001);
  assert.ok(mcNemar(Array(4000).fill(true), Array(4000).fill(false)).p < 1e-300);
});

test('non-inferiority: a loss within the margin passes, one beyond it does not', () => {
  const next = seeded(5);
  const around = (mean: number) => Array.from({ length: 60 }, () => mean + 0.05 * normal(next));
  assert.equal(isNonInferior(around(-0.01), 0.05), true);
  assert.equal(isNonInferior(around(-0.1), 0.05), false);
  assert.equal(isNonInferior([0, 0], 0.05), false);
});

test('quantiles interpolate', () => {
  assert.equal(quantile([1, 2, 3, 4], 0.5), 2.5);
  assert.equal(quantile([5], 0.95), 5);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test('the share that a sample of sessions saved: its interval holds the true one about as often as it says', () => {
  const next = seeded(23);
  let held = 0;
  for (let e = 0; e < 300; e++) {
    // Sizes over two decades; each saves 30 % of its own on average.
    const units = Array.from({ length: 40 }, () => {
      const weight = 10 ** (2 * next());
      return { sum: weight * (0.3 + 0.1 * normal(next)), weight };
    });
    const i = shareBootstrap(units, FAST)!;
    if (i.low <= 0.3 && i.high >= 0.3) held++;
  }
  assert.ok(held / 300 >= 0.87, `${held}`);
  assert.equal(shareBootstrap([{ sum: 1, weight: 2 }]), undefined);
  assert.equal(shareBootstrap(Array(9).fill({ sum: 0, weight: 0 })), undefined);
});
