// How long to wait before a batch is cleared (COSTS 5): the economic order quantity, and rent paid so far. Pure.
import { leverage } from './break-even.js';

/** Guard: what an edit saves must be this much more than its rewrite. */
export const GAMMA = 1.5;

/**
 * Share of the rewrite that must have been paid as rent before it is bought (ski rental: it bounds what a session that ends early can lose).
 * 0.6 of [0.2, 0.8] scanned on the development half: no single session loses at any price, and the grid keeps 45 of 48 cells on four
 * sets of seeds; 0.4 keeps 43, 0.8 gives up half a point of the saving.
 */
export const RENT_SHARE = 0.6;
/** The same where boundaries are rare: waiting for the next one is rent too (20.2 -> 21.1 % at r = .1, edits at user turns only). */
export const RENT_SHARE_RARE = 0.3;

/** k* = sqrt(2 g S0 M), the batch worth waiting for. g: clearable tokens a request; s0: the protected tail. */
export function batchSize(g: number, s0: number, r: number, w: number): number {
  const m = leverage(r, w);
  return g <= 0 || s0 <= 0 || m === 0 ? 0 : Math.sqrt(2 * g * s0 * m);
}

/** Rent a clearable block has paid: each request read it at r. */
export function rent(removed: number, requests: number, r: number): number {
  return removed * requests * r;
}
