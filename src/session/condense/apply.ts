// Puts a finished summary in the place of its range: one decision with all that it takes out and puts in, checked before
// and after. What was appended meanwhile is behind the range and stays as it came.

import type { LedgerEdit } from '../../curation/decisions.js';
import { handleOf } from '../../curation/handle.js';
import { withoutThinking } from '../../curation/sealed-thinking.js';
import { isGenuineUser } from '../../providers/groups.js';
import { PLUGIN_IDS } from '../../settings/index.js';
import type { SummaryBlock } from '../../summary/blocks.js';
import type { UserWords } from '../../summary/compose.js';
import { pinned } from '../../summary/pins.js';
import type { Draft } from '../commit.js';
import { SCHEMA_VERSION } from '../commit.js';
import { surveyOf } from '../curating/survey-of.js';
import { knownPrefix } from '../money/prefix.js';
import { addToUser } from '../request/own-text.js';
import { requestTokens } from '../request/sections.js';
import type { Session } from '../session.js';
import { event, type NewEvent } from '../state/events.js';
import { violationsOf } from '../validity/validity.js';
import { backupPath } from './archive-note.js';
import { CHANGED, type Cycle, unchanged } from './cycle.js';
import { decidedFirst } from './decided.js';
import { wordingOf } from './wording.js';

/** Tokens of a message's wrapping (NS-1). */
const WRAPPING = 4;

export interface Made {
  text: string;
  kinds: string[] | null;
}

/** Thrown where the request would be no valid one afterwards: the call leaves nothing behind. */
export class Unfit extends Error {}

/** @returns undefined when it stands; else why it does not, with nothing changed */
export function applySummary(
  session: Session,
  draft: Draft,
  cycle: Cycle,
  made: Made,
  o: { pending: ReadonlySet<string>; forced: boolean },
): string | undefined {
  const { state, rendering } = session;
  if (!unchanged(cycle, state.messages, state.summary?.seq)) return CHANGED;
  // A call that was named as in flight only after the cycle began waits for its result: it may not leave by it (PV-A9).
  const waiting = new Set(state.calls.calls.flatMap((c) => (o.pending.has(c.id) ? [c.at] : [])));
  if (waiting.size > 0 && cycle.range.fresh.some((at) => waiting.has(at))) return CHANGED;
  rendering.sync(state);
  const { text, pins } = pinned(made.text, decidedFirst(session, cycle));
  const block: SummaryBlock = {
    turns: turnsOf(session, cycle),
    covers: [cycle.range.fresh[0]!, cycle.range.fresh.at(-1)!],
    text,
    kinds: made.kinds ?? [],
    ...(pins.length === 0 ? {} : { pins }),
  };
  const plan = planOf(session, cycle, [...(state.summary?.blocks ?? []), block]);
  // Too long an answer is refused as it came, not cut down to something that happens to fit (L4-13).
  if (plan.tokens >= plan.freed || session.countShort(made.text) >= plan.freed) return 'longer';
  const before = measure(session);
  const first = rendering.indexOf(cycle.range.from);
  const sent = cycle.range.from < state.sent.messages;
  const prefix = knownPrefix(session, session.deps.clock.now());
  const recache = prefix.known ? rendering.tokensBetween(cycle.range.to, prefix.messages) + plan.tokens : 0;
  const faults = violationsOf(session).length;
  const turns = turnsOf(session, cycle);
  const kept = keptRuns(cycle);
  const fields = {
    covers: [cycle.range.from, cycle.range.to] as [number, number],
    handle: plan.handle,
    _edits: [plan.edit],
    _drops: kept,
    _undo: plan.undo,
    _blocks: plan.blocks,
  };
  const after = before.tokens - plan.freed + plan.tokens;
  const count = rendering.pieces.length - plan.gone + (plan.edit.op === 'insert' ? 1 : 0);
  const events: NewEvent[] =
    cycle.kind === 'compaction'
      ? [
          event('memory.compacted', {
            messages: staying(session, cycle),
            message_count: count,
            prev_count: rendering.pieces.length,
            tokens_before: before.tokens,
            tokens_after: after,
            backup_path: backupPath(cycle.archive),
            reason: cycle.reason,
            ...fields,
            ...(cycle.archive === undefined ? {} : { _archive: cycle.archive }),
          }),
          event('Compacted', {
            _schema_version: SCHEMA_VERSION,
            tokens_before: before.tokens,
            tokens_after: after,
          }),
        ]
      : [
          event('memory.summary_replaced', {
            from_turns: turns,
            original_tokens: plan.freed,
            summary_tokens: plan.tokens,
            preserved_kinds: made.kinds,
            ...fields,
          }),
        ];
  draft.pushAll(events);
  const plugin = cycle.kind === 'compaction' ? PLUGIN_IDS.compaction : PLUGIN_IDS.summaryBuffer;
  draft.push(
    event('memory.curated', {
      layer: cycle.kind === 'compaction' ? 'compaction' : 'summary_buffer',
      sections_touched: [
        {
          section_id: `${plugin}/range-${turns[0]}-${turns[1]}`,
          kind: 'session',
          tokens_delta: plan.tokens - plan.freed,
        },
      ],
      cache_invalidates: sent,
      at_turn: state.turn,
      first_message: first,
      recache_tokens: recache,
      reason: cycle.reason,
      ...(o.forced ? { forced: true } : {}),
      ...thinkingBehind(session, cycle.range.from, o.pending),
    }),
  );
  rendering.sync(state);
  if (violationsOf(session).length > faults) {
    throw new Unfit(`no place for the summary: ${violationsOf(session)[0]?.message ?? ''}`);
  }
  return undefined;
}

function measure(session: Session): { tokens: number } {
  const { state, rendering, settings } = session;
  return { tokens: requestTokens(state, rendering, settings.curated.fixedOverheadTokens) };
}

/** What of a cycle says where its summary goes. */
export type PlannedCycle = Pick<Cycle, 'kind' | 'range'>;

export interface Plan {
  handle: string;
  blocks: SummaryBlock[];
  edit: LedgerEdit;
  tokens: number;
  /** Tokens and messages of the view that go. */
  freed: number;
  gone: number;
  undo: number[];
}

export function planOf(session: Session, cycle: PlannedCycle, all: readonly SummaryBlock[]): Plan {
  const { state, rendering } = session;
  const { from, to, keep } = cycle.range;
  const handle = handleOf(
    session.key.tenant,
    session.key.session,
    state.messages[from]!.seq,
    to,
    `${cycle.kind}:${state.seq}:${state.messages[to]!.id}`,
  );
  const frame = {
    kind: cycle.kind,
    covers: [from, to] as [number, number],
    turns: [state.messages[from]!.turn, state.messages[to]!.turn] as [number, number],
    handle,
    current: genuineBelow(session, cycle) ? ('below' as const) : ('here' as const),
  };
  const undo = undone(session, cycle);
  let freed = 0;
  let gone = 0;
  const end = rendering.indexOf(to + 1);
  for (let i = rendering.indexOf(from); i < end; i += 1) {
    const piece = rendering.pieces[i]!;
    if (piece.at < 0 || keep.has(piece.at)) continue;
    freed += piece.tokens;
    gone += 1;
  }
  for (const seq of undo) {
    for (const e of state.ledger.get(seq)?.edits ?? []) {
      if (e.op === 'insert') gone += 1;
      const inside = e.op !== 'insert' && 'at' in e && e.at >= from && e.at <= to && !keep.has(e.at);
      if (e.op !== 'drop' && !inside) freed += e.delta ?? 0;
    }
  }
  const frees = freed - WRAPPING;
  const { text, tokens, blocks } = wordingOf(session, frame, all, wordsIn(session, cycle), frees);
  const edit = placed(session, cycle, text, tokens);
  return { handle, blocks, edit, tokens: edit.delta ?? 0, freed, gone, undo };
}

/** The older summary, and what else of ours stands in the range or right behind it. */
export function undone(session: Session, cycle: PlannedCycle): number[] {
  const { state } = session;
  const { from, to, keep } = cycle.range;
  const seqs = new Set<number>();
  if (state.summary !== undefined) seqs.add(state.summary.seq);
  // What a repair put in for a call in the range may stand behind messages that it took out: in the request it is next.
  let behind = to + 1;
  while (behind < state.messages.length && state.ledger.isDropped(behind)) behind += 1;
  const inside = (e: LedgerEdit) =>
    e.op === 'insert' ? e.before > from && e.before <= behind : e.at >= from && e.at <= to && !keep.has(e.at);
  for (const d of state.ledger.decisions()) {
    if (d.observed || d.seq === state.summary?.seq) continue;
    const ours =
      d.type === 'durable.placed' || d.type === 'tools.indexed' || d.edits.some((e) => e.op === 'insert');
    if (ours && d.edits.length > 0 && d.edits.every(inside)) seqs.add(d.seq);
  }
  return [...seqs];
}

/** A message of ours before the rest; where the roles forbid one, before the text of the first user message of the rest. */
function placed(session: Session, cycle: PlannedCycle, text: string, tokens: number): LedgerEdit {
  const { state } = session;
  const { from } = cycle.range;
  const merge = mergeTarget(session, cycle);
  if (merge !== undefined) {
    const edit = addToUser(state.format, state.messages[merge]!.native, text, 'before');
    if (edit !== undefined) return { ...edit, at: merge, delta: tokens, own: true };
  }
  return {
    op: 'insert',
    before: from,
    id: `${cycle.kind}-${state.seq + 1}`,
    json: state.spec.textMessage('user', text),
    delta: tokens + WRAPPING,
  };
}

/** With strict roles: the user message that a summary in the user's role would stand next to. */
function mergeTarget(session: Session, cycle: PlannedCycle): number | undefined {
  const { state, profile } = session;
  const mode = profile.alternation ?? 'none';
  if (mode === 'none') return undefined;
  const { from, to, keep } = cycle.range;
  for (let at = from; at < state.messages.length; at += 1) {
    if ((at <= to && !keep.has(at)) || state.ledger.isDropped(at)) continue;
    const { reading } = state.messages[at]!;
    if (reading.role === 'system' || reading.role === 'tool') continue;
    if (mode === 'template' && reading.parts.some((p) => p.kind === 'tool_call')) continue;
    return reading.role === 'user' ? at : undefined;
  }
  return undefined;
}

/** What the user said in the range, in order; of an older summary's range as well, since it is stored. */
function wordsIn(session: Session, cycle: PlannedCycle): UserWords[] {
  const { state } = session;
  const words: UserWords[] = [];
  for (let at = cycle.range.from; at <= cycle.range.to; at += 1) {
    const { reading, turn, hint } = state.messages[at]!;
    if (hint?.preload === true) continue;
    if (cycle.range.keep.has(at) || !isGenuineUser(reading) || reading.ownText.trim() === '') continue;
    words.push({ turn, text: reading.ownText });
  }
  return words;
}

/** Ids of the stored messages that the view shows beside the summary, in order. */
function staying(session: Session, { range }: PlannedCycle): string[] {
  const { state, rendering } = session;
  return rendering.pieces
    .filter(({ at }) => at >= 0 && (at < range.from || at > range.to || range.keep.has(at)))
    .map(({ at }) => state.messages[at]!.id);
}

function genuineBelow(session: Session, cycle: PlannedCycle): boolean {
  const { messages } = session.state;
  for (let at = messages.length - 1; at > cycle.range.to; at -= 1)
    if (isGenuineUser(messages[at]!.reading)) return true;
  return false;
}

function turnsOf(session: Session, cycle: PlannedCycle): [number, number] {
  const { messages } = session.state;
  return [messages[cycle.range.fresh[0]!]!.turn, messages[cycle.range.fresh.at(-1)!]!.turn];
}

/** Runs of the range without what is kept. */
export function keptRuns(cycle: PlannedCycle): [number, number][] {
  const { from, to, keep } = cycle.range;
  const runs: [number, number][] = [];
  let start = -1;
  for (let at = from; at <= to + 1; at += 1) {
    const out = at <= to && !keep.has(at);
    if (out && start < 0) start = at;
    if (!out && start >= 0) {
      runs.push([start, at - 1]);
      start = -1;
    }
  }
  return runs;
}

/** Bound thinking behind an edit of message `first` goes with it (PV-A31), what is gone already aside. */
export function thinkingBehind(
  session: Session,
  first: number,
  pending: ReadonlySet<string>,
): { _edits?: LedgerEdit[] } {
  if (session.profile.modelClass !== 'AB') return {};
  const at = session.deps.clock.now();
  const survey = surveyOf(session, { pending, prefix: knownPrefix(session, at), at });
  const edits = withoutThinking(survey, first);
  return edits.length === 0 ? {} : { _edits: edits };
}
