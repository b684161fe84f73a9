// llm.prepare: the hook before each model call. Takes in what is new, repairs, curates, keeps within the window, checks,
// and answers with the request.

import type { Draft } from '../commit.js';
import { reattach } from '../condense/reattach.js';
import { startDue } from '../condense/start.js';
import { curate } from '../curating/curate.js';
import { adopt, traceOf } from '../curating/spans.js';
import { fitMarks } from '../marks/host-marks.js';
import { markRequest } from '../marks/mark-request.js';
import { mendSent } from '../mending/mend-sent.js';
import { repairNew } from '../mending/repair.js';
import { dropVoid } from '../mending/void-thinking.js';
import { tellForced } from '../native/native.js';
import { placeDurable } from '../placing/durable-placement.js';
import { placeIndex } from '../placing/index-placement.js';
import { releaseTools } from '../placing/release-tools.js';
import { loadDeferred } from '../placing/tool-additions.js';
import type { Session } from '../session.js';
import { taskKind } from '../task-kind.js';
import { soundness } from '../validity/validity.js';
import { capHistory } from '../window/capped.js';
import { type GateRun, keepWithin } from '../window/gate.js';
import { answer } from './answer.js';
import { type Held, hold, takeOver } from './held.js';
import { setStatic } from './open.js';
import { passThrough } from './pass-through.js';
import type { Prepared, PrepareParams } from './prepared.js';
import { takeIn } from './take-in.js';
import { asItStands } from './uncurated.js';

/** @param run what this call has been through; a call that was held comes back with the same one */
export async function prepare(
  session: Session,
  p: PrepareParams,
  draft: Draft,
  run: GateRun,
): Promise<Prepared | Held> {
  const kind = taskKind(p.task_kind);
  if (kind.exempt) return passThrough(session, p, draft, kind.name);
  if (kind.unknown && session.toldKinds.first(`${p.task_kind}`))
    session.deps.notice('unknown task_kind, treated as main', { task_kind: p.task_kind });
  const { state } = session;
  const { mode } = session.settings;
  const voided = await bring(session, p, draft, run);
  const pending = new Set(p.pending ?? []);
  if (state.overflowed) run.overflow ??= 'cut';
  if (mode === 'enforce') run.repaired = repairNew(session, draft, pending, run.repaired);
  const before = draft.committed.length;
  const first = state.seq + 1;
  if (mode === 'enforce') {
    mendSent(session, draft, pending);
    dropVoid(session, draft, voided, pending);
  }
  const told = { kind: kind.name, pending, before, first };
  if (run.fault !== undefined) return asItStands(session, p, draft, told, run.fault);
  run.trace ??= traceOf(session);
  const { trace } = run;
  const options = { pending, ...maxTokens(p), toolChoice: p.tool_choice?.value, trace };
  tellForced(session, draft, p.tool_choice?.value);
  releaseTools(session, draft);
  const sharesEdit = capHistory(session, draft, pending);
  const { waiting } = curate(session, draft, { ...options, sharesEdit });
  if (mode === 'enforce') reattach(session, draft, pending);
  adopt(session, run.compactor, draft, { pending, trace });
  placeDurable(session, draft);
  placeIndex(session, draft);
  if (mode === 'enforce') {
    const held = keepWithin(session, draft, options, run);
    if (held !== undefined) return hold(session, run, held, draft);
    // What the window took out may have held the block or the index.
    placeDurable(session, draft);
    placeIndex(session, draft);
    startDue(session, draft, run, pending);
    loadDeferred(session, draft);
    fitMarks(session, draft);
  }
  session.rendering.sync(state);
  const violations = soundness(session);
  const marks = markRequest(session, draft);
  session.rendering.place(marks);
  return answer(session, p, draft, { ...told, waiting, violations, marks });
}

/** What the call brings goes into the history once, however often the call comes back. @returns as `takeIn` */
async function bring(session: Session, p: PrepareParams, draft: Draft, run: GateRun): Promise<number> {
  if (run.taken !== undefined || takeOver(session, run, draft)) return Number.POSITIVE_INFINITY;
  run.before = session.state.messages.length;
  await setStatic(session, p, draft);
  const voided = await takeIn(session, p, draft);
  if (draft.committed.some((c) => c.event.type === 'session.diverged')) delete run.before;
  return voided;
}

function maxTokens(p: PrepareParams): { maxTokens?: number } {
  return p.max_tokens === undefined ? {} : { maxTokens: p.max_tokens };
}
