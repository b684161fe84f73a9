// The gate's decision over every window from 1k to 2M with any reserve: what it lets through fits, and it always ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type GateFacts, type GateStep, gateStep } from '../../src/curation/gate-step.js';
import { autoCompactThreshold, outputReserve } from '../../src/economics/window.js';

const CALM: GateFacts = {
  tokens: 10,
  p95: 12,
  threshold: 100,
  limit: 120,
  ceiling: 120,
  blocked: false,
  cycles: 0,
  maxCycles: 3,
  compacted: false,
  failed: 'no',
  canCompact: true,
  canClear: true,
  canShrink: true,
  canShorten: true,
  canSqueeze: true,
  canFallBack: true,
};

test('L5-1 at the threshold a request passes, one token above it is held', () => {
  assert.equal(gateStep({ ...CALM, tokens: 100 }), 'pass');
  assert.equal(gateStep({ ...CALM, tokens: 101 }), 'compact');
});

test('NS-16 a summary that failed only warns while the request fits', () => {
  assert.equal(gateStep({ ...CALM, tokens: 101, failed: 'failed', cycles: 1, canCompact: false }), 'warn');
  assert.equal(gateStep({ ...CALM, p95: 121, failed: 'failed', cycles: 1, canCompact: false }), 'fall_back');
  assert.equal(gateStep({ ...CALM, p95: 121, failed: 'refused', cycles: 1, canCompact: false }), 'clear');
});

test('NS-9 what cannot be summarised and fits is left alone; what does not fit is cut', () => {
  assert.equal(gateStep({ ...CALM, tokens: 101, canCompact: false }), 'irreducible');
  assert.equal(gateStep({ ...CALM, p95: 121, canCompact: false, canClear: false }), 'shrink');
});

test('NS-17 L5-6 a compaction that did not suffice is followed by deeper steps, in order', () => {
  const f = { ...CALM, tokens: 101, compacted: true, canCompact: false, cycles: 1 };
  assert.equal(gateStep(f), 'clear');
  assert.equal(gateStep({ ...f, canClear: false }), 'shrink');
  assert.equal(gateStep({ ...f, canClear: false, canShrink: false }), 'shorten');
  assert.equal(gateStep({ ...f, canClear: false, canShrink: false, canShorten: false }), 'irreducible');
});

test('NS-17 without new reducible content nothing is tried again', () => {
  assert.equal(gateStep({ ...CALM, tokens: 101, blocked: true }), 'pass');
});

/** A session as the gate sees it: four heaps of tokens that its steps take from, each with what it cannot take. */
interface World {
  fixed: number;
  old: number;
  results: number;
  long: number;
  tail: number;
}

function play(world: World, window: number, maxOutput: number, inflation: number, summaryFails: boolean) {
  const threshold = autoCompactThreshold(window, maxOutput);
  const limit = window - Math.min(maxOutput, Math.floor(window / 2));
  const w = { ...world };
  const run = {
    cycles: 0,
    compacted: false,
    asked: false,
    fellBack: false,
    cleared: false,
    shrunk: false,
    squeezed: false,
  };
  let failed: GateFacts['failed'] = 'no';
  const steps: GateStep[] = [];
  for (;;) {
    const tokens = w.fixed + w.old + w.results + w.long + w.tail;
    const facts: GateFacts = {
      tokens,
      p95: Math.ceil(tokens * inflation),
      threshold,
      limit,
      ceiling: w.fixed > limit ? window : limit,
      blocked: false,
      cycles: run.cycles,
      maxCycles: 3,
      compacted: run.compacted,
      failed,
      canCompact: !run.asked && w.old > 64,
      canClear: !run.cleared && w.results > 0,
      canShrink: !run.shrunk && w.long > 0,
      canShorten: w.tail > 64,
      canSqueeze: !run.squeezed && w.long > 64,
      canFallBack: !run.fellBack,
    };
    const step = gateStep(facts);
    steps.push(step);
    assert.ok(steps.length <= 12, `it goes on and on: ${steps.join(' ')}`);
    if (step === 'compact' || step === 'fall_back' || step === 'shorten') {
      run.cycles += 1;
      run.asked = true;
      if (step === 'fall_back') run.fellBack = true;
      if (summaryFails && step !== 'fall_back') failed = 'failed';
      else {
        failed = 'no';
        run.compacted = true;
        w.old = Math.min(w.old, 200);
        if (step === 'shorten') w.tail = Math.floor(w.tail / 2);
      }
    } else if (step === 'clear') {
      run.cleared = true;
      w.results = Math.floor(w.results / 20);
    } else if (step === 'shrink') {
      run.shrunk = true;
      w.long = Math.min(w.long, Math.max(400, Math.floor(threshold / 16)));
    } else if (step === 'squeeze') {
      run.squeezed = true;
      w.long = Math.min(w.long, 64);
    } else return { step, steps, facts };
  }
}

test('L5-6 NS-5 F36 every window from 1k to 2M, any reserve: what passes fits, and nothing loops', () => {
  const heap = fc.oneof(fc.nat(500), fc.nat(50_000), fc.nat(3_000_000));
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 2_000_000 }),
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.record({ fixed: heap, old: heap, results: heap, long: heap, tail: heap }),
      fc.double({ min: 1, max: 1.5, noNaN: true }),
      fc.boolean(),
      (window, maxOutput, world, inflation, fails) => {
        assert.ok(autoCompactThreshold(window, maxOutput) + outputReserve(window, maxOutput) <= window);
        const { step, facts } = play(world, window, maxOutput, inflation, fails);
        if (step === 'pass' || step === 'warn') assert.ok(facts.p95 <= facts.limit);
        else if (step === 'irreducible') assert.ok(facts.p95 <= facts.ceiling && facts.p95 <= window);
        else assert.equal(step, 'fail');
        if (step === 'fail') assert.ok(facts.p95 > facts.limit && !facts.canClear && !facts.canShrink);
      },
    ),
    { numRuns: 3000 },
  );
});
