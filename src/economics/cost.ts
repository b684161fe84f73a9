// What one request costs, from its token classes. Pure.
import { type PriceRow, REQUEST_FACTORS } from './price-table.js';

/** Disjoint classes of tokens; they add up to prompt and answer (PV-A47, PV-C8, PV-R11). */
export interface TokenClasses {
  uncached: number;
  read: number;
  write5m: number;
  write1h: number;
  output: number;
}

export interface RequestMode {
  inRegion?: boolean;
  batch?: boolean;
  fast?: boolean;
}

export const NO_TOKENS: Readonly<TokenClasses> = { uncached: 0, read: 0, write5m: 0, write1h: 0, output: 0 };

export function promptTokens(t: TokenClasses): number {
  return t.uncached + t.read + t.write5m + t.write1h;
}

/** USD. The tier of the prompt's size applies to the whole request. */
export function requestCost(row: PriceRow, t: TokenClasses, mode: RequestMode = {}): number {
  const tier = row.tier !== undefined && promptTokens(t) > row.tier.above ? row.tier : undefined;
  const cache = tier?.cache ?? 1;
  const usd =
    t.uncached * row.input * (tier?.input ?? 1) +
    t.read * row.read * cache +
    t.write5m * row.write5m * cache +
    t.write1h * (row.write1h ?? row.write5m) * cache +
    t.output * row.output * (tier?.output ?? 1);
  const factor =
    (mode.inRegion === true ? REQUEST_FACTORS.inRegion : 1) *
    (mode.batch === true ? REQUEST_FACTORS.batch : 1) *
    (mode.fast === true ? (row.fast ?? 1) : 1);
  return (usd / 1e6) * factor;
}
