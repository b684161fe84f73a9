// llm.prepare: the hook before each model call. Takes in what is new, repairs, curates, keeps within the window, checks,
// and answers with the request.

import { sliceIn } from '../../json/index.js';
import { Native } from '../../json/native.js';
import type { Draft } from '../commit.js';
import type { Cycle } from '../condense/cycle.js';
import { reattach } from '../condense/reattach.js';
import { startDue } from '../condense/start.js';
import { curate } from '../curating/curate.js';
import { adopt, traceOf } from '../curating/spans.js';
import { SEALED } from '../emission.js';
import { reconcile, same } from '../intake/reconcile.js';
import { placeMarks } from '../marks/breakpoints.js';
import { fitMarks, movedMarks } from '../marks/host-marks.js';
import type { PlacedMark } from '../marks/placed-mark.js';
import { mendSent } from '../mending/mend-sent.js';
import { repairNew } from '../mending/repair.js';
import { boundTo, dropVoid, voidedBy } from '../mending/void-thinking.js';
import { changedPart } from '../money/miss.js';
import { knownPrefix } from '../money/prefix.js';
import { spendingWith } from '../money/spending.js';
import { nativeFields, tellForced } from '../native/native.js';
import { placeDurable } from '../placing/durable-placement.js';
import { placeIndex } from '../placing/index-placement.js';
import { releaseTools } from '../placing/release-tools.js';
import { loadDeferred } from '../placing/tool-additions.js';
import { breakpoints } from '../request/view.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { type ProjectedEvent, project } from '../state/project.js';
import { taskKind } from '../task-kind.js';
import { refuse, violationsOf } from '../validity/validity.js';
import { capHistory } from '../window/capped.js';
import { requestFeatures } from '../window/estimate.js';
import { type GateRun, keepWithin } from '../window/gate.js';
import { take } from './append.js';
import { setStatic } from './open.js';
import { passThrough } from './pass-through.js';
import { type Prepared, type PrepareParams, tokensOf } from './prepared.js';

/** The call is held: a summary has to be written first, outside the mailbox. */
export interface Held {
  held: Cycle;
}

export function isHeld(result: unknown): result is Held {
  return (result as Partial<Held>).held !== undefined;
}

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
  let voided = Number.POSITIVE_INFINITY;
  if (run.taken === undefined && !takeOver(session, run, draft)) {
    run.before = state.messages.length;
    await setStatic(session, p, draft);
    voided = await takeIn(session, p, draft);
    if (draft.committed.some((c) => c.event.type === 'session.diverged')) delete run.before;
  }
  const pending = new Set(p.pending ?? []);
  const { mode } = session.settings;
  if (state.overflowed) run.overflow ??= 'cut';
  if (mode === 'enforce') run.repaired = repairNew(session, draft, pending, run.repaired);
  const before = draft.committed.length;
  const first = state.seq + 1;
  if (mode === 'enforce') {
    mendSent(session, draft, pending);
    dropVoid(session, draft, voided, pending);
  }
  run.trace ??= traceOf(session);
  const { trace } = run;
  const options = { pending, ...maxTokens(p), toolChoice: p.tool_choice?.value, trace };
  tellForced(session, draft, p.tool_choice?.value);
  releaseTools(session, draft);
  const sharesEdit = capHistory(session, draft, pending);
  const outcome = curate(session, draft, { ...options, sharesEdit });
  if (mode === 'enforce') reattach(session, draft, pending);
  adopt(session, run.compactor, draft, { pending, trace });
  placeDurable(session, draft);
  placeIndex(session, draft);
  if (mode === 'enforce') {
    const held = keepWithin(session, draft, options, run);
    if (held !== undefined) return hold(session, run, held, draft);
    placeDurable(session, draft);
    placeIndex(session, draft);
    startDue(session, draft, run, pending);
    loadDeferred(session, draft);
  }
  if (mode === 'enforce') fitMarks(session, draft);
  session.rendering.sync(state);
  const violations = [...session.staticFaults.of(state), ...violationsOf(session)];
  if (mode === 'enforce' && violations.length > 0) refuse(violations);
  const ours =
    session.settings.curated.breakpoints === 'auto' ? session.profile.maxMarks : movedMarks(session);
  const marks = mode === 'enforce' && ours > 0 ? markRequest(session, draft, ours) : [];
  session.rendering.place(marks);
  const curated = [
    ...state.envelopes.filter((v) => v.seq < first && !session.told.has(v.seq)),
    ...draft.committed
      .slice(before)
      .filter((c) => c.event.type === 'memory.curated')
      .map((c) => project(c.event)),
  ];
  const tokens = tokensOf(session, p);
  const now = session.deps.clock.now();
  const prefix = knownPrefix(session, now);
  const native = nativeFields(session, tokens.curated);
  const { emission = SEALED } = session.deps;
  const hash = emission.hash(session);
  const firstChanged = firstChangedOf(session);
  const changed = changedPart(session);
  const bound = boundTo(session);
  draft.push(
    event('llm.request', {
      hash,
      request: state.sent.requests + 1,
      task_kind: kind.name,
      messages: state.messages.length,
      tokens: tokens.curated,
      features: requestFeatures(session).map((v) => Math.round(v * 100) / 100),
      ...(pending.size === 0 ? {} : { pending: [...pending] }),
      ...(mode === 'off' ? {} : { _spent: spendingWith(session, prefix, now) }),
      ...(changed === undefined ? {} : { changed }),
      ...native.event,
      ...(bound === undefined || bound === state.boundTo ? {} : { bound }),
      ...(marks.length === 0 ? {} : { _marks: marks }),
    }),
  );
  const form = emission.body(session, p);
  const { statics } = session.rendering;
  session.rendering.answered(hash, statics.system(state), statics.tools(state));
  return {
    turn: state.turn,
    seq: state.seq,
    ...form,
    hash,
    tokens,
    cache: {
      prefix_stable: firstChanged === undefined,
      ...(firstChanged === undefined ? {} : { first_changed: firstChanged }),
      recache_tokens: prefix.known && firstChanged !== undefined ? recache(curated) : 0,
      breakpoints: breakpoints(state, session.rendering),
    },
    curated,
    pending: outcome.waiting,
    ...(violations.length > 0 ? { violations: violations.map((v) => ({ ...v })) } : {}),
    ...native.fields,
    fits: true,
  };
}

/** Our cache marks in the request; contents that have to be blocks for it are told, and stay so. */
function markRequest(session: Session, draft: Draft, most: number): PlacedMark[] {
  const { state, rendering, profile } = session;
  const { minTokens } = session.tariff(session.deps.clock.now()).rules;
  const { marks, inBlocks } = placeMarks(state, rendering, profile, { most, minTokens });
  if (inBlocks.length === 0) return marks;
  const sections = inBlocks.map((at) => ({
    section_id: `curated.breakpoints/${at < 0 ? 'system' : at}`,
    kind: at < 0 ? ('session' as const) : ('volatile' as const),
    tokens_delta: 0,
  }));
  draft.push(
    event('memory.curated', {
      layer: 'breakpoints',
      sections_touched: sections,
      // Nothing of it was sent in another form, or it lies behind an edit that was announced.
      cache_invalidates: false,
      at_turn: state.turn,
      first_message: Math.min(...inBlocks.map((at) => (at < 0 ? 0 : rendering.ownIndexOf(at)))),
      recache_tokens: 0,
      saves_per_request: 0,
      break_even_requests: 0,
      reason: 'presend',
      _in_blocks: inBlocks,
    }),
  );
  rendering.sync(state);
  return marks;
}

/**
 * What the call has brought stays in the history while it waits; the handler takes it back if the call fails, and the next
 * daemon if this one dies meanwhile.
 */
function hold(session: Session, run: GateRun, held: Cycle, draft: Draft): Held {
  const { length } = session.state.messages;
  if (run.taken === undefined && run.before !== undefined && run.before < length) {
    run.call = session.deps.newId();
    draft.push(heldEvent(run, run.call, run.before, length));
  }
  run.taken ??= { messages: length };
  return { held };
}

/** The same call again, after its first try was left unanswered: its messages are here, it goes on from where it stood. */
function takeOver(session: Session, run: GateRun, draft: Draft): boolean {
  const { keyed } = run;
  if (keyed === undefined) return false;
  const known = session.state.held.find((h) => h.key === keyed.key && h.body === keyed.body);
  if (known === undefined) return false;
  run.before = known.before;
  run.taken = { messages: known.messages };
  if (known.repaired !== undefined) run.repaired = known.repaired;
  run.call = session.deps.newId();
  draft.push(heldEvent(run, run.call, known.before, known.messages));
  return true;
}

function heldEvent(run: GateRun, call: string, before: number, messages: number) {
  return event('session.held', {
    call,
    before,
    messages,
    ...(run.repaired === undefined ? {} : { repaired: run.repaired }),
    ...(run.keyed ?? {}),
  });
}

function maxTokens(p: PrepareParams): { maxTokens?: number } {
  return p.max_tokens === undefined ? {} : { maxTokens: p.max_tokens };
}

/** Index of the first message that differs from the last main request's; undefined when this one only grew. What stands before the messages counts as 0. */
function firstChangedOf(session: Session): number | undefined {
  const { state, rendering } = session;
  if (state.sent.requests === 0) return undefined;
  if (state.staticChanged || state.toolList.changed) return 0;
  return Number.isFinite(state.dirtyFrom) ? rendering.indexOf(state.dirtyFrom) : undefined;
}

function recache(curated: readonly ProjectedEvent[]): number {
  return curated.reduce((sum, c) => Math.max(sum, Number(c['recache_tokens'] ?? 0)), 0);
}

/**
 * Messages of the call: the whole history again, or only what is new, or none.
 * @returns the first of them from which on bound thinking is void; Infinity: none is
 */
async function takeIn(session: Session, p: PrepareParams, draft: Draft): Promise<number> {
  const { state } = session;
  let fresh: readonly Native[] = p.append ?? [];
  let offset = 0;
  let voided = Number.POSITIVE_INFINITY;
  if (p.messages !== undefined) {
    const { messages, system } = historyOf(session, p.messages);
    if (system !== undefined) await setStatic(session, { system }, draft);
    const found = reconcile(state.messages, messages);
    offset = p.messages.length - found.rest.length;
    if (found.diverged) {
      if (session.profile.modelClass === 'AB') voided = voidedBy(state, found.common, found.rest);
      draft.push(
        event('session.diverged', {
          index: found.common,
          dropped_messages: state.messages.length - found.common,
          dropped_decisions: state.ledger.standingOn(found.common),
        }),
      );
    }
    const remarked = found.remarked.filter((m) => state.ledger.editsOf(m.at).length === 0);
    if (remarked.length > 0) draft.push(event('session.remarked', { messages: remarked }));
    fresh = [...found.rest, ...fresh];
  }
  const resent = fresh.length - (p.append?.length ?? 0);
  const placeOf = (i: number) => (i < resent ? `/messages/${offset + i}` : `/append/${i - resent}`);
  if (fresh.length === 0) return voided;
  const hints = new Map([...(p.hintMap ?? [])].map(([at, hint]) => [at - offset, hint] as const));
  await take(session, { messages: fresh, hints, placeOf }, draft);
  return voided;
}

/**
 * With openai-chat the system given at open comes back as the first message of a resent history: it is no news. Where the rest is
 * the history that we hold, which has no system message at its head, another text there is the agent's new system prompt, not a
 * second one beside the old.
 */
function historyOf(
  session: Session,
  messages: readonly Native[],
): { messages: readonly Native[]; system?: Native } {
  const { state } = session;
  const [first, ...rest] = messages;
  if (state.format !== 'openai-chat' || state.system === undefined || first === undefined)
    return { messages };
  const { role, content, ...others } = first.value as { role?: unknown; content?: unknown };
  if (role !== 'system') return { messages };
  if (same({ content }, { content: state.system.native.value })) return { messages: rest };
  const [stored] = state.messages;
  const isEdited =
    stored !== undefined &&
    stored.reading.role !== 'system' &&
    same(stored.native.value, rest[0]?.value) &&
    Object.keys(others).length === 0 &&
    (typeof content === 'string' || Array.isArray(content));
  return isEdited
    ? { messages: rest, system: new Native(sliceIn(first.kept(), ['content'])!) }
    : { messages };
}
