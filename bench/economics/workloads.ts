// Synthetic sessions of COSTS 8 for the simulator. Pure; random numbers come from a seed.
import { seeded } from '../../src/random.js';
import type { SimSession } from './simulate.js';

export interface Workload {
  /** Other tokens per request. */
  text: number;
  /** A result has `big` tokens with probability `p`, else `small`. */
  big: number;
  p: number;
  small: number;
  keep: number;
}

export const WORKLOADS = {
  mixed: { text: 700, big: 6_000, p: 0.35, small: 800, keep: 5 },
  smallTools: { text: 900, big: 1_500, p: 0.5, small: 300, keep: 5 },
  huge: { text: 500, big: 20_000, p: 0.2, small: 1_500, keep: 3 },
  mixedKeep10: { text: 700, big: 6_000, p: 0.35, small: 800, keep: 10 },
} as const satisfies Record<string, Workload>;

export const SYNTHETIC = { prefix: 20_000, stub: 25 } as const;

/** One session of a given length. */
export function syntheticSession(
  load: Workload,
  requests: number,
  random: () => number,
  gaps?: { share: number; random: () => number },
): SimSession {
  return Array.from({ length: requests }, (_, i) => ({
    add: [
      { tokens: load.text, result: false },
      { tokens: random() < load.p ? load.big : load.small, result: true },
    ],
    cold: gaps !== undefined && i > 0 && gaps.random() < gaps.share,
  }));
}

function normal(random: () => number): number {
  const u = 1 - random();
  return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * random());
}

export interface LengthMix {
  sessions: number;
  median: number;
  mean: number;
  seed: number;
}

/**
 * The length mix of COSTS 8. The reference sample itself is not published, and its long tail decides the figures (the first row moves by
 * 20 points between samples); this seed gives a sample whose rows of fixed policies are within 0.2 points of the reference.
 */
export const REFERENCE_MIX: LengthMix = { sessions: 120, median: 40, mean: 57, seed: 32_012 };

/** Mixed sessions of lognormal length. */
export function lengthMix(mix: LengthMix, gaps?: { share: number; seed: number }): SimSession[] {
  const random = seeded(mix.seed);
  const gapRandom = seeded(gaps?.seed ?? 1);
  const sigma = Math.sqrt(2 * Math.log(mix.mean / mix.median));
  return Array.from({ length: mix.sessions }, () => {
    const requests = Math.max(1, Math.round(mix.median * Math.exp(sigma * normal(random))));
    return syntheticSession(
      WORKLOADS.mixed,
      requests,
      random,
      gaps === undefined ? undefined : { share: gaps.share, random: gapRandom },
    );
  });
}
