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

/** The same in units: tokens x price relative to one uncached input token of the lowest tier. */
export function requestUnits(row: PriceRow, t: TokenClasses, mode: RequestMode = {}): number {
  return row.input > 0 ? (requestCost(row, t, mode) * 1e6) / row.input : promptTokens(t);
}

/** The provider's own usage object as token classes; undefined where it has none of the known names. */
export function classesOfUsage(usage: unknown): TokenClasses | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined;
  const u = usage as Record<string, unknown>;
  const num = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) && v > 0 ? v : 0);
  const sub = (v: unknown): Record<string, unknown> =>
    typeof v === 'object' && v !== null ? (v as Record<string, unknown>) : {};
  if ('prompt_tokens' in u) {
    // The details are parts of the total, never to be added to it (PV-C8).
    const d = sub(u['prompt_tokens_details']);
    return inclusive(
      num(u['prompt_tokens']),
      num(d['cached_tokens']),
      num(d['cache_write_tokens']),
      num(u['completion_tokens']),
    );
  }
  if ('input_tokens_details' in u) {
    const d = sub(u['input_tokens_details']);
    return inclusive(
      num(u['input_tokens']),
      num(d['cached_tokens']),
      num(d['cache_write_tokens']),
      num(u['output_tokens']),
    );
  }
  if ('input_tokens' in u) {
    const split = sub(u['cache_creation']);
    const written = num(u['cache_creation_input_tokens']);
    const write1h = Math.min(written, num(split['ephemeral_1h_input_tokens']));
    return {
      uncached: num(u['input_tokens']),
      read: num(u['cache_read_input_tokens']),
      write5m: written - write1h,
      write1h,
      output: num(u['output_tokens']),
    };
  }
  return undefined;
}

function inclusive(total: number, cached: number, written: number, output: number): TokenClasses {
  const read = Math.min(cached, total);
  const write5m = Math.min(written, total - read);
  return { uncached: total - read - write5m, read, write5m, write1h: 0, output };
}
