// Reasons to edit besides the batch being worth it (COSTS 6). Pure.
import { coldDelta, delta } from './break-even.js';

/** A cold edit that frees less is not worth an event. */
export const COLD_MINIMUM = 2_000;
/** Hysteresis of a hard budget: act at `HIGH` of it, clear down to `LOW`. */
const CLIFF_HIGH = 0.95;
const CLIFF_LOW = 0.8;

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
