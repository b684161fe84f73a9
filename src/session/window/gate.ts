// The window: the last stage before a request leaves (L5-1 to L5-6). What does not fit is made to fit, or is a typed
// error; where a summary has to be written first, the call is held and comes back.

import { type GateFacts, gateStep } from '../../curation/gate-step.js';
import type { Trace } from '../../curation/trace.js';
import { CuratedError } from '../../errors.js';
import { PLUGIN_IDS } from '../../settings/index.js';
import { type Draft, SCHEMA_VERSION } from '../commit.js';
import type { Compactor } from '../condense/compactor.js';
import { type Cycle, type CycleEnd, NOT_APPROVED } from '../condense/cycle.js';
import { rangeOf, weightOf } from '../condense/range.js';
import { canClear, canShrink, canSqueeze, clearAll, shrinkLong, squeeze } from '../condense/reclaim.js';
import { blocked } from '../condense/worth.js';
import { type CurateOptions, curate } from '../curating/curate.js';
import { mayLeave } from '../curating/open-round.js';
import { endOf, stage } from '../curating/spans.js';
import { requestTokens } from '../request/sections.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { boundsOf, tellNoRoom } from './bounds.js';
import { estimateRequest } from './estimate.js';

/** What one held call has been through. */
export interface GateRun {
  readonly compactor: Compactor;
  cycles: number;
  /** Cycle that this call waits for, until it comes back. */
  waits?: Cycle;
  ended?: CycleEnd;
  compacted: boolean;
  cleared: boolean;
  shrunk: boolean;
  squeezed: boolean;
  /** Tail of the last cycle of this call. */
  tail?: number;
  fellBack: boolean;
  /** Messages of the history before the call, where it only appended. */
  before?: number;
  /** Set once the messages of the call are in the history: their number then. */
  taken?: { messages: number };
  /** Its idempotency key and the hash of its body: how it is known again after a crash. */
  keyed?: { key: string; body: string };
  /** Its name in the journal, once it was held with messages of its own. */
  call?: string;
  /** Messages of the history that this call has mended: a call that was held does not mend them again. */
  repaired?: number;
  /** Cycle in the background that this call has begun, to be launched when it is sealed. */
  begun?: Cycle;
  /**
   * The request must get smaller, whatever the numbers say: the provider refused it as too long, or its answer was cut
   * where the window ended. After a refusal nothing else would do; a cut answer goes on with what there is.
   */
  overflow?: 'refused' | 'cut';
  /** Spans of the call, over all its holds. */
  trace?: Trace;
  /** Why nothing is decided for this call: its curation failed by a fault of ours, in words. */
  fault?: string;
}

export function newGateRun(compactor: Compactor): GateRun {
  return {
    compactor,
    cycles: 0,
    compacted: false,
    cleared: false,
    shrunk: false,
    squeezed: false,
    fellBack: false,
  };
}

/** @returns the cycle to wait for, or undefined when the request may go */
export function keepWithin(
  session: Session,
  draft: Draft,
  o: CurateOptions,
  run: GateRun,
): Cycle | undefined {
  const span = stage(session, run.trace, 'context_window');
  const before = draft.committed.length;
  tellNoRoom(session, draft, o.maxTokens);
  const cycle = within(session, draft, { ...o, trace: undefined }, run);
  span?.end(endOf(draft, before, cycle === undefined ? 'none' : 'holds'));
  return cycle;
}

function within(session: Session, draft: Draft, o: CurateOptions, run: GateRun): Cycle | undefined {
  const { state } = session;
  const pending = o.pending ?? new Set<string>();
  takeEnd(draft, run);
  for (;;) {
    session.rendering.sync(state);
    const facts = factsOf(session, o, run, pending);
    const step = gateStep(facts);
    const excess = excessOf(facts);
    switch (step) {
      case 'pass':
        return undefined;
      case 'warn':
        draft.push(
          event('memory.diagnostic', {
            what: 'over_budget_but_fits',
            detail: { tokens: facts.tokens, threshold: facts.threshold, limit: facts.limit },
          }),
        );
        return undefined;
      case 'compact':
      case 'fall_back':
      case 'shorten': {
        const cycle = startCycle(session, draft, o, run, step, facts);
        if (cycle !== undefined) return cycle;
        break;
      }
      case 'clear': {
        const refused = isRefused(run);
        const held = session.rendering.tokens;
        run.cleared = true;
        curate(session, draft, { ...o, forced: true });
        session.rendering.sync(state);
        if (gated(session)) {
          const freed = held - session.rendering.tokens;
          const rest = refused ? excess - freed : excessOf(factsOf(session, o, run, pending));
          if (rest > 0) clearAll(session, draft, pending, rest);
        }
        break;
      }
      case 'shrink':
        run.shrunk = true;
        shrinkLong(session, draft, pending, excess);
        break;
      case 'squeeze':
        run.squeezed = true;
        squeeze(session, draft, pending, excess);
        break;
      case 'irreducible':
        if (run.overflow === 'cut') {
          delete run.overflow;
          break;
        }
        tellIrreducible(session, draft, facts);
        return undefined;
      case 'fail':
        if (run.overflow === 'cut') {
          delete run.overflow;
          break;
        }
        refuse(session, facts, run);
    }
  }
}

function gated(session: Session): boolean {
  return session.settings.active.has(PLUGIN_IDS.contextWindow);
}

/** A call comes back from its cycle: the retry is announced once, and only for a cycle that worked. */
function takeEnd(draft: Draft, run: GateRun): void {
  const { ended, waits } = run;
  if (ended === undefined || waits === undefined) return;
  delete run.waits;
  if (!ended.ok) return;
  run.compacted = true;
  draft.push(
    event('gate.llm.retry', {
      _schema_version: SCHEMA_VERSION,
      source: PLUGIN_IDS.contextWindow,
      reason: 'compaction_complete',
    }),
  );
}

/** The provider has refused what we count as fitting, and this call has made nothing of it smaller so far: a summary that failed has not. */
function isRefused(run: GateRun): boolean {
  return run.overflow !== undefined && !run.compacted && !run.cleared && !run.shrunk;
}

function factsOf(session: Session, o: CurateOptions, run: GateRun, pending: ReadonlySet<string>): GateFacts {
  const { state, settings, rendering } = session;
  const overhead = settings.curated.fixedOverheadTokens;
  const { most: threshold } = session.budget(o.maxTokens);
  const { limit, ceiling } = boundsOf(session, o.maxTokens);
  // What the provider has cleared by itself it clears again: the request as the model gets it is smaller by so much.
  const relief = session.native.plan.delegated.size === 0 ? 0 : state.nativeCleared;
  const p95 = Math.max(0, estimateRequest(session).p95 - relief);
  const tokens = Math.max(0, requestTokens(state, rendering, overhead) - relief);
  const fits = p95 <= limit && tokens <= threshold;
  const gate = gated(session);
  const summary = gate || settings.active.has(PLUGIN_IDS.compaction);
  const tail = settings.plugins.compaction.protectRecent;
  const overflow = isRefused(run);
  const asked = run.tail !== undefined;
  return {
    // A provider that refused knows better than any estimate.
    tokens: overflow ? Math.max(tokens, threshold + 1) : tokens,
    p95: overflow ? Math.max(p95, limit + 1) : p95,
    threshold: gate ? threshold : Number.POSITIVE_INFINITY,
    limit,
    ceiling,
    blocked: blocked(session) && run.cycles === 0 && !overflow,
    cycles: run.cycles,
    maxCycles: settings.plugins.contextWindow.maxAttempts,
    compacted: run.compacted,
    failed: failureOf(run.ended),
    canCompact: summary && !asked && (!fits || overflow) && worthIt(session, tail, pending),
    canFallBack: summary && !run.fellBack,
    canClear: !run.cleared && (!fits || overflow) && (!gate || canClear(session, pending)),
    canShrink: gate && !run.shrunk && (!fits || overflow) && canShrink(session, pending),
    canSqueeze: gate && !run.squeezed && (!fits || overflow) && canSqueeze(session, pending),
    canShorten: summary && (!fits || overflow) && shorterTail(session, run, pending) !== undefined,
  };
}

/** People who said no are not gone around; a summary that was no good is made another way. */
function failureOf(end: CycleEnd | undefined): GateFacts['failed'] {
  if (end === undefined || end.ok) return 'no';
  return end.how === 'rejected' && end.reason === NOT_APPROVED ? 'refused' : 'failed';
}

/** Tokens that must go, with a margin so that the next request is not at the edge again. */
function excessOf(f: GateFacts): number {
  const scale = f.tokens > 0 ? Math.max(1, f.p95 / f.tokens) : 1;
  const goal = Math.min(f.threshold, f.limit / scale);
  return f.tokens - 0.9 * goal;
}

/** Less than this taken out makes no summary worth its call. */
const LEAST_WEIGHT = 64;

function worthIt(session: Session, tail: number, pending: ReadonlySet<string>, yields = false): boolean {
  const range = rangeOf(session, { tail, pending, yields });
  if (range === undefined || weightOf(session, range) < LEAST_WEIGHT) return false;
  return mayLeave(session.state, session.profile.modelClass === 'AB', range);
}

/** Half of the tail, again and again, until a summary has more to stand for (L5-6). */
function shorterTail(session: Session, run: GateRun, pending: ReadonlySet<string>): number | undefined {
  let tail = run.tail ?? session.settings.plugins.compaction.protectRecent;
  while (tail > 1) {
    tail = Math.floor(tail / 2);
    if (worthIt(session, tail, pending, true)) return tail;
  }
  return undefined;
}

function startCycle(
  session: Session,
  draft: Draft,
  o: CurateOptions,
  run: GateRun,
  step: 'compact' | 'fall_back' | 'shorten',
  facts: GateFacts,
): Cycle | undefined {
  const { settings } = session;
  const pending = o.pending ?? new Set<string>();
  run.cycles += 1;
  const tail =
    step === 'shorten'
      ? (shorterTail(session, run, pending) ?? 1)
      : (run.tail ?? settings.plugins.compaction.protectRecent);
  run.tail = tail;
  if (step === 'fall_back') run.fellBack = true;
  const running = run.compactor.cycle;
  if (running !== undefined) {
    const end = run.compactor.applyReady(draft, { forced: true, pending });
    if (run.compactor.cycle !== undefined) {
      run.compactor.awaited(running);
      run.waits = running;
      return running;
    }
    if (end === undefined) {
      run.compacted = true;
      return undefined;
    }
  }
  draft.push(
    event('io.output', {
      role: 'system',
      content: `The conversation has ${facts.tokens} tokens, more than the ${facts.threshold} that leave room for an answer; older parts are being condensed.`,
    }),
  );
  draft.push(
    event('memory.compact.request', {
      reason: 'context_window_gate',
      estimated_tokens: facts.tokens,
      threshold: session.budget(o.maxTokens).threshold,
    }),
  );
  const span = stage(session, run.trace, 'compaction');
  const cycle = run.compactor.begin(draft, {
    kind: 'compaction',
    reason: 'context_window_gate',
    origin: run.overflow ? 'error' : 'gate',
    tail,
    pending,
    // A summariser that failed this call is not asked by it again.
    builtIn: run.fellBack,
    yields: step === 'shorten',
  });
  span?.end({ decision: cycle === undefined ? 'none' : 'holds' });
  if (cycle !== undefined) run.waits = cycle;
  return cycle;
}

/** Once, until something that can be reduced has come (case 35). */
function tellIrreducible(session: Session, draft: Draft, facts: GateFacts): void {
  if (blocked(session)) return;
  draft.push(
    event('memory.irreducible', {
      floor: facts.tokens,
      needed: Math.min(facts.threshold, facts.limit),
      view_tokens: session.rendering.tokens,
    }),
  );
}

/** What a request is made of, for whoever is told that it is too long. Tokens. */
export function weightsOf({ state, rendering }: Session) {
  // Without a message it is the static part that does not fit.
  const [first] = rendering.pieces;
  const largest = first && rendering.pieces.reduce((a, b) => (b.tokens > a.tokens ? b : a), first);
  return {
    static: (state.system?.tokens ?? 0) + (state.tools?.tokens ?? 0),
    ...(largest === undefined ? {} : { largest_message: { index: largest.at, tokens: largest.tokens } }),
  };
}

function refuse(session: Session, facts: GateFacts, run: GateRun): never {
  const detail = {
    needed: facts.p95,
    limit: facts.limit,
    counted: facts.tokens,
    ...weightsOf(session),
  };
  const end = run.ended;
  if (end !== undefined && !end.ok) {
    throw new CuratedError(
      'SUMMARY_FAILED',
      `the request needs ${facts.p95} tokens, the window leaves ${facts.limit}, and the summary did not come: ${end.reason}`,
      {
        detail: { ...detail, reason: end.how, cause: end.reason },
      },
    );
  }
  throw new CuratedError(
    'CONTEXT_IRREDUCIBLE',
    `the request needs ${facts.p95} tokens, the window leaves ${facts.limit}`,
    { detail },
  );
}
