// How a repair of what was sent is told: what it changed of the request, from where on, and what the cache pays for it.

import type { KnownPrefix } from '../../curation/known-prefix.js';
import type { Session } from '../session.js';

export interface Mended {
  /** What was mended, in the name of its section. */
  part: string;
  /** First stored message that changed. */
  first: number;
  /** Tokens of the request before. */
  tokens: number;
  /** What the provider has of it. */
  prefix: KnownPrefix;
  reason: 'rules' | 'bound';
}

/** Payload of `memory.curated`. The request must be rendered as it is now. */
export function mended({ state, rendering }: Session, { part, first, tokens, prefix, reason }: Mended) {
  const sent = first < state.sent.messages;
  return {
    layer: 'repair' as const,
    sections_touched: [
      {
        section_id: `curated.repair/${part}`,
        kind: 'volatile' as const,
        tokens_delta: rendering.tokens - tokens,
      },
    ],
    cache_invalidates: sent,
    at_turn: state.turn,
    first_message: rendering.indexOf(first),
    recache_tokens: sent && prefix.known ? rendering.tokensBetween(first, prefix.messages) : 0,
    reason,
    forced: true as const,
  };
}
