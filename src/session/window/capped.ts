// The cap of the base history (H-1): over it the view keeps the newest messages, and no result whose call is gone. The
// journal keeps all, and a handle gives back what was left out.

import { handleOf } from '../../curation/handle.js';
import { safeSplit, spansOf } from '../../curation/split.js';
import { PLUGIN_IDS } from '../../settings/index.js';
import type { Draft } from '../commit.js';
import { keptRuns, thinkingBehind, undone } from '../condense/apply.js';
import { isStranded, stands } from '../condense/range.js';
import { mayLeave, openFrom, thinksOn } from '../curating/open-round.js';
import { boundaryNow } from '../curating/survey-of.js';
import { knownPrefix } from '../money/prefix.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { positionOf } from '../state/ledger.js';
import { violationsOf } from '../validity/validity.js';

/** Tokens of a message's wrapping (NS-1). */
const WRAPPING = 4;

/**
 * Cuts the view down to its cap: freely what no request has carried, else at an edit boundary. The cap is the operator's
 * word, so it is not asked whether it pays.
 * @returns true when bytes that were sent have changed
 */
export function capHistory(session: Session, draft: Draft, pending: ReadonlySet<string>): boolean {
  const { state, settings, rendering } = session;
  if (settings.mode !== 'enforce' || !settings.active.has(PLUGIN_IDS.capped)) return false;
  const { maxMessages } = settings.plugins.capped;
  if (state.messages.length <= maxMessages) return false;
  rendering.sync(state);
  if (rendering.pieces.length <= maxMessages) return false;
  const shown = shownMessages(session);
  if (shown.length <= maxMessages) return false;
  const sent = shown[0]! < state.sent.messages;
  const bound = session.profile.modelClass === 'AB';
  if (sent && (!boundaryNow(session) || (bound && thinksOn(state)))) return false;
  const range = rangeOf(session, shown[shown.length - maxMessages]!, pending);
  if (range === undefined || !mayLeave(state, bound, range)) return false;
  return cut(session, draft, range, pending);
}

interface CapRange {
  from: number;
  to: number;
  keep: ReadonlySet<number>;
  fresh: number[];
}

/** Stored messages that the request shows, those that are the system's aside. O(history): asked when over the cap. */
function shownMessages({ state }: Session): number[] {
  const shown: number[] = [];
  state.messages.forEach((m, at) => {
    if (m.reading.role !== 'system' && !state.ledger.isDropped(at)) shown.push(at);
  });
  return shown;
}

/** What goes, when message `wanted` should become the first: never part of a call and its result, nor what is open. */
function rangeOf(session: Session, wanted: number, pending: ReadonlySet<string>): CapRange | undefined {
  const { state } = session;
  const spans = spansOf(
    state.messages.map((m) => m.reading),
    state.format,
  );
  const end = Math.min(openFrom(state), ...pendingCalls(session, pending));
  const isOperators = (at: number) => state.messages[at]!.reading.role === 'system' && stands(session, at);
  let to = wanted;
  let last = wanted - 1;
  while (last >= 0 && !isOperators(last)) last -= 1;
  const fits = (at: number) => safeSplit(spans, at) === at && !isStranded(session, last, at);
  // Results at the front whose call is gone leave with it, rather than the call coming back.
  for (; to < end && !fits(to); to += 1) if (isOperators(to)) last = to;
  if (to > end || !fits(to)) to = safeSplit(spans, Math.min(wanted, end));
  const keep = new Set<number>();
  const fresh: number[] = [];
  for (let at = 0; at < to; at += 1) {
    if (state.messages[at]!.reading.role === 'system' || holdsSummary(session, at)) keep.add(at);
    else if (!state.ledger.isDropped(at)) fresh.push(at);
  }
  return fresh.length === 0 ? undefined : { from: fresh[0]!, to: to - 1, keep, fresh };
}

function pendingCalls({ state }: Session, pending: ReadonlySet<string>): number[] {
  return pending.size === 0 ? [] : state.calls.calls.filter((c) => pending.has(c.id)).map((c) => c.at);
}

/** With strict roles a summary stands inside a message of the host. */
function holdsSummary({ state }: Session, at: number): boolean {
  const edits = state.ledger.get(state.summary?.seq ?? -1)?.edits;
  return edits?.some((e) => e.op !== 'drop' && 'at' in e && e.at === at) ?? false;
}

function cut(session: Session, draft: Draft, range: CapRange, pending: ReadonlySet<string>): boolean {
  const { state, rendering, settings } = session;
  const before = rendering.tokens;
  const faults = violationsOf(session).length;
  const sent = range.from < state.sent.messages;
  const prefix = knownPrefix(session, session.deps.clock.now());
  const recache = sent && prefix.known ? rendering.tokensBetween(range.to, prefix.messages) : 0;
  const old = state.capped;
  const covers: [number, number] = [Math.min(range.from, old?.covers[0] ?? range.from), range.to];
  const handle = handleOf(
    session.key.tenant,
    session.key.session,
    state.messages[covers[0]]!.seq,
    range.to,
    `capped:${state.messages[range.to]!.id}`,
  );
  const notice = noticeOf(session, range, handle);
  // A word of ours that stands there already is another one now.
  const isTold = notice !== undefined || state.ledger.insertsBefore(covers[0]).length > 0;
  const first = rendering.indexOf(isTold ? covers[0] : range.from);
  const cycle = { kind: 'compaction' as const, range };
  const ours = undone(session, cycle).filter((seq) => seq !== state.summary?.seq && seq !== old?.seq);
  // Repairs come back with what took them out; what else of ours stood there is put in place anew.
  const loose = ours.map((seq) => state.ledger.get(seq)).filter((d) => d?.type !== 'session.repaired');
  const taken = Math.min(...loose.flatMap((d) => d?.edits ?? []).map(positionOf));
  const cutBefore = old === undefined ? undefined : state.ledger.get(old.seq);
  const turns: [number, number] = [state.messages[covers[0]]!.turn, state.messages[range.to]!.turn];
  const done = draft.push(
    event('memory.capped', {
      max_messages: settings.plugins.capped.maxMessages,
      message_count: range.fresh.length,
      covers,
      handle,
      ...(notice === undefined
        ? {}
        : {
            _edits: [
              {
                op: 'insert',
                before: covers[0],
                id: `capped-${state.seq + 1}`,
                json: state.spec.textMessage('user', notice),
                delta: session.countShort(notice) + WRAPPING,
              },
            ],
          }),
      _drops: keptRuns({ ...cycle, range: { ...range, from: covers[0] } }),
      _undo: [...ours, ...(old === undefined ? [] : [old.seq])],
    }),
  );
  rendering.sync(state);
  const broken = violationsOf(session);
  if (broken.length > faults) {
    // Better over the cap than refused.
    draft.push(
      event('memory.diagnostic', { what: 'cap_unfit', detail: broken[0]?.message, _undo: [done.event.seq] }),
    );
    // The cut before, whose place it had taken, stands again.
    const handleBefore = [...state.archives].find(([, known]) => known === old?.covers)?.[0];
    if (old !== undefined && cutBefore !== undefined && handleBefore !== undefined)
      draft.push(
        event('memory.capped', {
          max_messages: settings.plugins.capped.maxMessages,
          message_count: cutBefore.edits.filter((e) => e.op === 'drop').length,
          covers: old.covers,
          handle: handleBefore,
          _edits: [...cutBefore.edits],
        }),
      );
    rendering.sync(state);
    // What of ours stands behind the first change is put in place anew, so all from there on may have changed.
    const changed = Math.min(taken, covers[0]);
    if (changed >= state.sent.messages) return false;
    const cost = prefix.known ? rendering.tokensBetween(changed, prefix.messages) : 0;
    draft.push(
      event('memory.curated', {
        layer: 'capped',
        sections_touched: [
          {
            section_id: `${PLUGIN_IDS.capped}/unfit`,
            kind: 'volatile',
            tokens_delta: rendering.tokens - before,
          },
        ],
        cache_invalidates: true,
        at_turn: state.turn,
        first_message: rendering.indexOf(changed),
        recache_tokens: cost,
        reason: 'cap',
        ...thinkingBehind(session, changed, pending),
      }),
    );
    return true;
  }
  draft.push(
    event('memory.curated', {
      layer: 'capped',
      sections_touched: [
        {
          section_id: `${PLUGIN_IDS.capped}/range-${turns[0]}-${turns[1]}`,
          kind: 'volatile',
          tokens_delta: rendering.tokens - before,
        },
      ],
      cache_invalidates: sent,
      at_turn: state.turn,
      first_message: first,
      recache_tokens: recache,
      reason: 'cap',
      ...thinkingBehind(session, cycle.range.from, pending),
    }),
  );
  return sent;
}

/**
 * A word of ours in the place of what was left out, where the provider wants the user to speak first (PV-A10), or at all (PV-S4).
 */
function noticeOf(session: Session, range: CapRange, handle: string): string | undefined {
  const { state, profile } = session;
  const strict = state.format === 'anthropic' || (profile.alternation ?? 'none') !== 'none';
  if (state.summary !== undefined) return undefined;
  const rest = state.messages.filter(
    (m, at) => at > range.to && m.reading.role !== 'system' && !state.ledger.isDropped(at),
  );
  const [next] = rest;
  const isSilent = profile.needsUser === true && !rest.some((m) => m.reading.role === 'user');
  if (!isSilent && (!strict || next === undefined || next.reading.role === 'user')) return undefined;
  return `Messages before this point were left out to keep the newest ${session.settings.plugins.capped.maxMessages}. Handle ${handle} gives them back.`;
}
