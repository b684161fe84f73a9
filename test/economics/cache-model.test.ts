// What the provider holds cached: marks with look-back and clocks, automatic prefixes (S-3).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  CACHE_RULES,
  type CacheState,
  EMPTY_CACHE,
  NO_TOKENS,
  type PlannedRequest,
  predictCache,
  promptTokens,
} from '../../src/economics/index.js';

const RULES = CACHE_RULES.anthropic;
const MIN = 60_000;

/** A prompt of `n` blocks of 1,000 tokens with marks at the given positions. */
function prompt(n: number, marks: number[], o: Partial<PlannedRequest> = {}): PlannedRequest {
  return {
    at: 0,
    tokens: n * 1000,
    positions: n,
    unchangedPositions: n,
    unchangedTokens: n * 1000,
    marks: marks.map((position) => ({ position, tokens: (position + 1) * 1000 })),
    ...o,
  };
}

test('PV-A42 a mark writes, the next one reads it within 20 positions, the mark itself included', () => {
  const first = predictCache(EMPTY_CACHE, RULES, prompt(10, [9]));
  assert.deepEqual(first.classes, { ...NO_TOKENS, write5m: 10_000 });
  assert.equal(first.age, 'none');
  const grown = (n: number) =>
    prompt(n, [n - 1], { at: MIN, unchangedPositions: 10, unchangedTokens: 10_000 });
  const near = predictCache(first.next, RULES, grown(29));
  assert.deepEqual(near.classes, { ...NO_TOKENS, read: 10_000, write5m: 19_000 });
  assert.equal(near.age, 'warm');
  const far = predictCache(first.next, RULES, grown(30));
  assert.deepEqual(far.classes, { ...NO_TOKENS, write5m: 30_000 });
});

test('PV-A38 without a mark nothing is written or read, and the tail behind the last mark is plain input', () => {
  const first = predictCache(EMPTY_CACHE, RULES, prompt(10, [4]));
  assert.deepEqual(first.classes, { ...NO_TOKENS, write5m: 5000, uncached: 5000 });
  assert.equal(predictCache(first.next, RULES, prompt(10, [])).classes.uncached, 10_000);
});

test('PV-A43 below the minimum cacheable prefix nothing is cached, and it is no error', () => {
  const rules = { ...RULES, minTokens: 4096 };
  const p = predictCache(EMPTY_CACHE, rules, prompt(4, [3]));
  assert.deepEqual(p.classes, { ...NO_TOKENS, uncached: 4000 });
  assert.equal(p.next.entries.length, 0);
});

test('PV-A44 each breakpoint has its own clock from the request start, renewed by reads', () => {
  const stable = prompt(10, [1, 9]);
  let state: CacheState = predictCache(EMPTY_CACHE, RULES, stable).next;
  // Reads every four minutes keep it warm past any single life.
  for (let i = 1; i <= 5; i++) {
    const p = predictCache(state, RULES, { ...stable, at: i * 4 * MIN });
    assert.equal(p.classes.read, 10_000);
    state = p.next;
  }
  const late = predictCache(state, RULES, { ...stable, at: 20 * MIN + 5 * MIN });
  assert.equal(late.age, 'cold');
  assert.equal(late.classes.write5m, 10_000);
  const hour = stable.marks.map((m) => ({ ...m, ttl: 60 * MIN }));
  const long = predictCache(EMPTY_CACHE, RULES, { ...stable, marks: hour });
  assert.deepEqual(long.classes, { ...NO_TOKENS, write1h: 10_000 });
  assert.equal(predictCache(long.next, RULES, { ...stable, at: 59 * MIN }).classes.read, 10_000);
});

test('COSTS 6 an unknown age counts as warm', () => {
  const state = predictCache(EMPTY_CACHE, RULES, prompt(10, [9])).next;
  const { at: _, ...ageless } = prompt(10, [9]);
  const p = predictCache(state, RULES, ageless);
  assert.equal(p.classes.read, 10_000);
  assert.equal(p.age, 'unknown');
});

test('P-7 an edit breaks the cache from its block on, and only there', () => {
  const state = predictCache(EMPTY_CACHE, RULES, prompt(30, [9, 19, 29])).next;
  const edited = prompt(30, [9, 19, 29], { unchangedPositions: 15, unchangedTokens: 15_000, at: 1 });
  assert.deepEqual(predictCache(state, RULES, edited).classes, {
    ...NO_TOKENS,
    read: 10_000,
    write5m: 20_000,
  });
});

test('PV-C10 automatic caching: any equal prefix from 1,024 tokens, in steps of 128 without a write fee before 5.6', () => {
  const old = CACHE_RULES.openaiOld;
  const first = predictCache(EMPTY_CACHE, old, prompt(10, []));
  assert.deepEqual(first.classes, { ...NO_TOKENS, uncached: 10_000 });
  const next = prompt(12, [], { at: MIN, unchangedPositions: 10, unchangedTokens: 10_000 });
  assert.deepEqual(predictCache(first.next, old, next).classes, { ...NO_TOKENS, read: 9984, uncached: 2016 });
  const fresh = CACHE_RULES.openai;
  const f = predictCache(EMPTY_CACHE, fresh, prompt(10, []));
  assert.deepEqual(f.classes, { ...NO_TOKENS, write5m: 10_000 });
  assert.deepEqual(predictCache(f.next, fresh, next).classes, { ...NO_TOKENS, read: 10_000, write5m: 2000 });
  const tiny = prompt(1, []);
  assert.equal(predictCache(predictCache(EMPTY_CACHE, old, tiny).next, old, tiny).classes.read, 0);
});

test('PV-S11 a local server reuses blocks of 16 tokens; one without cache reads nothing', () => {
  const state = predictCache(EMPTY_CACHE, CACHE_RULES.local, prompt(2, [])).next;
  const edited = prompt(2, [], { unchangedPositions: 1, unchangedTokens: 1001 });
  assert.equal(predictCache(state, CACHE_RULES.local, edited).classes.read, 992);
  assert.equal(predictCache(state, CACHE_RULES.none, prompt(2, [])).classes.uncached, 2000);
});

test('S-3 property: classes add up to the prompt, reads never exceed what is unchanged, entries stay bounded', () => {
  const request = fc.record({
    n: fc.integer({ min: 1, max: 200 }),
    marks: fc.array(fc.nat(199), { maxLength: 4 }),
    same: fc.nat(200),
    gap: fc.integer({ min: 0, max: 20 * MIN }),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(CACHE_RULES)),
      fc.array(request, { maxLength: 30 }),
      (rules, list) => {
        let state = EMPTY_CACHE;
        let at = 0;
        for (const q of list) {
          at += q.gap;
          const same = Math.min(q.same, q.n);
          const marks = [...new Set(q.marks.filter((m) => m < q.n))].sort((a, b) => a - b);
          const p = predictCache(
            state,
            rules,
            prompt(q.n, marks, { at, unchangedPositions: same, unchangedTokens: same * 1000 }),
          );
          const c = p.classes;
          if (promptTokens(c) !== q.n * 1000 || c.read > same * 1000) return false;
          if (Math.min(c.uncached, c.read, c.write5m, c.write1h) < 0 || p.next.entries.length > 64)
            return false;
          state = p.next;
        }
        return true;
      },
    ),
  );
});
