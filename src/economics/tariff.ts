// What one session pays and how its provider caches, put together from model, format and settings. Pure.
import { hasBreakpoints } from '../providers/blocks.js';
import { CACHE_RULES, type CacheRules } from './cache-model.js';
import type { PriceRow } from './price-table.js';
import {
  DEFAULT_RATIOS,
  lookupPrice,
  plainModelId,
  type Ratios,
  type RowOverride,
  ratiosOf,
} from './prices.js';

export interface Tariff {
  /** Absent: no price is known; tokens are reported, money is not. */
  row?: PriceRow;
  rules: CacheRules;
  /** Prices relative to uncached input for a prompt of that size; defaults of the provider without a row. */
  ratios(promptTokens: number, ttl?: '5m' | '1h'): Ratios;
}

/** The key `curated.prices`, resolved. */
export interface TariffPrices {
  model?: string;
  own: RowOverride;
  overrides: Readonly<Record<string, RowOverride>>;
}

export interface TariffOptions {
  format: 'anthropic' | 'openai-chat' | 'openai-responses';
  model: string;
  /** Epoch ms: the row valid on that day counts. */
  at: number;
  prices?: TariffPrices;
  /** Self-hosted behind an OpenAI format: no fee for writes, no money. */
  selfHosted?: boolean;
  /** From the model's profile, where the row has none of its own. */
  minCacheTokens?: number;
  /** `curated.cache_ttl`, milliseconds. */
  cacheTtl?: number;
}

/** Prices and cache rules for a session; again when its model or the day changes. */
export function tariffOf(o: TariffOptions): Tariff {
  const prices = o.prices ?? { own: {}, overrides: {} };
  const model = prices.model ?? o.model;
  const id = plainModelId(model);
  const own = { ...prices.overrides[id], ...prices.overrides[model], ...prices.own };
  const overrides = Object.keys(own).length === 0 ? {} : { [id]: own };
  const row =
    o.selfHosted === true && overrides[id] === undefined ? undefined : lookupPrice(id, o.at, overrides);
  const kind =
    o.format === 'anthropic'
      ? 'anthropic'
      : o.selfHosted === true
        ? 'local'
        : // They write at a fee and keep exact prefixes for 30 minutes (PV-C10, PV-C11).
          hasBreakpoints(id)
          ? 'openai'
          : 'openaiOld';
  const base: CacheRules = CACHE_RULES[kind];
  const rules: CacheRules = {
    ...base,
    minTokens: row?.minCacheTokens ?? o.minCacheTokens ?? base.minTokens,
    ttl: o.cacheTtl ?? base.ttl,
  };
  const unknown: Ratios =
    kind === 'local'
      ? DEFAULT_RATIOS.none
      : kind === 'openaiOld'
        ? DEFAULT_RATIOS.openaiOld
        : DEFAULT_RATIOS[kind];
  return {
    ...(row === undefined ? {} : { row }),
    rules,
    ratios: (tokens, ttl = '5m') =>
      row !== undefined
        ? ratiosOf(row, tokens, ttl)
        : ttl === '1h' && kind === 'anthropic'
          ? { ...unknown, w: 2 }
          : unknown,
  };
}
