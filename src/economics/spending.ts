// What a session has cost so far, as it went out and as it would have without any edit, and how much of that an edit may
// put at risk. Pure.

import { MOST_LOSS } from '../settings/most-loss.js';
import type { Tariff } from './tariff.js';

export { MOST_LOSS };

/** Units: tokens x price relative to one uncached input token of the lowest tier. */
export interface Spending {
  off: number;
  curated: number;
}

export const NO_SPENDING: Readonly<Spending> = { off: 0, curated: 0 };

/** Room for what is only estimated when an edit is weighed: the size of what will stand there. */
const ESTIMATED = 0.8;

/**
 * Units that the next edit may lose at worst: what was saved so far, and the share of the cost that may be lost. With every
 * edit held to it, the session is within the share at every point at which it may end.
 */
export function allowanceOf(spent: Spending, share = MOST_LOSS): number {
  return spent.off - spent.curated + ESTIMATED * share * spent.off;
}

/** Units of one request's input. @param read tokens of it that the provider holds cached */
export function inputUnits(tariff: Tariff, tokens: number, read: number, hour = false): number {
  if (tokens < tariff.rules.minTokens) return tokens;
  const { r, w } = tariff.ratios(tokens, hour ? '1h' : '5m');
  const { minTokens, step } = tariff.rules;
  const held = read < minTokens ? 0 : read - (read % step);
  const tier = tariff.row?.tier;
  const dearer = tier !== undefined && tokens > tier.above ? tier.input : 1;
  return dearer * (r * held + w * (tokens - held));
}

/** Units of an answer. @param prompt tokens of the request that it answers: its tier counts */
export function outputUnits(tariff: Tariff, prompt: number, output: number): number {
  const tier = tariff.row?.tier;
  const dearer = tier !== undefined && prompt > tier.above ? tier.input : 1;
  return dearer * tariff.ratios(prompt).o * output;
}
