// How many requests are still to come, this one included (COSTS 5). Pure.

/** Sessions that must be known before their lengths say more than the rule of thumb. */
export const MIN_SESSIONS = 30;
/** Of these, as many must have come as far as the present one. */
const MIN_SURVIVORS = 8;

/** As many again as seen so far. */
export function lindy(seen: number): number {
  return Math.max(5, seen);
}

/** Lengths, in requests, of finished sessions of one project and client; ascending, with sums from the end. */
export interface SurvivalTable {
  readonly lengths: readonly number[];
  /** suffixSums[i] = sum of lengths from i on. */
  readonly suffixSums: readonly number[];
}

export function survivalTable(lengths: readonly number[]): SurvivalTable {
  const sorted = lengths.filter((n) => n > 0).sort((a, b) => a - b);
  const suffixSums = new Array<number>(sorted.length + 1).fill(0);
  for (let i = sorted.length - 1; i >= 0; i--) suffixSums[i] = suffixSums[i + 1]! + sorted[i]!;
  return { lengths: sorted, suffixSums };
}

/** Index of the first length above n. */
function above(lengths: readonly number[], n: number): number {
  let lo = 0;
  let hi = lengths.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (lengths[mid]! > n) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

/** P(N > n). */
export function survival(t: SurvivalTable, n: number): number {
  return t.lengths.length === 0 ? 0 : (t.lengths.length - above(t.lengths, n)) / t.lengths.length;
}

/**
 * n-hat: the mean rest of those sessions that came as far, this request included; the Lindy value until enough are known.
 * @param seen requests of this session so far, this one included
 */
export function remaining(seen: number, table?: SurvivalTable): number {
  if (table === undefined || table.lengths.length < MIN_SESSIONS) return lindy(seen);
  const from = above(table.lengths, seen - 1);
  const survivors = table.lengths.length - from;
  if (survivors < MIN_SURVIVORS) return lindy(seen);
  return table.suffixSums[from]! / survivors - seen + 1;
}
