// Spans of the stages behind the deterministic layers: what was measured, what layer 4 put in, what the gate did (P-3).

import { type Open, type SpanEnd, type Stage, Trace } from '../../curation/trace.js';
import type { Draft } from '../commit.js';
import type { Compactor } from '../condense/compactor.js';
import { requestTokens } from '../request/sections.js';
import type { Session } from '../session.js';

/** A new trace of the session's; what it held before was of an earlier call. */
export function traceOf(session: Session): Trace {
  const trace = new Trace(() => session.deps.clock.mono());
  session.traced = trace;
  return trace;
}

export function viewTokens(session: Session): number {
  const { state, rendering, settings } = session;
  rendering.sync(state);
  return requestTokens(state, rendering, settings.curated.fixedOverheadTokens);
}

export function stage(session: Session, trace: Trace | undefined, name: Stage): Open | undefined {
  return trace?.begin(name, viewTokens(session));
}

/** The request is measured, and a summary of layer 4 that waited for its moment goes in if this is it (P-2). */
export function adopt(
  session: Session,
  compactor: Compactor,
  draft: Draft,
  o: { pending: ReadonlySet<string>; trace: Trace },
): void {
  stage(session, o.trace, 'measure')?.end();
  const span = stage(
    session,
    o.trace,
    compactor.cycle?.kind === 'compaction' ? 'compaction' : 'summary_buffer',
  );
  const before = draft.committed.length;
  const waited = compactor.cycle;
  compactor.applyReady(draft, { forced: false, pending: o.pending });
  span?.end(endOf(draft, before, waited === undefined ? 'none' : 'waits'));
}

/** How a stage ended, from the events that it pushed. */
export function endOf(draft: Draft, from: number, else_: SpanEnd['decision']): SpanEnd {
  const events = draft.committed.slice(from).map((c) => c.event);
  let delta = 0;
  let edits = false;
  let decisions = 0;
  for (const e of events) {
    if (e.type !== 'memory.curated') {
      if (e.type.startsWith('memory.')) decisions += 1;
      continue;
    }
    edits = true;
    for (const s of e.payload.sections_touched) delta += s.tokens_delta;
  }
  return { tokens_delta: delta, decision: edits ? 'edits' : else_, decisions };
}
