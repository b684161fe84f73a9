// The cost rule (COSTS 3 to 6): whether to edit the history now, and from which candidate on. The daemon, the simulator and the
// benches call this one function. Pure, O(candidates); knows no message, only columns of token counts.
import { breakEven, coldDelta, delta as gain, leverage } from './break-even.js';
import type { CacheRules } from './cache-model.js';
import { batchSize, GAMMA, RENT_SHARE, RENT_SHARE_RARE, rent } from './eoq.js';
import { COLD_MINIMUM, expectedDelta } from './triggers.js';

/** What could be cleared, oldest first, as columns of equal length. All numbers are tokens. */
export interface EditCandidates {
  /** Size of each block as it stands in the view. */
  tokens: ArrayLike<number>;
  /** Size of what would stand in its place; one number for all, or one each. */
  placeholder: number | ArrayLike<number>;
  /** Cached tokens after the end of each block, later candidates included; 0 where the known prefix ends before it. */
  suffix: ArrayLike<number>;
  /** Cached tokens before each block from which on nothing can be read once it changes (what came with it); absent: none. */
  lead?: ArrayLike<number>;
  /** Requests, this one included, that each has been clearable. */
  waited: ArrayLike<number>;
  /** The first so many lie inside the known prefix; the others were never sent and cost no rewrite. Default: all. */
  sent?: number;
  /** Thinking that an edit from this candidate on drops for good (PV-A31). */
  thinking?: ArrayLike<number>;
  /** Units that losing each block is expected to cost: recall probability x its price (COSTS 7). */
  risk?: ArrayLike<number>;
  /** Units that taking the edit back may cost at worst, each (a tool that is wanted again: everything anew). */
  hazard?: ArrayLike<number>;
}

export interface ForcedEdit {
  /** Tokens that must go. */
  need: number;
  /** Where even clearing everything frees less than this, the edit would not help and is not forced; default 0. */
  atLeast?: number;
  reason: 'window' | 'overflow' | 'cliff' | 'target' | 'tools';
}

export interface EditProblem {
  candidates: EditCandidates;
  /** Price of a cache read and write relative to one uncached input token. */
  r: number;
  w: number;
  /** Requests still to come, this one included. */
  nHat: number;
  /** g: clearable tokens that arrive per request; 0 or absent: no waiting for a full batch. */
  arrival?: number;
  /** Boundaries come once in many requests (`boundary: turn`): the next chance is far, so it waits less. */
  rare?: boolean;
  /** Probability that the provider's cache is gone; absent: warm. */
  pCold?: number;
  /** An edit must free so many tokens. */
  clearAtLeast?: number;
  /** Least tokens of an edit that a cold cache alone speaks for; absent: COLD_MINIMUM. */
  coldMinimum?: number;
  /** Units that thinking again after a dropped thinking costs. */
  rethink?: number;
  /** The pay test is off: `cost_rule: off`, or nothing is known about the cache (P-7). */
  always?: 'rule_off' | 'unknown_prefix';
  /** The edit may not wait; it takes the best start that frees enough, else all. */
  forced?: ForcedEdit;
  gamma?: number;
  rentShare?: number;
  /** The request as it stands, and what of it is cached; absent: however short, a prefix is read. */
  prompt?: { tokens: number; cached: number; rules: Pick<CacheRules, 'minTokens' | 'step'> };
  /** Units that may be lost at worst, if the session ends with the next request; absent: no bound. See spending.ts. */
  allowance?: number;
}

export type EditReason =
  | ForcedEdit['reason']
  | 'pays'
  | 'cold'
  | 'free'
  | 'rule_off'
  | 'unknown_prefix'
  | 'no_candidates'
  | 'clear_at_least'
  | 'waiting'
  /** It would pay as things go, but a session that ends early would have lost more than it may. */
  | 'too_risky'
  | 'does_not_pay';

/** Every number that the decision rests on; journalled with it, made or not. */
export interface EditDecision {
  edit: boolean;
  /** All candidates from this index on are cleared; -1: none. Without an edit: the best start there was. */
  from: number;
  reason: EditReason;
  /** Tokens removed, placeholders already taken off. */
  k: number;
  /** Cached tokens that stay and are written again, the new placeholders included. */
  S: number;
  /** (w - r) / r. */
  M: number;
  nHat: number;
  /** The batch worth waiting for. */
  kStar: number;
  /** Expected saving in units. */
  delta: number;
  /** Requests from which on the edit has paid. */
  breakEvenRequests: number;
  /** Units saved by each later request. */
  savesPerRequest: number;
  /** Cached tokens behind the first touched byte, those of the cleared bodies included (S-3). */
  recacheTokens: number;
  /** Units lost if the session ends with the next request; negative: saved even then. */
  worstLoss: number;
}

const at = (column: number | ArrayLike<number>, i: number): number =>
  typeof column === 'number' ? column : column[i]!;

const EVEN_ODDS = 0.5;
/** What is put in place is only estimated: at worst it is larger by this share. */
const STUB_DOUBT = 0.3;

/** The sums of clearing everything from one candidate on. */
interface Start {
  from: number;
  k: number;
  s: number;
  delta: number;
  recache: number;
  worst: number;
}

/** Tokens before the first touched byte that are written again all the same: too short to be read, or the rest of a step. */
function unread(prompt: EditProblem['prompt'], touched: number): number {
  if (prompt === undefined) return 0;
  const before = Math.max(0, prompt.cached - touched);
  return before < prompt.rules.minTokens ? before : Math.min(before, prompt.rules.step - 1);
}

/** A request so short that nothing of it is cached is paid in full each time, and may cost more than a long one did. */
export function tooShort(minTokens: number, tokens: number, left: number, r: number): boolean {
  return left < minTokens && left > r * tokens;
}

function leavesCache(prompt: EditProblem['prompt'], removed: number, r: number): boolean {
  if (prompt === undefined || prompt.cached === 0) return false;
  return tooShort(prompt.rules.minTokens, prompt.tokens, prompt.tokens - removed, r);
}

/** Chooses between editing now and later. Candidates with nothing to gain (tokens <= placeholder) should not be in it. */
export function decideEdit(problem: EditProblem): EditDecision {
  const { candidates: c, r, w, nHat } = problem;
  const count = c.tokens.length;
  const gamma = problem.gamma ?? GAMMA;
  const share = problem.rentShare ?? (problem.rare === true ? RENT_SHARE_RARE : RENT_SHARE);
  const pCold = problem.pCold ?? 0;
  const allowance = problem.allowance ?? Number.POSITIVE_INFINITY;
  const minimum = problem.clearAtLeast ?? 0;
  const sent = Math.min(count, c.sent ?? count);
  const extra = Math.max(0, w - r);
  const tail = sent > 0 ? c.suffix[sent - 1]! : 0;
  const kStar = problem.rare === true ? 0 : batchSize(problem.arrival ?? 0, tail, r, w);

  const must = problem.forced !== undefined || problem.always !== undefined;
  let k = 0;
  let stubs = 0;
  let later = 0;
  let paid = 0;
  let risk = 0;
  let hazard = 0;
  let best: Start | undefined;
  let forced: Start | undefined;
  let paying: Start | undefined;
  let risky: Start | undefined;
  let all: Start | undefined;
  // From the newest back: each step adds one block, and what was suffix becomes edited.
  for (let i = count - 1; i >= 0; i--) {
    const tokens = c.tokens[i]!;
    const stub = at(c.placeholder, i);
    const inside = i < sent;
    k += tokens - stub;
    paid += rent(tokens - stub, c.waited[i]!, r);
    risk += c.risk?.[i] ?? 0;
    hazard += c.hazard?.[i] ?? 0;
    if (inside) stubs += stub;
    const theta = inside ? (c.thinking?.[i] ?? 0) : 0;
    const behind = inside ? Math.max(0, c.suffix[i]! - later - theta) + stubs : 0;
    const lead = c.lead?.[i] ?? 0;
    const kept = inside ? behind + lead + unread(problem.prompt, c.suffix[i]! + tokens + lead) : 0;
    if (inside) later += tokens;
    const removed = k + theta;
    const doubt = STUB_DOUBT * stubs;
    const loss = risk + (theta > 0 ? (problem.rethink ?? 0) : 0);
    const expected =
      // What was never sent would be written at w either way: clearing it saves that too.
      (kept === 0 && !inside
        ? coldDelta(nHat, removed, r, w)
        : expectedDelta(pCold, nHat, removed, kept, r, w)) - loss;
    const start: Start = {
      from: i,
      k: removed,
      s: kept,
      delta: expected,
      recache: inside ? c.suffix[i]! + tokens : 0,
      worst: (1 - pCold) * extra * (kept + doubt) - (removed - doubt) * r + hazard,
    };
    all = start;
    if (removed < minimum || (!must && leavesCache(problem.prompt, removed, r))) continue;
    if (best === undefined || expected > best.delta) best = start;
    if (problem.forced !== undefined && removed >= problem.forced.need) {
      if (forced === undefined || expected > forced.delta) forced = start;
    }
    const warm = gain(nHat, removed, kept, r, w) - loss;
    const worth = nHat * removed * r - loss > gamma * extra * kept;
    const due = kept === 0 || (removed >= kStar && paid >= share * extra * kept);
    if (!worth || !due || warm <= 0) continue;
    if (start.worst > allowance) risky = start;
    else if (paying === undefined || expected > paying.delta) paying = start;
  }

  const result = (edit: boolean, reason: EditReason, start: Start | undefined): EditDecision => ({
    edit,
    from: start?.from ?? -1,
    reason,
    k: start?.k ?? 0,
    S: start?.s ?? 0,
    M: leverage(r, w),
    nHat,
    kStar,
    delta: start?.delta ?? 0,
    breakEvenRequests: start === undefined ? 0 : breakEven(start.k, start.s, r, w),
    savesPerRequest: (start?.k ?? 0) * r,
    recacheTokens: start?.recache ?? 0,
    worstLoss: start?.worst ?? 0,
  });

  if (all === undefined) return result(false, 'no_candidates', undefined);
  if (problem.forced !== undefined && all.k >= (problem.forced.atLeast ?? 0)) {
    return result(true, problem.forced.reason, forced ?? all);
  }
  if (best === undefined) return result(false, all.k < minimum ? 'clear_at_least' : 'does_not_pay', all);
  if (problem.always !== undefined) return result(true, problem.always, all);
  // Below even odds it is a warm edit with a bonus, and has to be worth it like any other.
  if (
    pCold >= EVEN_ODDS &&
    best.k >= (problem.coldMinimum ?? COLD_MINIMUM) &&
    best.delta > 0 &&
    best.worst <= allowance
  )
    return result(true, 'cold', best);
  if (paying !== undefined) return result(true, paying.s === 0 ? 'free' : 'pays', paying);
  if (risky !== undefined) return result(false, 'too_risky', risky);
  return result(false, best.delta > 0 ? 'waiting' : 'does_not_pay', best);
}
