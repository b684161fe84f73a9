// Numbers with seven significant digits. Pure.

/** Below it a number of two decimals has no more than seven digits. */
const MOST_CENTS = 1e7;

/** Seven significant digits: short in the journal, far finer than the fit. Most numbers have no more: those need no text. */
export function sevenDigits(v: number): number {
  const cents = Math.round(v * 100);
  // The zero is for minus zero, which a text would not keep.
  if (cents / 100 === v && cents < MOST_CENTS && cents > -MOST_CENTS) return v + 0;
  return Number(v.toPrecision(7));
}
