// Curated sessions against those that were held out: what a request costs in each, with intervals. Pure.
import { type Interval, ratioBootstrap, type Weighed } from '../stats.js';
import type { SessionBill } from './session-bill.js';

export interface Group {
  sessions: number;
  requests: number;
  tokens: number;
  cost: number | null;
  /** A request's mean. */
  tokens_a_request: number | null;
  cost_a_request: number | null;
}

export interface HoldoutReport {
  curated: Group;
  held_out: Group;
  /** Share by which a curated request takes less; null where either group is too small to say. */
  saved_tokens: Interval | null;
  saved_cost: Interval | null;
}

/** Sessions without a report count for nothing. */
export function holdoutReport(bills: readonly SessionBill[], seed = 1): HoldoutReport {
  const told = bills.filter((b) => b.requests > 0);
  const curated = told.filter((b) => !b.heldOut);
  const heldOut = told.filter((b) => b.heldOut);
  const saved = (of: (b: SessionBill) => number | null): Interval | null => {
    const weighed = (list: readonly SessionBill[]): Weighed[] =>
      list.flatMap((b) => {
        const sum = of(b);
        return sum === null ? [] : [{ sum, weight: b.requests }];
      });
    const more = ratioBootstrap(weighed(curated), weighed(heldOut), { seed });
    return more === undefined
      ? null
      : { mean: 0 - more.mean, low: 0 - more.high, high: 0 - more.low, n: more.n };
  };
  return {
    curated: groupOf(curated),
    held_out: groupOf(heldOut),
    saved_tokens: saved((b) => b.tokens),
    saved_cost: saved((b) => b.cost),
  };
}

function groupOf(bills: readonly SessionBill[]): Group {
  const g = { sessions: bills.length, requests: 0, tokens: 0, cost: null as number | null };
  let priced = 0;
  for (const b of bills) {
    g.requests += b.requests;
    g.tokens += b.tokens;
    if (b.cost === null) continue;
    g.cost = (g.cost ?? 0) + b.cost;
    priced += b.requests;
  }
  return {
    ...g,
    tokens_a_request: g.requests === 0 ? null : g.tokens / g.requests,
    cost_a_request: g.cost === null ? null : g.cost / priced,
  };
}
