// Figures of one arm over one conversation, and how they add up. Pure.
import { promptTokens, requestCost, type TokenClasses } from '../../economics/index.js';
import type { Rereads } from '../rereads.js';
import { type Baseline, breaksOf } from '../whatif/baseline.js';
import { pricesOf } from '../whatif/judge.js';
import type { MeasuredSession } from '../whatif/measured.js';
import { addMoney } from '../whatif/report.js';
import { type Needles, noDepths } from '../whatif/retention.js';

export interface ArmFigures {
  requests: number;
  /** Prompt tokens over all requests, the provider's where it reported any. */
  tokens: number;
  /** Of those: read from the cache, written to it. */
  cache_read: number;
  cache_write: number;
  /** USD, cache reads and writes included; null without a price. */
  cost: number | null;
  /** Names that later calls needed and only tool results had told, and those still in the request then. */
  needles: Needles;
  /** The same by how many requests before the name was told last: less than each of DEPTHS, and beyond. */
  depths: Needles[];
  cleared: number;
  /** Results cleared whole (of `off`: all results, which is the agent's own rate) and those fetched again by the same call. */
  rereads: Rereads;
  compactions: number;
  /** Identifiers told before a compaction that the next 40 calls use, and those still in the first request behind it. */
  survived: Needles;
  cache_breaks: number;
  /** Requests that would not have fitted the window. */
  refused: number;
}

export function noFigures(): ArmFigures {
  return {
    requests: 0,
    tokens: 0,
    cache_read: 0,
    cache_write: 0,
    cost: null,
    needles: { needed: 0, kept: 0 },
    depths: noDepths(),
    cleared: 0,
    rereads: { of: 0, again: 0 },
    compactions: 0,
    survived: { needed: 0, kept: 0 },
    cache_breaks: 0,
    refused: 0,
  };
}

/** Tokens and money of the requests; the rest as given. */
export function figuresOf(
  m: MeasuredSession,
  b: Baseline,
  classes: readonly TokenClasses[],
  now: number,
  more: Partial<ArmFigures>,
): ArmFigures {
  const prices = pricesOf(m.logged, now);
  const f = { ...noFigures(), requests: classes.length, cache_breaks: breaksOf(m, b).length };
  for (const [i, c] of classes.entries()) {
    f.tokens += promptTokens(c);
    f.cache_read += c.read;
    f.cache_write += c.write5m + c.write1h;
    f.cost = addMoney(f.cost, prices[i] === undefined ? undefined : requestCost(prices[i], c));
  }
  return { ...f, ...more };
}

export function together(a: ArmFigures, b: ArmFigures): ArmFigures {
  return {
    requests: a.requests + b.requests,
    tokens: a.tokens + b.tokens,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
    cost: b.cost === null ? a.cost : (a.cost ?? 0) + b.cost,
    needles: added(a.needles, b.needles),
    depths: a.depths.map((d, i) => added(d, b.depths[i]!)),
    cleared: a.cleared + b.cleared,
    rereads: { of: a.rereads.of + b.rereads.of, again: a.rereads.again + b.rereads.again },
    compactions: a.compactions + b.compactions,
    survived: added(a.survived, b.survived),
    cache_breaks: a.cache_breaks + b.cache_breaks,
    refused: a.refused + b.refused,
  };
}

function added(a: Needles, b: Needles): Needles {
  return { needed: a.needed + b.needed, kept: a.kept + b.kept };
}
