// What playing a conversation gave, and the sum over several. Pure.
import type { Breach } from './request-check.js';

export interface Saved {
  off: number;
  curated: number;
}

export interface Cleared {
  results: number;
  /** UTF-8 bytes of what was cleared or shaped. */
  bytes: number;
}

export interface Figures {
  requests: number;
  turns: number;
  /** Prompt tokens over all requests, as the product counts them. */
  tokens: Saved;
  /** USD over all requests, cache reads and writes included; null without a known price. */
  cost: Saved | null;
  cleared: Cleared;
  /** Requests that did not start with the request before. */
  cache_breaks: Saved;
  recalls: { checked: number; exact: number };
  /** Requests rebuilt from the journal, and how many came out as they were sent. */
  replayed: { requests: number; identical: number };
  violations: number;
  errors: number;
}

export interface ConversationReport extends Figures {
  id: string;
  format: string;
  model: string;
  /** Sessions it was cut into. */
  parts: number;
  /** Where the recording is larger than the window that the model table knows: the one it was played with. */
  window?: number;
  breaches: Breach[];
  /** Calls that the daemon refused. */
  failures: string[];
}

export interface RunReport {
  preset: string;
  conversations: ConversationReport[];
  total: Figures;
  /** Lines that are no conversation. */
  skipped: { file: string; line: number; reason: string }[];
  ok: boolean;
}

export function noFigures(): Figures {
  return {
    requests: 0,
    turns: 0,
    tokens: { off: 0, curated: 0 },
    cost: null,
    cleared: { results: 0, bytes: 0 },
    cache_breaks: { off: 0, curated: 0 },
    recalls: { checked: 0, exact: 0 },
    replayed: { requests: 0, identical: 0 },
    violations: 0,
    errors: 0,
  };
}

/** Adds `more` to `sum`. Money is added where it is known. */
export function addFigures(sum: Figures, more: Figures): void {
  sum.requests += more.requests;
  sum.turns += more.turns;
  sum.tokens.off += more.tokens.off;
  sum.tokens.curated += more.tokens.curated;
  if (more.cost !== null) {
    sum.cost ??= { off: 0, curated: 0 };
    sum.cost.off += more.cost.off;
    sum.cost.curated += more.cost.curated;
  }
  sum.cleared.results += more.cleared.results;
  sum.cleared.bytes += more.cleared.bytes;
  sum.cache_breaks.off += more.cache_breaks.off;
  sum.cache_breaks.curated += more.cache_breaks.curated;
  sum.recalls.checked += more.recalls.checked;
  sum.recalls.exact += more.recalls.exact;
  sum.replayed.requests += more.replayed.requests;
  sum.replayed.identical += more.replayed.identical;
  sum.violations += more.violations;
  sum.errors += more.errors;
}

/** Everything that was checked held. */
export function isSound(f: Figures): boolean {
  return (
    f.violations === 0 &&
    f.errors === 0 &&
    f.recalls.exact === f.recalls.checked &&
    f.replayed.identical === f.replayed.requests
  );
}

/** Share of `off` that was saved; negative for a loss. */
export function savedShare(s: Saved): number {
  return s.off === 0 ? 0 : 1 - s.curated / s.off;
}
