// Reasons to edit besides the batch being worth it (COSTS 6). Pure.
import { coldDelta, delta } from './break-even.js';

/** A cold edit that frees less is not worth an event. */
export const COLD_MINIMUM = 2_000;
/** Hysteresis of a hard budget: act at `HIGH` of it, clear down to `LOW`. */
export const CLIFF_HIGH = 0.95;
export const CLIFF_LOW = 0.8;

/**
 * Expected saving when the cache is gone with probability `pCold`. A wrong "cold" costs S (w - r), so the certainty has to be earned.
 */
export function expectedDelta(pCold: number, n: number, k: number, s: number, r: number, w: number): number {
  const p = Math.min(1, Math.max(0, pCold));
  if (p === 0) return delta(n, k, s, r, w);
  return p * coldDelta(n, k, r, w) + (1 - p) * delta(n, k, s, r, w);
}

/** Tokens to free now so that a request stays below a price cliff; 0: nothing to do. */
export function cliffNeed(tokens: number, limit: number | undefined): number {
  return limit === undefined || tokens < CLIFF_HIGH * limit ? 0 : Math.ceil(tokens - CLIFF_LOW * limit);
}

/**
 * What to clear so that a request stays below a price cliff with room to grow; undefined: nothing to do.
 * Below the limit an edit that frees less than half of it would only come again at the next request; above it, whatever gets below pays.
 */
export function cliffEdit(
  tokens: number,
  limit: number | undefined,
): { need: number; atLeast: number; reason: 'cliff' } | undefined {
  const need = cliffNeed(tokens, limit);
  if (limit === undefined || need === 0) return undefined;
  return { need, atLeast: tokens > limit ? tokens - limit : need / 2, reason: 'cliff' };
}

/**
 * Tokens to free so that a request that is over `high` comes down to `low`; 0 while it is not over.
 * @param p95 tokens of the request with the estimate's error
 */
export function windowNeed(p95: number, high: number, low: number): number {
  return p95 > high ? Math.max(0, Math.ceil(p95 - Math.min(low, high))) : 0;
}

/** True if reading the whole prefix once, to keep it warm, is cheaper than the risk of writing it again. */
export function keepAlivePays(prefix: number, pNext: number, r: number, w: number): boolean {
  return pNext * prefix * (w - r) > prefix * r;
}

/** How often requests after a pause of some length found the cache gone, by length relative to the TTL. */
export interface GapStats {
  readonly seen: readonly number[];
  readonly cold: readonly number[];
}

/** Upper bounds of the classes, in TTLs: within, then ever longer past it. */
const GAP_BOUNDS = [0.5, 1, 1.5, 2, 4, 8, 24] as const;

export const NO_GAPS: GapStats = {
  seen: new Array<number>(GAP_BOUNDS.length + 1).fill(0),
  cold: new Array<number>(GAP_BOUNDS.length + 1).fill(0),
};

function gapClass(gap: number, ttl: number): number {
  const q = gap / ttl;
  const i = GAP_BOUNDS.findIndex((b) => q <= b);
  return i < 0 ? GAP_BOUNDS.length : i;
}

/** One more observation: the provider's usage told whether the prefix was still there. */
export function recordGap(stats: GapStats, gap: number, ttl: number, cold: boolean): GapStats {
  const i = gapClass(gap, ttl);
  const add = (list: readonly number[], by: number) => list.map((v, j) => (j === i ? v + by : v));
  return { seen: add(stats.seen, 1), cold: add(stats.cold, cold ? 1 : 0) };
}

/**
 * Probability that the cache is gone after a pause. Prior: two pseudo-observations, gone once the TTL is over (caches often outlive it,
 * hence 0.75 right after), there before. Unknown age (undefined) counts as warm.
 */
export function coldProbability(stats: GapStats, gap: number | undefined, ttl: number): number {
  if (gap === undefined || !(ttl > 0)) return 0;
  const i = gapClass(gap, ttl);
  const bound = GAP_BOUNDS[i];
  const prior = bound === undefined || bound > 1.5 ? 0.95 : bound > 1 ? 0.75 : 0;
  return (stats.cold[i]! + 2 * prior) / (stats.seen[i]! + 2);
}
