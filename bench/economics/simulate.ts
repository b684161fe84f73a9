// The simulator of COSTS 8: sessions as streams of token counts, a clearing policy, the bill. Pure and deterministic.
// Cache always warm but where a request is marked cold; an unchanged prefix is read, the rest written; input cost only.
import { decideEdit, type EditDecision } from '../../src/economics/decide.js';
import { remaining } from '../../src/economics/remaining.js';
import { allowanceOf } from '../../src/economics/spending.js';
import { cliffEdit } from '../../src/economics/triggers.js';

/** What a request adds behind the one before it. */
export interface SimBlock {
  tokens: number;
  /** A tool result; others are never cleared. */
  result: boolean;
}

export interface SimRequest {
  add: readonly SimBlock[];
  /** The history starts anew here (a recorded compaction): nothing is cached, nothing of before is left. */
  reset?: boolean;
  /** The cache is gone. */
  cold?: boolean;
  /** History may be edited before this request; default true. */
  boundary?: boolean;
}

export type SimSession = readonly SimRequest[];

export interface SimOptions {
  r: number;
  w: number;
  /** Static prefix of every request. */
  prefix: number;
  /** Newest results that are never cleared. */
  keep: number;
  /** Tokens of a placeholder; results up to this size are never cleared and do not count for `keep`. */
  stub: number;
  /** Results above `above` tokens are cut to `share` of their size before they are first sent. */
  shape?: { above: number; share: number };
}

/** What a policy sees before a request: the clearable results, oldest first. */
export interface SimView {
  tokens: Float64Array;
  /** Cached tokens behind the end of each. */
  suffix: Float64Array;
  /** The same with what no request has carried yet. */
  fullSuffix: Float64Array;
  waited: Float64Array;
  /** How many of them have been sent. */
  sent: number;
  stub: number;
  r: number;
  w: number;
  /** Requests of the session so far and still to come, this one included in both. */
  seen: number;
  left: number;
  /** Tokens of the request if nothing is cleared now. */
  total: number;
  /** Clearable tokens that arrived per request since the last reset. */
  arrival: number;
  cold: boolean;
  /** Units so far, without clearing and with it. */
  spent: { off: number; curated: number };
}

/** Index of the first result to clear, -1 for none. */
export type SimPolicy = (view: SimView) => number;

export interface SimBill {
  /** Units without clearing, and with it. */
  base: number;
  cost: number;
  /** Tokens sent, the same two. */
  baseTokens: number;
  tokens: number;
  /** Requests whose cached prefix an edit broke. */
  breaks: number;
  requests: number;
  /** Tokens of the largest request. */
  largest: number;
}

interface Held {
  tokens: number;
  full: number;
  result: boolean;
  cleared: boolean;
  sent: boolean;
  since: number;
}

/** Plays one session. O(requests x blocks). */
export function simulate(session: SimSession, policy: SimPolicy, o: SimOptions): SimBill {
  const bill: SimBill = { base: 0, cost: 0, baseTokens: 0, tokens: 0, breaks: 0, requests: 0, largest: 0 };
  let blocks: Held[] = [];
  let baseCached = 0;
  let cached = 0;
  let sinceReset = 0;
  let arrived = 0;
  session.forEach((request, index) => {
    if (request.reset === true) {
      blocks = [];
      baseCached = 0;
      cached = 0;
      sinceReset = 0;
      arrived = 0;
    }
    sinceReset++;
    for (const b of request.add) {
      const big = b.result && o.shape !== undefined && b.tokens > o.shape.above;
      const tokens = big ? Math.ceil(b.tokens * o.shape!.share) : b.tokens;
      blocks.push({ tokens, full: b.tokens, result: b.result, cleared: false, sent: false, since: -1 });
    }
    const results: number[] = [];
    blocks.forEach((b, i) => {
      if (b.result && (b.cleared || b.tokens > o.stub)) results.push(i);
    });
    const open = results.slice(0, Math.max(0, results.length - o.keep)).filter((i) => !blocks[i]!.cleared);
    for (const i of open) {
      const b = blocks[i]!;
      if (b.since < 0) {
        b.since = index;
        arrived += b.tokens - o.stub;
      }
    }
    let from = -1;
    if (open.length > 0 && request.boundary !== false) {
      from = policy(
        viewOf(blocks, open, o, session.length, index, arrived / sinceReset, request.cold === true, {
          off: bill.base,
          curated: bill.cost,
        }),
      );
    }
    let first = blocks.length;
    if (from >= 0) {
      for (const i of open.slice(from)) {
        const b = blocks[i]!;
        b.cleared = true;
        b.tokens = o.stub;
        if (b.sent) first = Math.min(first, i);
      }
    }
    let total = o.prefix;
    let full = o.prefix;
    let unchanged = o.prefix;
    blocks.forEach((b, i) => {
      total += b.tokens;
      full += b.full;
      if (b.sent && i < first) unchanged += b.tokens;
    });
    if (first < blocks.length) bill.breaks++;
    const warm = request.cold !== true;
    const read = warm ? Math.min(cached, unchanged) : 0;
    const baseRead = warm ? baseCached : 0;
    bill.cost += o.r * read + o.w * (total - read);
    bill.base += o.r * baseRead + o.w * (full - baseRead);
    bill.tokens += total;
    bill.baseTokens += full;
    bill.requests++;
    bill.largest = Math.max(bill.largest, total);
    cached = total;
    baseCached = full;
    for (const b of blocks) b.sent = true;
  });
  return bill;
}

function viewOf(
  blocks: readonly Held[],
  open: readonly number[],
  o: SimOptions,
  requests: number,
  index: number,
  arrival: number,
  cold: boolean,
  spent: SimView['spent'],
): SimView {
  const count = open.length;
  const view: SimView = {
    tokens: new Float64Array(count),
    suffix: new Float64Array(count),
    fullSuffix: new Float64Array(count),
    waited: new Float64Array(count),
    sent: open.filter((i) => blocks[i]!.sent).length,
    stub: o.stub,
    r: o.r,
    w: o.w,
    seen: index + 1,
    left: requests - index,
    total: o.prefix + blocks.reduce((a, b) => a + b.tokens, 0),
    arrival,
    cold,
    spent,
  };
  let behind = 0;
  let fullBehind = 0;
  let next = count - 1;
  for (let i = blocks.length - 1; i >= 0 && next >= 0; i--) {
    const b = blocks[i]!;
    if (i === open[next]) {
      view.tokens[next] = b.tokens;
      view.suffix[next] = behind;
      view.fullSuffix[next] = fullBehind;
      view.waited[next] = index - b.since + 1;
      next--;
    }
    if (b.sent) behind += b.tokens;
    fullBehind += b.tokens;
  }
  return view;
}

/** Sum over sessions, and the worst single one. */
export interface SimSummary extends SimBill {
  /** Percent of the cost, and of the tokens, that clearing saves. */
  saved: number;
  tokensSaved: number;
  /** The smallest saving of a single session, in percent of its own cost. */
  worstSaved: number;
}

export function simulateAll(sessions: readonly SimSession[], policy: SimPolicy, o: SimOptions): SimSummary {
  const sum: SimBill = { base: 0, cost: 0, baseTokens: 0, tokens: 0, breaks: 0, requests: 0, largest: 0 };
  let worst = Number.POSITIVE_INFINITY;
  for (const s of sessions) {
    const bill = simulate(s, policy, o);
    for (const key of Object.keys(sum) as (keyof SimBill)[]) {
      sum[key] = key === 'largest' ? Math.max(sum.largest, bill.largest) : sum[key] + bill[key];
    }
    if (bill.base > 0) worst = Math.min(worst, 100 * (1 - bill.cost / bill.base));
  }
  return {
    ...sum,
    saved: 100 * (1 - sum.cost / sum.base),
    tokensSaved: 100 * (1 - sum.tokens / sum.baseTokens),
    worstSaved: worst,
  };
}

function clearable(v: SimView): number {
  let k = 0;
  for (const t of v.tokens) k += t - v.stub;
  return k;
}

/** Nothing is ever cleared. */
export const never: SimPolicy = () => -1;

/** Everything clearable goes at once when it reaches a size; 1 clears at every request. */
export function fixedBatch(tokens: number): SimPolicy {
  return (v) => (clearable(v) >= tokens ? 0 : -1);
}

/**
 * Plain rent-or-buy as in the calibration: no look at the future, suffix as if all of it were cached. Only for comparison.
 * @param f share of the rewrite that must have been paid
 */
export function rentOrBuy(f = 0.5): SimPolicy {
  return (v) => {
    let best = -1;
    let most = 0;
    let paid = 0;
    let later = 0;
    let stubs = 0;
    for (let i = v.tokens.length - 1; i >= 0; i--) {
      paid += v.r * v.waited[i]! * (v.tokens[i]! - v.stub);
      stubs += v.stub;
      const kept = v.fullSuffix[i]! - later + stubs;
      later += v.tokens[i]!;
      const gain = paid - f * (v.w - v.r) * kept;
      if (gain >= most) {
        most = gain;
        best = i;
      }
    }
    return best;
  };
}

export interface CuratedOptions {
  /** Known: the true number of requests left. */
  future?: 'estimate' | 'known';
  /** A cold cache is seen (its clock has run out) and acted on. */
  coldTrigger?: boolean;
  /** Boundaries are rare. */
  rare?: boolean;
  /** Prompts above it reprice as a whole. */
  cliff?: number;
  /** Share of the session's cost so far that may be lost at worst; absent: no bound. */
  loss?: number;
  /** Hears every decision, made or not. */
  onDecision?: (d: EditDecision) => void;
}

/** The rule that the daemon uses. */
export function curatedPolicy(options: CuratedOptions = {}): SimPolicy {
  return (v) => {
    const forced = cliffEdit(v.total, options.cliff);
    const decision = decideEdit({
      ...(forced === undefined ? {} : { forced }),
      ...(options.rare === undefined ? {} : { rare: options.rare }),
      candidates: {
        tokens: v.tokens,
        placeholder: v.stub,
        suffix: v.suffix,
        waited: v.waited,
        sent: v.sent,
      },
      r: v.r,
      w: v.w,
      nHat: options.future === 'known' ? v.left : remaining(v.seen),
      arrival: v.arrival,
      pCold: options.coldTrigger === true && v.cold ? 1 : 0,
      ...(options.loss === undefined ? {} : { allowance: allowanceOf(v.spent, options.loss) }),
    });
    options.onDecision?.(decision);
    return decision.edit ? decision.from : -1;
  };
}
