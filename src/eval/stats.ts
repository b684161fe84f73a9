// Statistics of paired runs: a bootstrap interval of a mean difference, McNemar's test of successes, non-inferiority.
// Deterministic by seed. Pure.

import { seeded } from '../random.js';

export interface Interval {
  mean: number;
  low: number;
  high: number;
  /** Pairs. */
  n: number;
}

/**
 * Least spread of a draw, as a share of the sample's: draws that miss the few values that differ have next to none, and
 * would stretch the interval beyond all bounds.
 */
const LEAST_ERROR = 0.2;
/** With fewer the spread cannot be told, and no interval is. */
export const LEAST_PAIRS = 5;

export interface BootstrapOptions {
  seed?: number;
  samples?: number;
  /** Of the interval, two-sided. */
  level?: number;
}

/**
 * Interval of the mean of paired differences, by the studentised bootstrap: on small and skewed samples the plain
 * percentile interval is too narrow and finds differences that are not there.
 * @returns undefined for fewer than five pairs: nothing can be said
 */
export function pairedBootstrap(
  differences: readonly number[],
  o: BootstrapOptions = {},
): Interval | undefined {
  const n = differences.length;
  if (n < LEAST_PAIRS) return undefined;
  const { seed = 1, samples = 2000, level = 0.95 } = o;
  const { mean, error } = moments(differences, (i) => i);
  if (error === 0) return { mean, low: mean, high: mean, n };
  const next = seeded(seed);
  const drawn = new Uint32Array(n);
  const t: number[] = [];
  for (let s = 0; s < samples; s++) {
    for (let i = 0; i < n; i++) drawn[i] = Math.floor(next() * n);
    const one = moments(differences, (i) => drawn[i]!);
    t.push((one.mean - mean) / Math.max(one.error, LEAST_ERROR * error));
  }
  t.sort((a, b) => a - b);
  const tail = (1 - level) / 2;
  return { mean, low: mean - quantile(t, 1 - tail) * error, high: mean - quantile(t, tail) * error, n };
}

/** A unit's share of a ratio: what it cost, and over how much. */
export interface Weighed {
  sum: number;
  weight: number;
}

/**
 * Interval of a ratio of means between two independent groups, less 1 (0: alike): `sum / weight` of the first over that of
 * the second. Percentile bootstrap over the units of each group.
 * @returns undefined where a group has fewer than five units, or no weight
 */
export function ratioBootstrap(
  first: readonly Weighed[],
  second: readonly Weighed[],
  o: BootstrapOptions = {},
): Interval | undefined {
  if (first.length < LEAST_PAIRS || second.length < LEAST_PAIRS) return undefined;
  const { seed = 1, samples = 2000, level = 0.95 } = o;
  const next = seeded(seed);
  const ratio = (units: readonly Weighed[], draw: (i: number) => number): number => {
    let sum = 0;
    let weight = 0;
    for (let i = 0; i < units.length; i++) {
      const unit = units[draw(i)]!;
      sum += unit.sum;
      weight += unit.weight;
    }
    return sum / weight;
  };
  const same = (i: number): number => i;
  const mean = ratio(first, same) / ratio(second, same) - 1;
  if (!Number.isFinite(mean)) return undefined;
  const drawn: number[] = [];
  for (let s = 0; s < samples; s++) {
    const any = (units: readonly Weighed[]) => () => Math.floor(next() * units.length);
    const value = ratio(first, any(first)) / ratio(second, any(second)) - 1;
    if (Number.isFinite(value)) drawn.push(value);
  }
  drawn.sort((a, b) => a - b);
  const tail = (1 - level) / 2;
  return {
    mean,
    low: quantile(drawn, tail),
    high: quantile(drawn, 1 - tail),
    n: first.length + second.length,
  };
}

/**
 * Interval of a share, `sum` over `weight` of all units together. Percentile bootstrap over the units.
 * @returns undefined for fewer than five units, or no weight
 */
export function shareBootstrap(units: readonly Weighed[], o: BootstrapOptions = {}): Interval | undefined {
  const n = units.length;
  const { seed = 1, samples = 2000, level = 0.95 } = o;
  const next = seeded(seed);
  const share = (draw: (i: number) => number): number => {
    let sum = 0;
    let weight = 0;
    for (let i = 0; i < n; i++) {
      const unit = units[draw(i)]!;
      sum += unit.sum;
      weight += unit.weight;
    }
    return sum / weight;
  };
  const mean = share((i) => i);
  if (n < LEAST_PAIRS || !Number.isFinite(mean)) return undefined;
  const drawn: number[] = [];
  for (let s = 0; s < samples; s++) {
    const value = share(() => Math.floor(next() * n));
    if (Number.isFinite(value)) drawn.push(value);
  }
  drawn.sort((a, b) => a - b);
  const tail = (1 - level) / 2;
  return { mean, low: quantile(drawn, tail), high: quantile(drawn, 1 - tail), n };
}

function moments(values: readonly number[], at: (i: number) => number): { mean: number; error: number } {
  const n = values.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[at(i)]!;
  const mean = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (values[at(i)]! - mean) ** 2;
  return { mean, error: Math.sqrt(squares / (n - 1) / n) };
}

/** Of values in order, by linear interpolation; NaN of none. */
export function quantile(sorted: readonly number[], q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (at - low);
}

export interface McNemar {
  /** Pairs in which only the first, only the second succeeded. */
  onlyFirst: number;
  onlySecond: number;
  /** Exact, two-sided. */
  p: number;
}

/** Whether two arms succeed equally often on the same tasks. Exact binomial: right for few pairs too. */
export function mcNemar(first: readonly boolean[], second: readonly boolean[]): McNemar {
  let onlyFirst = 0;
  let onlySecond = 0;
  for (const [i, a] of first.entries()) {
    if (a && second[i] === false) onlyFirst++;
    if (!a && second[i] === true) onlySecond++;
  }
  const n = onlyFirst + onlySecond;
  const k = Math.min(onlyFirst, onlySecond);
  // Sum of C(n, i) / 2^n for i <= k, in logarithms: n may be large.
  let log = -n * Math.LN2;
  let tail = 0;
  for (let i = 0; i <= k; i++) {
    tail += Math.exp(log);
    log += Math.log(n - i) - Math.log(i + 1);
  }
  return { onlyFirst, onlySecond, p: n === 0 ? 1 : Math.min(1, 2 * tail) };
}

/** Is the new arm at most `margin` worse? Differences are new minus old, larger is better. */
export function isNonInferior(
  differences: readonly number[],
  margin: number,
  o: BootstrapOptions = {},
): boolean {
  // One-sided at 2.5 %: the lower end of the two-sided interval.
  const interval = pairedBootstrap(differences, o);
  return interval !== undefined && interval.low > -margin;
}
