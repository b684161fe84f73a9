// Recorded classes under edits: what must hold whatever was edited.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CACHE_RULES, promptTokens } from '../../src/economics/index.js';
import { adjust } from '../../src/eval/whatif/adjust.js';
import type { Baseline } from '../../src/eval/whatif/baseline.js';

const base = (o: Partial<Baseline> = {}): Baseline => ({
  classes: [],
  recorded: [],
  rules: CACHE_RULES.anthropic,
  scale: 1,
  overhead: 0,
  caches: true,
  hour: false,
  ...o,
});

const classes = fc.record(
  {
    uncached: fc.nat(5000),
    read: fc.nat(200_000),
    write5m: fc.nat(50_000),
    write1h: fc.nat(50_000),
    output: fc.nat(5000),
  },
  { noNullPrototype: true },
);

test('a request that nothing was done to is the recorded one', () => {
  fc.assert(
    fc.property(classes, (c) => {
      const { classes: got, rewritten } = adjust(c, base(), { freed: 0, freedWithin: () => 0 });
      assert.deepEqual(got, c);
      assert.equal(rewritten, 0);
    }),
  );
});

test('cleared tokens leave the prompt, all others stay in exactly one class', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(classes, share, share, share, (c, f, w, s) => {
      const prompt = promptTokens(c);
      const freed = Math.floor(prompt * f);
      const { classes: got, rewritten } = adjust(c, base(), {
        freed,
        freedWithin: () => Math.floor(freed * w),
        stable: Math.floor(prompt * s),
      });
      assert.equal(promptTokens(got), prompt - freed);
      assert.equal(got.output, c.output);
      assert.ok(got.read <= c.read && rewritten >= 0);
      for (const v of Object.values(got)) assert.ok(v >= 0 && Number.isInteger(v));
    }),
  );
});

test('an edit deep in the cached part is paid for: what stood behind it is written again', () => {
  const c = { uncached: 5, read: 100_000, write5m: 1000, write1h: 0, output: 10 };
  const change = { freed: 20_000, freedWithin: () => 20_000, stable: 30_000 };
  assert.deepEqual(adjust(c, base(), change), {
    classes: { uncached: 5, read: 30_000, write5m: 51_000, write1h: 0, output: 10 },
    rewritten: 50_000,
  });
});

test('what the log does not show stays cached in front of an edit', () => {
  const c = { uncached: 0, read: 100_000, write5m: 0, write1h: 0, output: 0 };
  const { classes: got } = adjust(c, base({ overhead: 30_000, scale: 1.2 }), {
    freed: 10_000,
    freedWithin: () => 10_000,
    stable: 5000,
  });
  assert.equal(got.read, 36_000);
  assert.equal(promptTokens(got), 88_000);
});

test('without a fee for writing the rewrite is plain input', () => {
  const c = { uncached: 500, read: 10_240, write5m: 0, write1h: 0, output: 0 };
  const { classes: got } = adjust(c, base({ rules: CACHE_RULES.openaiOld }), {
    freed: 1000,
    freedWithin: () => 1000,
    stable: 2048,
  });
  assert.deepEqual(got, { uncached: 7692, read: 2048, write5m: 0, write1h: 0, output: 0 });
});
