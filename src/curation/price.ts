// Whether an edit of what was sent pays: the bridge from a survey to economics/. Pure.

import {
  allowanceOf,
  COLD_MINIMUM,
  cliffEdit,
  decideEdit,
  type EditCandidates,
  type EditDecision,
  type EditProblem,
  type Ratios,
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

/** A cold edit may be smaller than the rule's minimum where the whole view is small: this share of it. */
const COLD_SHARE = 0.1;

/** A hidden tool may be wanted again when the request has grown: set aside for it, in returns at the present size. */
const RETURN_ROOM = 2;

/**
 * Share of the rewrite that must have been paid as rent before an edit. More than the rule's own: each edit also costs
 * names that later calls need, and the bound on losses makes the first ones wait in any case.
 */
const RENT_BEFORE_EDIT = 1;

/** Prices of the session's model relative to one uncached input token; the family's usual ones when it is unknown. */
export function ratios(survey: Survey): Ratios {
  const t = survey.tariff;
  const usual = t.ratios(survey.viewTokens, survey.prefix.known && survey.prefix.hour ? '1h' : '5m');
  // Below the least cacheable prefix nothing is cached: each request pays everything in full (COSTS 4).
  return survey.viewTokens < t.rules.minTokens ? { r: 1, w: 1, o: usual.o } : usual;
}

/** Main requests still to come, the next one included. */
export function requestsLeft(survey: Survey): number {
  return remaining(survey.requests + 1);
}

/** Thinking behind each candidate that an edit there would void, on models that bind it (PV-A31). */
function thinkingBehind(survey: Survey, candidates: readonly Candidate[]): number[] | undefined {
  if (survey.profile.modelClass !== 'AB') return undefined;
  const behind = new Array<number>(candidates.length).fill(0);
  let tokens = 0;
  let at = survey.messages.length - 1;
  for (let i = candidates.length - 1; i >= 0; i -= 1) {
    for (; at >= candidates[i]!.at && at >= 0; at -= 1) {
      if (survey.isDropped(at)) continue;
      for (const part of survey.messages[at]!.reading.parts) {
        if (part.kind === 'thinking') tokens += Math.ceil((part.text ?? '').length / 4);
      }
    }
    behind[i] = tokens;
  }
  return behind;
}

const sizeOf = (c: Candidate): number => c.frees + c.leaves;

/** Cached tokens behind a candidate's own. */
function behind(survey: Survey, candidates: readonly Candidate[], index: number, cached: number): number {
  const own = candidates[index]!;
  const tokens = survey.tokensBehind(own.at, cached);
  // What stands before the messages is counted with them.
  if (own.at === -1) return Math.max(0, tokens - sizeOf(own));
  let later = 0;
  for (let i = index + 1; candidates[i]?.at === own.at; i += 1) later += sizeOf(candidates[i]!);
  return tokens + later;
}

/**
 * Cached tokens before a candidate that can no longer be read once it changes. An automatic cache reads what is equal, so
 * that is what stands in its message, and the answer before it. Where marks say what is cached, the newest entry that is
 * left ends where a request ended: not within what an edit has changed, and every request since then has ended further on.
 */
function leading(survey: Survey, candidates: readonly Candidate[], index: number, cached: number): number {
  const own = candidates[index]!;
  if (own.at === -1) return 0;
  let from = own.at;
  while (from > 0 && survey.messages[from - 1]!.reading.role === 'assistant') from -= 1;
  if (survey.tariff.rules.kind === 'marks') from = Math.min(from, survey.entryBefore(own.at));
  return Math.max(
    0,
    survey.tokensBehind(from - 1, cached) - sizeOf(own) - behind(survey, candidates, index, cached),
  );
}

/** Units that the return of a hidden tool costs: the list stands before everything, so all of it is written anew. */
function returnPrice(survey: Survey): number {
  const { r, w } = ratios(survey);
  return survey.viewTokens * Math.max(0, w - r);
}

/** Units that an edit may lose at worst, with the return of what is hidden set aside. */
export function allowance(survey: Survey): number {
  const owed = survey.tools !== undefined && survey.tools.pruned.size > 0 ? returnPrice(survey) : 0;
  return allowanceOf(survey.spent, survey.settings.curated.mostLoss) - owed;
}

/** Clearable tokens that come with a request: what was cleared so far and what waits, over the requests that brought it. */
function arrivalOf(survey: Survey, candidates: readonly Candidate[]): number {
  const waiting = candidates.reduce((sum, c) => sum + c.frees, 0);
  return (survey.calls.clearedTokens + waiting) / (survey.requests + 1);
}

/**
 * One question for all candidates at a boundary (COSTS 3 to 6).
 * @param candidates of content that was sent, ascending by position
 */
export function judge(survey: Survey, candidates: readonly Candidate[]): Verdict {
  const { prefix } = survey;
  const { r, w, o } = ratios(survey);
  const { curated } = survey.settings;
  const cached = prefix.known ? prefix.messages : 0;
  const forced = cliffEdit(survey.viewTokens, survey.tariff.row?.tier?.above);
  const over = Math.max(0, survey.viewTokens - survey.budget);
  const always =
    curated.costRule === 'off' || over > 0
      ? ('rule_off' as const)
      : prefix.known
        ? undefined
        : ('unknown_prefix' as const);
  const columns: EditCandidates = {
    tokens: candidates.map(sizeOf),
    placeholder: candidates.map((c) => c.leaves),
    suffix: candidates.map((c, i) => (c.at < cached ? behind(survey, candidates, i, cached) : 0)),
    lead: candidates.map((c, i) => (c.at < cached ? leading(survey, candidates, i, cached) : 0)),
    waited: candidates.map((c) => Math.max(1, survey.requests - c.since + 1)),
    sent: candidates.reduce((n, c) => (c.at < cached ? n + 1 : n), 0),
  };
  const problem: EditProblem = {
    candidates: columns,
    r,
    w,
    nHat: requestsLeft(survey),
    arrival: arrivalOf(survey, candidates),
    rare: curated.boundary === 'turn',
    rentShare: RENT_BEFORE_EDIT,
    allowance: allowance(survey),
    clearAtLeast: survey.forced ? 0 : curated.clearAtLeast,
    pCold: prefix.known ? prefix.cold : 0,
    coldMinimum: Math.min(COLD_MINIMUM, COLD_SHARE * survey.viewTokens),
  };
  if (prefix.known)
    problem.prompt = { tokens: survey.viewTokens, cached: prefix.tokens, rules: survey.tariff.rules };
  const thinking = thinkingBehind(survey, candidates);
  if (thinking !== undefined) {
    columns.thinking = thinking;
    // Once thought anew, at the price of output (COSTS 4).
    problem.rethink = (thinking[0] ?? 0) * o;
  }
  if (candidates[0]?.at === -1)
    columns.hazard = candidates.map((c) => (c.at === -1 ? RETURN_ROOM * returnPrice(survey) : 0));
  if (always !== undefined) problem.always = always;
  else if (forced !== undefined) problem.forced = forced;
  const decision = decideEdit(problem);
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
  return Number.isFinite(v) ? Math.round(v * 100) / 100 : 0;
}
