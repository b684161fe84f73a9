// The cost rule: worked examples, the choice of the start, triggers, and that it is never fooled by placeholders (P-7, COSTS 3 to 7).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  batchSize,
  breakEven,
  cliffEdit,
  cliffNeed,
  coldOdds,
  decideEdit,
  delta,
  type EditProblem,
  expectedDelta,
  leverage,
  NO_PAUSES,
  pauseClass,
  recallLimit,
  remaining,
  wasCold,
  withPause,
} from '../../src/economics/index.js';

const near = (a: number, b: number, by = 0.005) => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);

test('COSTS 3 worked examples: cost once, saving per request, and the request from which it pays', () => {
  // Opus 5.5: $4 in, r .05, w 1.25. 50k cleared with 20k, then 100k, behind them.
  near((20_000 * (1.25 - 0.05) * 4) / 1e6, 0.096, 1e-9);
  near((50_000 * 0.05 * 4) / 1e6, 0.01, 1e-9);
  const first = (k: number, s: number, r: number, w = 1.25) => Math.ceil(breakEven(k, s, r, w) - 1e-9);
  assert.equal(first(50_000, 20_000, 0.05), 10);
  assert.equal(first(50_000, 100_000, 0.05), 48);
  assert.equal(first(100_000, 50_000, 0.025), 25);
  assert.equal(first(20_000, 5_000, 0.1), 3);
  assert.equal(first(50_000, 20_000, 0.1), 5);
});

test('COSTS 3 break-even table: n* by leverage and S/k', () => {
  const table: [number, number, number[]][] = [
    [0.025, 1.25, [4.9, 12.25, 24.5, 49, 98, 245, 490]],
    [0.05, 1.25, [2.4, 6, 12, 24, 48, 120, 240]],
    [0.1, 1.25, [1.15, 2.875, 5.75, 11.5, 23, 57.5, 115]],
    [0.5, 1, [0.1, 0.25, 0.5, 1, 2, 5, 10]],
  ];
  for (const [r, w, row] of table) {
    [0.1, 0.25, 0.5, 1, 2, 5, 10].forEach((q, i) => {
      near(breakEven(1000, q * 1000, r, w), row[i]!, 1e-9);
    });
  }
  assert.equal(leverage(1, 1), 0);
  assert.equal(breakEven(0, 10, 0.1, 1.25), Number.POSITIVE_INFINITY);
  assert.equal(breakEven(10, 0, 0.1, 1.25), 0);
});

test('COSTS 5 k* for five kept turns at four leverages', () => {
  const k = (r: number, w: number) => Math.round(batchSize(2600, 17_000, r, w) / 1000);
  assert.deepEqual([k(0.1, 1), k(0.1, 1.25), k(0.05, 1.25), k(0.025, 1.25)], [28, 32, 46, 66]);
  assert.equal(batchSize(0, 17_000, 0.1, 1.25), 0);
});

test('COSTS 7 recall limits: small blocks save little and cost a turn', () => {
  const rho = (block: number, r: number) =>
    Math.round(recallLimit({ block, prompt: 60_000, output: 250 }, 40, r, 1.25, 5) * 100) / 100;
  assert.deepEqual(
    [6000, 2000, 500].map((b) => [0.1, 0.05, 0.025].map((r) => rho(b, r))),
    [
      [0.9, 0.68, 0.45],
      [0.58, 0.46, 0.32],
      [0.23, 0.19, 0.14],
    ],
  );
});

/** Candidates of the given sizes with `gap` tokens of other text behind each and `tail` at the end. */
function problem(
  sizes: number[],
  o: Partial<EditProblem> & { gap?: number; tail?: number; waited?: number } = {},
) {
  const { gap = 0, tail = 0, waited = 1_000, ...rest } = o;
  const suffix: number[] = [];
  let behind = tail;
  for (let i = sizes.length - 1; i >= 0; i--) {
    behind += gap;
    suffix[i] = behind;
    behind += sizes[i]!;
  }
  return {
    candidates: { tokens: sizes, placeholder: 25, suffix, waited: sizes.map(() => waited) },
    r: 0.1,
    w: 1.25,
    nHat: 40,
    ...rest,
  } satisfies EditProblem;
}

test('P-7 an edit behind the known prefix is made when it pays, and the numbers say why', () => {
  const d = decideEdit(problem([50_025], { tail: 20_000 }));
  assert.deepEqual(
    { edit: d.edit, from: d.from, reason: d.reason, k: d.k, S: d.S, recacheTokens: d.recacheTokens },
    { edit: true, from: 0, reason: 'pays', k: 50_000, S: 20_025, recacheTokens: 70_025 },
  );
  near(d.M, 11.5, 1e-9);
  near(d.breakEvenRequests, (11.5 * 20_025) / 50_000, 1e-9);
  near(d.savesPerRequest, 5000, 1e-9);
  near(d.delta, delta(40, 50_000, 20_025, 0.1, 1.25), 1e-6);
  const no = decideEdit(problem([50_025], { tail: 200_000 }));
  assert.deepEqual([no.edit, no.reason], [false, 'does_not_pay']);
});

test('P-7 it waits for a full batch and for rent, then does not wait any longer', () => {
  const early = decideEdit(problem([6025], { tail: 5000, arrival: 2600 }));
  assert.deepEqual([early.edit, early.reason], [false, 'waiting']);
  assert.ok(early.k < early.kStar && early.delta > 0);
  const poor = decideEdit(problem([50_025], { tail: 20_000, waited: 1 }));
  assert.deepEqual([poor.edit, poor.reason], [false, 'waiting']);
  assert.equal(decideEdit(problem([6025, 12_025, 9025], { tail: 5000, arrival: 2600 })).edit, true);
});

test('P-7 where boundaries are rare it neither waits for a batch nor for all of the rent', () => {
  const p = problem([6025, 6025], { tail: 5000, arrival: 2600, waited: 3 });
  assert.equal(decideEdit(p).reason, 'waiting');
  assert.equal(decideEdit({ ...p, rare: true }).edit, true);
});

test('COSTS 3 depth decides: the start is the best one, not the oldest', () => {
  // An old small result far back, big ones near the end.
  const d = decideEdit(problem([300, 20_000, 20_000], { gap: 30_000, tail: 5000 }));
  assert.equal(d.edit, true);
  assert.equal(d.from, 1);
  assert.equal(d.S, 30_000 + 30_000 + 5000 + 50);
  assert.equal(d.recacheTokens, 20_000 + 20_000 + 60_000 + 5000);
});

test('P-7 what was never sent costs no rewrite and is cleared without waiting', () => {
  const d = decideEdit({
    ...problem([9_000], { nHat: 5, arrival: 50_000 }),
    candidates: { tokens: [9000], placeholder: 25, suffix: [0], waited: [1], sent: 0 },
  });
  assert.deepEqual([d.edit, d.reason, d.S, d.recacheTokens], [true, 'free', 0, 0]);
  near(d.delta, 5 * 8975 * 0.1 + 8975 * 1.15, 1e-6);
});

test('P-7 forced edits skip the pay test and free what is needed at the best start', () => {
  const hard = problem([4000, 4000, 4000, 4000], { gap: 50_000, tail: 50_000, nHat: 1 });
  assert.equal(decideEdit(hard).edit, false);
  const d = decideEdit({ ...hard, forced: { need: 7000, reason: 'window' } });
  assert.deepEqual([d.edit, d.reason, d.from], [true, 'window', 2]);
  assert.equal(decideEdit({ ...hard, forced: { need: 1e9, reason: 'window' } }).from, 0);
  const useless = decideEdit({ ...hard, forced: { need: 1e9, atLeast: 20_000, reason: 'cliff' } });
  assert.deepEqual([useless.edit, useless.reason], [false, 'does_not_pay']);
  assert.deepEqual(
    [decideEdit({ ...hard, always: 'rule_off' }), decideEdit({ ...hard, always: 'unknown_prefix' })].map(
      (x) => [x.edit, x.reason, x.from],
    ),
    [
      [true, 'rule_off', 0],
      [true, 'unknown_prefix', 0],
    ],
  );
});

test('P-7 clear_at_least, no candidates, no cache', () => {
  const few = decideEdit({ ...problem([3000], { always: 'rule_off' }), clearAtLeast: 5000 });
  assert.deepEqual([few.edit, few.reason], [false, 'clear_at_least']);
  assert.deepEqual(
    [decideEdit(problem([])).edit, decideEdit(problem([])).reason, decideEdit(problem([])).from],
    [false, 'no_candidates', -1],
  );
  const local = decideEdit({ ...problem([100], { tail: 90_000, waited: 1, nHat: 1 }), r: 1, w: 1 });
  assert.equal(local.edit, true, 'without a cache clearing is always right');
});

test('COSTS 4 dropped thinking shrinks the suffix and counts as removed; expected recalls are charged', () => {
  const base = problem([10_025], { tail: 30_000, nHat: 60 });
  const plain = decideEdit(base);
  const thinking = decideEdit({
    ...base,
    candidates: { ...base.candidates, thinking: [8000] },
    rethink: 500,
  });
  assert.equal(thinking.k, plain.k + 8000);
  assert.equal(thinking.S, plain.S - 8000);
  near(thinking.delta, delta(60, 18_000, 22_025, 0.1, 1.25) - 500, 1e-6);
  const risky = decideEdit({ ...base, candidates: { ...base.candidates, risk: [1e9] } });
  assert.equal(risky.edit, false);
});

test('COSTS 6 a cold cache is used at once, by probability; a wrong clock costs S (w - r) once at most', () => {
  const p = problem([5025], { tail: 60_000, nHat: 5, arrival: 2600, waited: 1 });
  assert.equal(decideEdit(p).edit, false);
  const cold = decideEdit({ ...p, pCold: 1 });
  assert.deepEqual([cold.edit, cold.reason], [true, 'cold']);
  assert.equal(decideEdit({ ...p, pCold: 0.6 }).edit, false, 'the risk of being wrong weighs more');
  assert.equal(
    decideEdit({ ...problem([1500], { tail: 0, arrival: 2600, waited: 0 }), pCold: 1 }).reason === 'cold',
    false,
  );
  near(expectedDelta(1, 5, 5000, 60_025, 0.1, 1.25), 5 * 500 + 5000 * 1.15, 1e-6);
  const loss = delta(5, 5000, 60_025, 0.1, 1.25);
  assert.ok(-loss <= 60_025 * 1.15);
});

test('COSTS 6 odds of a cold cache: prior by lifetime, learned by the length of the pause, unknown age is warm', () => {
  assert.equal(coldOdds(NO_PAUSES, undefined), 0);
  assert.equal(coldOdds(NO_PAUSES, 0.2), 0);
  assert.ok(coldOdds(NO_PAUSES, 7) > 0.9);
  let seen = NO_PAUSES;
  for (let i = 0; i < 20; i++) seen = withPause(seen, pauseClass(3), false);
  assert.ok(coldOdds(seen, 3) < 0.1, 'a provider that keeps longer than promised');
  assert.ok(coldOdds(seen, 100) > 0.9, 'says nothing about other lengths');
  // A report says so in its own tokens, here a fifth more than ours.
  assert.equal(wasCold(10_000, { cached: 0, prompt: 12_000 }, 10_000), true);
  assert.equal(wasCold(10_000, { cached: 11_900, prompt: 12_000 }, 10_000), false);
  assert.equal(wasCold(0, { cached: 0, prompt: 12_000 }, 10_000), false, 'nothing was to be read');
});

test('COSTS 11.5 a wrong clock costs one rewrite: after that the odds speak against it', () => {
  const at = (odds: number) => decideEdit({ ...problem([5000], { tail: 60_000, nHat: 5 }), pCold: odds });
  const first = coldOdds(NO_PAUSES, 3);
  assert.deepEqual([at(first).edit, at(first).reason], [true, 'cold']);
  const once = withPause(NO_PAUSES, pauseClass(3), false);
  assert.equal(at(coldOdds(once, 3)).edit, false);
});

test('COSTS 6 price cliff: hysteresis, and enough to free', () => {
  assert.deepEqual([cliffNeed(94_999, 100_000), cliffNeed(95_000, 100_000)], [0, 15_000]);
  assert.equal(cliffEdit(94_999, 100_000), undefined);
  assert.deepEqual(cliffEdit(95_000, 100_000), { need: 15_000, atLeast: 7500, reason: 'cliff' });
  assert.deepEqual(cliffEdit(101_000, 100_000), { need: 21_000, atLeast: 1000, reason: 'cliff' });
  assert.equal(cliffEdit(500, undefined), undefined);
});

test('COSTS 5 n-hat: as many again as seen so far', () => {
  assert.deepEqual([remaining(1), remaining(5), remaining(80)], [5, 5, 80]);
});

test('S-3 COSTS 3 property: what is made loses no more than is allowed, whatever the candidates', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 30, max: 30_000 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 60_000 }),
      fc.integer({ min: 1, max: 300 }),
      fc.constantFrom(0.025, 0.1, 0.5),
      fc.integer({ min: 0, max: 50_000 }),
      fc.constantFrom(0, 0.4, 1),
      (tokens, tail, nHat, r, allowance, pCold) => {
        const p = { ...problem(tokens, { tail, nHat }), r, pCold };
        const free = decideEdit(p);
        const held = decideEdit({ ...p, allowance });
        assert.ok(!held.edit || held.worstLoss <= allowance);
        if (free.edit && free.worstLoss <= allowance) assert.equal(held.edit, true);
        if (!free.edit) assert.equal(held.edit, false);
      },
    ),
  );
  const short = {
    ...problem([5000], { tail: 500, nHat: 50 }),
    prompt: { tokens: 5900, cached: 5900, rules: { minTokens: 1024, step: 128 } },
  };
  assert.equal(decideEdit(short).reason, 'does_not_pay', 'what is left is too short to be cached');
});

test('COSTS 3 property: the chosen start is the best of all starts that pass, by brute force', () => {
  const sizes = fc.array(fc.integer({ min: 30, max: 30_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(
      sizes,
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 0, max: 60_000 }),
      fc.integer({ min: 1, max: 300 }),
      fc.constantFrom(0.025, 0.05, 0.1, 0.5),
      (tokens, gap, tail, nHat, r) => {
        const p = { ...problem(tokens, { gap, tail, nHat }), r };
        const d = decideEdit(p);
        let best = Number.NEGATIVE_INFINITY;
        tokens.forEach((_, from) => {
          const k = tokens.slice(from).reduce((a, x) => a + x - 25, 0);
          const s = (tokens.length - from) * (gap + 25) + tail;
          const gain = delta(nHat, k, s, r, 1.25);
          const rentPaid = k * 1000 * r >= 0.6 * (1.25 - r) * s;
          if (nHat * k * r > 1.5 * (1.25 - r) * s && rentPaid) best = Math.max(best, gain);
        });
        return d.edit ? Math.abs(d.delta - best) < 1e-3 : best === Number.NEGATIVE_INFINITY;
      },
    ),
    { numRuns: 500 },
  );
});
