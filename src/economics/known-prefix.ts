// The known prefix: how much of the current view the provider holds cached as far as we can tell, and what an edit costs (S-3). Pure.
import type { CacheRules, CacheState } from './cache-model.js';

/** `unknown`: no mark and no usage report was ever seen, so nothing is known about the cache. */
export type KnownPrefix = { positions: number; tokens: number } | 'unknown';

/**
 * The longest entry that the next request can still read.
 * @param at start of that request, epoch ms; undefined: age unknown, which counts as warm
 */
export function knownPrefix(state: CacheState, rules: CacheRules, at?: number): KnownPrefix {
  if (rules.kind === 'none') return { positions: 0, tokens: 0 };
  if (!state.known) return 'unknown';
  let best = { positions: 0, tokens: 0 };
  for (const e of state.entries) {
    if (at !== undefined && at - e.usedAt >= e.ttl) continue;
    if (e.tokens >= rules.minTokens && e.tokens > best.tokens) {
      best = { positions: e.position + 1, tokens: e.tokens };
    }
  }
  return best;
}

/** Cached tokens behind a point of the view. @param before tokens of the view up to it; unknown prefix: undefined */
export function cachedBehind(known: KnownPrefix, before: number): number | undefined {
  return known === 'unknown' ? undefined : Math.max(0, known.tokens - before);
}

export type EditLayer =
  | 'tool_result_clear'
  | 'tool_def_pruner'
  | 'topic_pruner'
  | 'summary_buffer'
  | 'compaction'
  | 'discovery';

/** For an unknown prefix, by layer: the seed's constants. */
const INVALIDATES: Readonly<Record<EditLayer, boolean>> = {
  tool_result_clear: false,
  tool_def_pruner: true,
  topic_pruner: false,
  summary_buffer: true,
  compaction: true,
  discovery: true,
};

export interface CacheImpact {
  cacheInvalidates: boolean;
  /** Cached tokens behind the first touched byte; absent: the prefix is unknown. */
  recacheTokens?: number;
}

/** S-3: computed from the known prefix; the constants only without one. @param before tokens of the view before the first touched byte */
export function cacheImpact(known: KnownPrefix, layer: EditLayer, before: number): CacheImpact {
  const behind = cachedBehind(known, before);
  if (behind === undefined) return { cacheInvalidates: INVALIDATES[layer] };
  return { cacheInvalidates: behind > 0, recacheTokens: behind };
}
