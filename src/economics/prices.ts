// Price rows by model and day: the operator's numbers, then our own table, then the price package.
// Pure: the package is read as data, its update from the network is never used. Unknown stays unknown, never $0.
import { calcPrice } from '@pydantic/genai-prices';
import { AS_OF, PRICE_TABLE, type PriceRow } from './price-table.js';

const DAY = 86_400_000;

/** Numbers of an operator; what is left out comes from the row below. Same fields as `curated.prices`. */
export interface RowOverride {
  input?: number;
  write5m?: number;
  write1h?: number;
  read?: number;
  output?: number;
  minCacheTokens?: number;
  tierLimit?: number;
  tierInput?: number;
  tierOutput?: number;
}

/** The id without provider, region, date and service suffix: `us.anthropic.claude-opus-4-5-20251101-v1:0` -> `claude-opus-4-5`. */
export function plainModelId(model: string): string {
  let id = model.toLowerCase().trim().replace(/^.*\//, '');
  id = id.replace(/^(?:[a-z]{2,6}\.)?(?:anthropic|openai)\./, '');
  id = id.replace(/(?:-v\d+)?(?::\d+)?$/, '').replace(/@\d{8}$/, '');
  id = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
  return id.startsWith('claude-') ? id.replaceAll('.', '-') : id;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function ownRow(id: string, at: number): PriceRow | undefined {
  const today = day(at);
  let best: PriceRow | undefined;
  for (const row of PRICE_TABLE) {
    if (!row.ids.includes(id) || row.validFrom > today) continue;
    if (best === undefined || row.validFrom > best.validFrom) best = row;
  }
  return best;
}

interface TierList {
  base: number;
  tiers: { start: number; price: number }[];
}

function packageRow(id: string, at: number): PriceRow | undefined {
  const found = calcPrice({ input_tokens: 1 }, id, { timestamp: new Date(at) });
  // The package matches by prefix: a new model would get its predecessor's price. Only its own id will do.
  if (found === null || plainModelId(found.model.id) !== id) return undefined;
  const number = (key: string): { base: number; above?: number; factor: number } | undefined => {
    const value = found.model_price[key] as number | TierList | undefined;
    if (value === undefined) return undefined;
    if (typeof value === 'number') return { base: value, factor: 1 };
    const top = value.tiers[value.tiers.length - 1];
    return top === undefined
      ? { base: value.base, factor: 1 }
      : { base: value.base, above: top.start, factor: top.price / value.base };
  };
  const input = number('input_mtok');
  const output = number('output_mtok');
  if (input === undefined || output === undefined || input.base <= 0) return undefined;
  const read = number('cache_read_mtok');
  const write1h = number('cache_write_1h_mtok');
  return {
    ids: [id],
    provider:
      found.provider.id === 'anthropic' ? 'anthropic' : found.provider.id === 'openai' ? 'openai' : 'other',
    validFrom: '0000-00-00',
    asOf: PACKAGE_AS_OF,
    source: `@pydantic/genai-prices (${found.provider.id})`,
    input: input.base,
    write5m: number('cache_write_mtok')?.base ?? input.base,
    ...(write1h === undefined ? {} : { write1h: write1h.base }),
    read: read?.base ?? input.base,
    output: output.base,
    minCacheTokens: 1024,
    ...(input.above === undefined
      ? {}
      : {
          tier: {
            above: input.above,
            input: input.factor,
            cache: read?.factor ?? input.factor,
            output: output.factor,
          },
        }),
  };
}

/** Date of the price package's data, for the age that is shown. */
const PACKAGE_AS_OF = '2026-11-01';

function overridden(id: string, base: PriceRow | undefined, o: RowOverride): PriceRow | undefined {
  const input = o.input ?? base?.input;
  // Half a row is no price: without input and output there is nothing to count with.
  const output = o.output ?? base?.output;
  if (input === undefined || output === undefined) return base;
  const write1h = o.write1h ?? base?.write1h;
  const above = o.tierLimit ?? base?.tier?.above;
  const tierInput = o.tierInput ?? base?.tier?.input ?? 1;
  return {
    ids: [id],
    provider: base?.provider ?? 'other',
    validFrom: '0000-00-00',
    asOf: base?.asOf ?? 'operator',
    source: 'operator',
    input,
    write5m: o.write5m ?? base?.write5m ?? input,
    ...(write1h === undefined ? {} : { write1h }),
    read: o.read ?? base?.read ?? input,
    output,
    minCacheTokens: o.minCacheTokens ?? base?.minCacheTokens ?? 0,
    ...(above === undefined
      ? {}
      : {
          tier: {
            above,
            input: tierInput,
            cache: o.tierInput ?? base?.tier?.cache ?? tierInput,
            output: o.tierOutput ?? base?.tier?.output ?? 1,
          },
        }),
    ...(base?.fast === undefined ? {} : { fast: base.fast }),
  };
}

/**
 * The row for a model on a day.
 * @param at epoch milliseconds of the request
 * @param overrides the operator's numbers by model id
 * @returns undefined for an unknown model: report tokens only
 */
export function lookupPrice(
  model: string,
  at: number,
  overrides: Readonly<Record<string, RowOverride>> = {},
): PriceRow | undefined {
  const id = plainModelId(model);
  if (id === '') return undefined;
  const base = ownRow(id, at) ?? packageRow(id, at);
  const own = overrides[model] ?? overrides[id];
  return own === undefined ? base : overridden(id, base, own);
}

/** Age in days of our own price table. @param now epoch ms */
export function priceTableAge(now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(`${AS_OF}T00:00:00Z`)) / DAY));
}

/** Prices relative to one uncached input token. */
export interface Ratios {
  /** Cache read. */
  r: number;
  /** Cache write. */
  w: number;
  /** Output. */
  o: number;
}

/** A model without a price: decisions need a ratio all the same, money is not reported. */
export const DEFAULT_RATIOS: Readonly<Record<'anthropic' | 'openai' | 'openaiOld' | 'none', Ratios>> = {
  anthropic: { r: 0.1, w: 1.25, o: 5 },
  openai: { r: 0.1, w: 1.25, o: 5 },
  openaiOld: { r: 0.1, w: 1, o: 5 },
  none: { r: 1, w: 1, o: 5 },
};

/**
 * @param promptTokens size of the request: its tier counts, and below the minimum cacheable prefix nothing is cached (r = 1)
 */
export function ratiosOf(row: PriceRow, promptTokens: number, ttl: '5m' | '1h' = '5m'): Ratios {
  const t = row.tier !== undefined && promptTokens > row.tier.above ? row.tier : undefined;
  const input = row.input * (t?.input ?? 1);
  const cache = t?.cache ?? 1;
  if (input <= 0) return { r: 1, w: 1, o: 1 };
  const o = (row.output * (t?.output ?? 1)) / input;
  if (promptTokens < row.minCacheTokens) return { r: 1, w: 1, o };
  const write = ttl === '1h' ? (row.write1h ?? row.write5m) : row.write5m;
  return { r: (row.read * cache) / input, w: (write * cache) / input, o };
}
