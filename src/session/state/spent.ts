// The account of a session's main requests, as an event holds it. Pure type.

import type { Spending } from '../../economics/spending.js';

/** Units of all main requests of one model so far, and what the next one is compared with. */
export interface Spent extends Spending {
  model: string;
  /** Tokens of the last main request, as stored and as its decisions left it (in observe mode the observed ones). */
  raw: number;
  view: number;
  /** Tokens of both that a warm cache would have read, and the share of them taken as read. */
  reads: Spending;
  warm: number;
  /** Time since the request before, in lifetimes of the cache; absent where nothing is known of a cache. */
  pause?: number;
}
