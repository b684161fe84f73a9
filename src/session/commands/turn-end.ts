// turn.end: a turn or a model round is over. The boundary: usage is taken in, decisions about what was sent are made.

import { readUsage } from '../../providers/usage.js';
import { isOverflowStop } from '../../summary/retryable.js';
import type { Draft } from '../commit.js';
import type { Compactor } from '../condense/compactor.js';
import type { Cycle } from '../condense/cycle.js';
import { startDue } from '../condense/start.js';
import { curate } from '../curating/curate.js';
import { adopt, traceOf } from '../curating/spans.js';
import { attributeMiss } from '../money/miss.js';
import { withReport } from '../money/spending.js';
import { takeReport } from '../native/native.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { type ProjectedEvent, project } from '../state/project.js';
import { settle } from '../topics/decide.js';
import { capHistory } from '../window/capped.js';
import { featuresNow, observeUsage, replyOf } from '../window/estimate.js';
import { takeUpConfig } from './open.js';
import { tellFault } from './uncurated.js';

export interface TurnEndParams {
  final?: boolean | undefined;
  /** Calls in flight at this boundary; absent: those of the newest main request. */
  pending?: readonly string[] | undefined;
  usage?: unknown;
  stop_reason?: string | null | undefined;
  /** The response's own report of native edits. */
  context_management?: unknown;
  /** The response's own word on why its cache was missed. */
  diagnostics?: unknown;
}

export interface TurnEnded {
  turn: number;
  seq: number;
  decisions: ProjectedEvent[];
}

/** What one call of turn.end goes through. */
export interface TurnEndRun {
  readonly compactor: Compactor;
  /** Gets the summary in the background that the boundary begins; the run's owner launches it. */
  begun?: Cycle;
  /** Why nothing is decided at this boundary: its curation failed by a fault of ours, in words. */
  fault?: string;
}

export function endTurn(session: Session, p: TurnEndParams, draft: Draft, run: TurnEndRun): TurnEnded {
  const final = p.final ?? true;
  if (final) takeUpConfig(session, draft);
  const { state, settings } = session;
  const turn = state.turn;
  const usage = p.usage === undefined ? undefined : readUsage(state.format, p.usage);
  const reported = draft.committed.length;
  const cleared = p.context_management == null ? 0 : takeReport(session, draft, p.context_management);
  attributeMiss(session, draft, p.diagnostics);
  const native = draft.committed.slice(reported);
  // PV-A49: the prompt is reported as it was after the provider's edits; the estimate is of what was sent.
  const whole = usage?.ok ? { ...usage.usage, prompt: usage.usage.prompt + cleared } : undefined;
  const seen = whole
    ? observeUsage(session, whole, state.sent.features ?? featuresNow(session), replyOf(session))
    : undefined;
  const settled = draft.committed.length;
  if (final) settle(session, draft);
  const topics = draft.committed.slice(settled);
  draft.push(
    event('agent.turn.end', {
      turn_id: `t${turn}`,
      iteration: state.round,
      session_id: session.key.session,
      final,
      boundary: final || settings.curated.boundary === 'round',
      ...(p.stop_reason == null ? {} : { stop_reason: p.stop_reason }),
      ...(isOverflowStop(p.stop_reason) ? { overflow: true as const } : {}),
      ...(usage?.ok ? { usage: usage.usage } : {}),
      ...(seen === undefined ? {} : { fit: seen.fit }),
      ...(usage?.ok ? withReport(session, usage.usage, state.sent.at) : {}),
    }),
  );
  if (usage !== undefined && !usage.ok) {
    draft.push(event('memory.diagnostic', { what: 'usage_refused', detail: usage.reason }));
  }
  if (seen?.refused !== undefined) {
    draft.push(event('memory.diagnostic', { what: 'usage_refused', detail: seen.refused }));
  }
  const before = draft.committed.length;
  if (run.fault === undefined) decide(session, p, draft, run);
  else tellFault(draft, run.fault);
  const decided = [...native, ...topics, ...draft.committed.slice(before)];
  // What a main request has carried since is nobody's news any more.
  for (const seq of session.told) if (seq < state.sent.seq) session.told.delete(seq);
  for (const { event: e } of decided) if (e.type === 'memory.curated') session.told.add(e.seq);
  return {
    turn,
    seq: state.seq,
    decisions: decided.map((c) => project(c.event)),
  };
}

/** What is decided at the boundary itself, about what was sent. */
function decide(session: Session, p: TurnEndParams, draft: Draft, run: TurnEndRun): void {
  const { state, settings } = session;
  const trace = traceOf(session);
  const pending = p.pending === undefined ? state.pending : new Set(p.pending);
  if (state.boundary)
    curate(session, draft, { pending, trace, sharesEdit: capHistory(session, draft, pending) });
  if (settings.mode !== 'enforce') return;
  adopt(session, run.compactor, draft, { pending, trace });
  startDue(session, draft, run, pending);
}
