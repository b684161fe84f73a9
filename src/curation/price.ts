// Whether an edit of what was sent pays: the bridge from a survey to economics/. Pure.

import {
  cliffEdit,
  DEFAULT_RATIOS,
  decideEdit,
  type EditDecision,
  lookupPrice,
  type Ratios,
  ratiosOf,
  remaining,
} from '../economics/index.js';
import type { Candidate } from './layer.js';
import type { Survey } from './survey.js';

export interface Verdict {
  /** Candidates from this index on (ascending by position) are made; their count when none is. */
  from: number;
  /** Cached tokens behind the first touched byte, to be written anew. */
  recacheTokens: number;
  /** Price units (tokens at the uncached input price) saved by each later request. */
  savesPerRequest: number;
  /** Requests after which the edit has paid for itself; 0 when it costs nothing. */
  breakEvenRequests: number;
  reason: string;
  /** Every number the decision rests on; undefined where none was needed. */
  numbers?: EditDecision;
}

/** Prices of the session's model relative to one uncached input token; the family's usual ones when it is unknown. */
export function ratios(survey: Survey): Ratios {
  const { prices } = survey.settings.curated;
  const overrides = { ...prices.overrides, [survey.model]: prices.own };
  const own = Object.keys(prices.own).length > 0 ? overrides : prices.overrides;
  const row = lookupPrice(prices.model ?? survey.model, survey.at, own);
  if (row === undefined) return DEFAULT_RATIOS[survey.spec.format === 'anthropic' ? 'anthropic' : 'openai'];
  return ratiosOf(row, survey.viewTokens);
}

/** Tokens that must go at once because the whole request is about to be priced higher. */
function cliff(survey: Survey): ReturnType<typeof cliffEdit> {
  const row = lookupPrice(survey.settings.curated.prices.model ?? survey.model, survey.at);
  return cliffEdit(survey.viewTokens, row?.tier?.above);
}

/**
 * One question for all candidates at a boundary (COSTS 3 to 6).
 * @param candidates of content that was sent, ascending by position
 */
export function judge(survey: Survey, candidates: readonly Candidate[]): Verdict {
  const { prefix } = survey;
  const { r, w } = ratios(survey);
  const cached = prefix.known ? prefix.messages : 0;
  const forced = cliff(survey);
  const over = Math.max(0, survey.viewTokens - survey.budget);
  const always =
    survey.settings.curated.costRule === 'off' || over > 0
      ? ('rule_off' as const)
      : prefix.known
        ? undefined
        : ('unknown_prefix' as const);
  const decision = decideEdit({
    candidates: {
      tokens: candidates.map((c) => c.frees + c.leaves),
      placeholder: candidates.map((c) => c.leaves),
      suffix: candidates.map((c) => (c.at < cached ? survey.tokensBehind(c.at, cached) : 0)),
      waited: candidates.map((c) => Math.max(1, survey.requests - c.since + 1)),
      sent: candidates.filter((c) => c.at < cached).length,
    },
    r,
    w,
    nHat: remaining(survey.requests + 1),
    arrival: survey.arrival,
    clearAtLeast: survey.forced ? 0 : survey.settings.curated.clearAtLeast,
    pCold: prefix.known ? prefix.cold : 0,
    ...(always === undefined ? {} : { always }),
    ...(forced !== undefined && always === undefined ? { forced } : {}),
  });
  return {
    from: decision.edit ? decision.from : candidates.length,
    recacheTokens: prefix.known ? decision.recacheTokens : 0,
    savesPerRequest: round(decision.savesPerRequest),
    breakEvenRequests: prefix.known ? round(decision.breakEvenRequests) : 0,
    reason: over > 0 && decision.edit ? 'over_budget' : decision.reason,
    numbers: decision,
  };
}

function round(v: number): number {
  return Math.round(v * 100) / 100;
}
