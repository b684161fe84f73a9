// What `curated whatif` answers: totals, what each preset would have made of them, where the tokens went. Pure sums.
import { NO_TOKENS, promptTokens, type TokenClasses } from '../../economics/index.js';

export const WHATIF_PRESETS = ['off', 'conservative', 'balanced', 'aggressive'] as const;
export type WhatIfPreset = (typeof WHATIF_PRESETS)[number];

/** Tokens as the provider counts them; the four add up to all there were. */
export interface Totals {
  /** Prompt tokens paid in full. */
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
}

export interface PresetReport extends Totals {
  /** USD; null without a price for any of the models. */
  cost: number | null;
  /** Against `off`; negative: lost. */
  saved: number | null;
  saved_share: number | null;
  /** 95 % interval of that share over the sessions; null where all sessions were played, or too few. */
  saved_interval: { low: number; high: number } | null;
  /** Prompt tokens against `off`. */
  saved_tokens: number;
  /** Tool results cleared or made shorter. */
  cleared: number;
  /** Requests whose cached part changed: by the agent itself, by pauses, by edits of the preset. */
  cache_breaks: number;
  /** Cached tokens that the preset's edits had written again, and what that cost. */
  rewritten_tokens: number;
  rewrite_cost: number | null;
  /** Requests that would not have fitted the window. */
  refused: number;
  /** Names that a later call used and only tool results had told: all, and those that were still in the request then. */
  names: { needed: number; kept: number };
}

export interface ToolShare {
  tool: string;
  results: number;
  /** Tokens of the results, once each. */
  tokens: number;
  /** The same over all requests that carried them. */
  carried: number;
  reread: { results: number; tokens: number };
}

export interface WhatIfReport {
  sessions: number;
  requests: number;
  skipped: number;
  totals: Totals;
  /** USD of it all, as it was; null without a price for any of the models. */
  cost: number | null;
  /** What `presets` is about, `off` included: all of it, or the sessions that were drawn. */
  played: { sessions: number; requests: number };
  presets: Record<WhatIfPreset, PresetReport>;
  /** Requests without a report of their own: counted by us, the cache taken to be as the provider's rules say. */
  counted_requests: number;
  /** Requests of models without a known price: in the tokens, not in the money. */
  unpriced_requests: number;
  unpriced_models: string[];
  /** Tokens over all requests, as we count them. */
  kinds: Record<string, number>;
  tools: ToolShare[];
  breaks: Record<'idle' | 'model' | 'prefix', { times: number; tokens: number; cost: number | null }>;
  files: number;
  lines: number;
  bytes: number;
}

function noTotals(): Totals {
  return { input: 0, cache_read: 0, cache_write: 0, output: 0 };
}

export function addClasses(sum: Totals, c: TokenClasses): void {
  sum.input += c.uncached;
  sum.cache_read += c.read;
  sum.cache_write += c.write5m + c.write1h;
  sum.output += c.output;
}

export function newReport(): WhatIfReport {
  const preset = (): PresetReport => ({
    ...noTotals(),
    cost: null,
    saved: null,
    saved_share: null,
    saved_interval: null,
    saved_tokens: 0,
    cleared: 0,
    cache_breaks: 0,
    rewritten_tokens: 0,
    rewrite_cost: null,
    refused: 0,
    names: { needed: 0, kept: 0 },
  });
  const breaks = () => ({ times: 0, tokens: 0, cost: null });
  return {
    sessions: 0,
    requests: 0,
    skipped: 0,
    totals: noTotals(),
    cost: null,
    played: { sessions: 0, requests: 0 },
    presets: { off: preset(), conservative: preset(), balanced: preset(), aggressive: preset() },
    counted_requests: 0,
    unpriced_requests: 0,
    unpriced_models: [],
    kinds: {},
    tools: [],
    breaks: { idle: breaks(), model: breaks(), prefix: breaks() },
    files: 0,
    lines: 0,
    bytes: 0,
  };
}

export function newToolShare(tool: string): ToolShare {
  return { tool, results: 0, tokens: 0, carried: 0, reread: { results: 0, tokens: 0 } };
}

/** Prompt tokens of a sum. */
export function promptOf(t: Totals): number {
  return t.input + t.cache_read + t.cache_write;
}

/** A request without a report: what was counted, nothing known of a cache. */
export function countedAsInput(c: TokenClasses): TokenClasses {
  return { ...NO_TOKENS, uncached: promptTokens(c), output: c.output };
}

/** Adds money where it is known. */
export function addMoney(sum: number | null, more: number | undefined): number | null {
  return more === undefined ? sum : (sum ?? 0) + more;
}
