// Who decided what: decisions by seq, each with the layer and the price of the envelope that closes its pass. Filled from
// events in order; knows no heuristic.

import type { SessionEvent } from '../state/events.js';

/** A decision as people ask for it. */
export interface Told {
  seq: number;
  type: string;
  turn: number;
  ts: number;
  /** Of the envelope; absent where a decision has none (a repair, a change by the host). */
  layer?: string;
  reason?: string;
  handle?: string;
  tool?: string;
  tool_call_id?: string;
  message?: number;
  envelope?: Price;
}

/** What the envelope says of the pass as a whole. */
export interface Price {
  seq: number;
  reason?: string;
  cache_invalidates: boolean;
  recache_tokens?: number;
  saves_per_request?: number;
  break_even_requests?: number;
  tokens_delta: number;
}

export class Chronicle {
  readonly #told = new Map<number, Told>();
  /** Decisions of the pass that is not closed yet. */
  #open: Told[] = [];

  get(seq: number): Told | undefined {
    return this.#told.get(seq);
  }

  take(e: SessionEvent): void {
    const told = toldOf(e);
    this.#told.set(e.seq, told);
    if (e.type === 'memory.curated') {
      const price = priceOf(e);
      for (const one of [...this.#open, told]) {
        one.layer = e.payload.layer;
        one.envelope = price;
      }
      this.#open = [];
    } else if (PASS.test(e.type)) this.#open.push(told);
    else this.#open = [];
  }
}

/** What may stand in a pass before its envelope. */
const PASS = /^(memory\.|Compacted$)/;

function toldOf(e: SessionEvent): Told {
  const p = e.payload as Record<string, unknown>;
  const told: Told = { seq: e.seq, type: e.type, turn: e.turn, ts: e.ts };
  for (const key of ['reason', 'handle', 'tool', 'tool_call_id'] as const) {
    if (typeof p[key] === 'string' && p[key] !== '') told[key] = p[key];
  }
  if (typeof p['message'] === 'number') told.message = p['message'];
  return told;
}

function priceOf(e: Extract<SessionEvent, { type: 'memory.curated' }>): Price {
  // An imported journal is whole as a chain of records; what other builds wrote into a payload is not known.
  const p: Partial<typeof e.payload> = e.payload;
  return {
    seq: e.seq,
    cache_invalidates: p.cache_invalidates === true,
    tokens_delta: (p.sections_touched ?? []).reduce((sum, s) => sum + s.tokens_delta, 0),
    ...(p.reason === undefined ? {} : { reason: p.reason }),
    ...(p.recache_tokens === undefined ? {} : { recache_tokens: p.recache_tokens }),
    ...(p.saves_per_request === undefined ? {} : { saves_per_request: p.saves_per_request }),
    ...(p.break_even_requests === undefined ? {} : { break_even_requests: p.break_even_requests }),
  };
}
