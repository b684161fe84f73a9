// session.undo: a user wants one decision taken back. The wish is journalled at once and pins what it is about; the bytes come
// back at the next turn boundary, as a decision of its own with its price (curation/layers/undo.ts).

import { claimOf, rangeClaim, toolClaim } from '../../curation/claim.js';
import { planned, type UndoWish } from '../../curation/decisions.js';
import { CuratedError, fail } from '../../errors.js';
import type { Store } from '../../journal/index.js';
import { pointer } from '../../json/index.js';
import type { Draft } from '../commit.js';
import { events } from '../load.js';
import { requestTokens } from '../request/sections.js';
import type { Session } from '../session.js';
import type { NewEvent, SessionEvent } from '../state/events.js';

export interface Undone {
  /** seq of the wish. */
  seq: number;
  /** Decisions that will be taken back. */
  undoes: number[];
  applies: 'next_request' | 'turn_end';
}

/** Throws SEQ_GAP beyond the journal's end, UNSUPPORTED (`detail` says why) for what is no decision that can be taken back. */
export async function undo(session: Session, store: Store, seq: number, draft: Draft): Promise<Undone> {
  const { state } = session;
  if (seq > state.seq)
    fail('SEQ_GAP', `the journal ends at seq ${state.seq}`, { detail: { expected: state.seq } });
  const known = state.undo.get(seq);
  if (known !== undefined) return { seq: state.seq, undoes: [seq, ...known._with], applies: due(session) };
  if (session.settings.mode !== 'enforce')
    refuse(
      seq,
      `the session's preset is ${session.settings.mode}: nothing is decided, so there is nothing to take back`,
    );
  const around: SessionEvent[] = [];
  for await (const { event } of events(store, session.key, Math.max(1, seq - BEFORE), seq + BEHIND))
    around.push(event);
  const target = around.find((e) => e.seq === seq);
  if (target === undefined) gone(seq);
  const wish = wishOf(session, target, around);
  draft.push(planned('memory.undo.requested', { ...wish }) as NewEvent);
  return { seq: state.seq, undoes: [seq, ...wish._with], applies: due(session) };
}

/** Records around a decision that are read: its envelope stands behind it, with the other decisions of the pass. */
const BEFORE = 200;
const BEHIND = 2000;

function due({ state, settings }: Session): Undone['applies'] {
  const now = state.turnBoundary && state.boundary && !state.edited && settings.mode === 'enforce';
  return now ? 'next_request' : 'turn_end';
}

function wishOf(session: Session, e: SessionEvent, around: readonly SessionEvent[]): UndoWish {
  const { state } = session;
  if (e.observed === true) refuse(e.seq, 'it was only observed: the request never had it');
  const envelope = around.find((x) => x.seq > e.seq && x.type === 'memory.curated');
  const layer = envelope?.type === 'memory.curated' ? envelope.payload.layer : '';
  const base = { seq_of: e.seq, type_of: e.type, layer };
  if (state.summary?.seq === e.seq) return { ...base, ...summarised(session, e.seq) };
  switch (e.type) {
    case 'memory.tool_result_cleared':
      return { ...base, ...shortened(session, e) };
    case 'memory.text_shortened': {
      const { message, path, handle } = e.payload;
      if (state.ledger.get(e.seq) === undefined) gone(e.seq);
      const part = state.messages[message]!.reading.parts.findIndex((p) => pointer(p.path) === path);
      return { ...base, message, path, handle, _with: [], _pins: [claimOf(message, part)] };
    }
    case 'memory.tool_def_pruned': {
      const key = e.payload.tool_id;
      if (!state.toolList.pruned.has(key)) gone(e.seq);
      return { ...base, tool_id: key, _with: [], _pins: [toolClaim(key)] };
    }
    case 'memory.curated':
      return envelopeOf(e.seq, decisionsOf(e.seq, around));
    case 'memory.compacted':
    case 'memory.summary_replaced':
      return state.summary === undefined
        ? gone(e.seq)
        : refuse(e.seq, `its range is in a newer summary: undo #${state.summary.seq}`, {
            decisions: [state.summary.seq],
          });
    case 'memory.thinking_cleared':
      return refuse(e.seq, 'thinking that has left a request may not come back (PV-A26)');
    default:
      return refuse(e.seq, `${e.type} is no decision about the request`);
  }
}

type Place = Omit<UndoWish, 'seq_of' | 'type_of' | 'layer'>;

/** The newest summary, with all that older ones stood for: the whole range comes back. */
function summarised(session: Session, seq: number): Place {
  const { state, rendering, settings } = session;
  const { covers } = state.summary!;
  rendering.sync(state);
  const back = state.ledger.weight([seq], (at) => state.messages[at]!.tokens).tokens;
  const needed = requestTokens(state, rendering, settings.curated.fixedOverheadTokens) + back;
  const { most } = session.budget();
  if (needed > most)
    refuse(seq, `the request would have ${needed} tokens, and its budget is ${most}`, {
      needed,
      limit: most,
    });
  const handle = [...state.archives].findLast(([, c]) => c[0] === covers[0] && c[1] === covers[1])?.[0];
  return {
    covers,
    ...(handle === undefined ? {} : { handle }),
    _with: [],
    _pins: [rangeClaim(covers[1])],
  };
}

function shortened(
  session: Session,
  e: Extract<SessionEvent, { type: 'memory.tool_result_cleared' }>,
): Place {
  const { state } = session;
  const { message, path, tool_call_id, tool, handle } = e.payload;
  const place = { message, path, tool_call_id, tool, handle };
  const decision = state.ledger.get(e.seq);
  const result = state.calls.results.find((r) => r.cuts?.some((c) => c.seq === e.seq));
  const call = state.calls.calls.find((c) => c.cut === e.seq);
  if (decision === undefined) {
    // The call of a pair that was dropped is told by an event of its own; the edits are its result's.
    const pair = call?.result === undefined ? undefined : state.calls.results[call.result]?.cleared;
    return pair === undefined
      ? gone(e.seq)
      : refuse(e.seq, `it went with its result: undo #${pair}`, { decisions: [pair] });
  }
  if (result === undefined)
    return { ...place, _with: [], _pins: call === undefined ? [] : [claimOf(call.at, call.part)] };
  const own = result.call === undefined ? undefined : state.calls.calls[result.call];
  const dropped = decision.edits.some((edit) => edit.op === 'drop');
  const later = (result.cuts ?? [])
    .map((c) => c.seq)
    .filter((seq) => seq > e.seq && overlaps(session, e.seq, seq));
  const pair = dropped && own?.cut !== undefined ? [own] : [];
  return {
    ...place,
    _with: [...later, ...pair.map((c) => c.cut!)],
    _pins: [claimOf(result.at, result.part), ...pair.map((c) => claimOf(c.at, c.part))],
  };
}

/** Do two decisions about one result edit the same bytes? What was decided on top of the first falls with it. */
function overlaps({ state }: Session, first: number, second: number): boolean {
  const paths = (seq: number) =>
    (state.ledger.get(seq)?.edits ?? []).map((edit) => ('path' in edit ? `${pointer(edit.path)}/` : '/'));
  return paths(first).some((a) => paths(second).some((b) => a.startsWith(b) || b.startsWith(a)));
}

/** The decisions of the pass that an envelope closes. */
function decisionsOf(envelope: number, around: readonly SessionEvent[]): number[] {
  const found: number[] = [];
  for (const e of around.filter((x) => x.seq < envelope).reverse()) {
    if (e.type === 'Compacted') continue;
    if (!DECISIONS.has(e.type)) break;
    found.unshift(e.seq);
  }
  return found;
}

const DECISIONS: ReadonlySet<string> = new Set([
  'memory.tool_result_cleared',
  'memory.text_shortened',
  'memory.tool_def_pruned',
  'memory.reread',
  'memory.compacted',
  'memory.summary_replaced',
]);

function envelopeOf(seq: number, decisions: number[]): never {
  const which = decisions.length === 0 ? '' : `: ${decisions.map((n) => `#${n}`).join(', ')}`;
  return refuse(seq, `it is the envelope of a layer pass; undo one of its decisions${which}`, { decisions });
}

function gone(seq: number): never {
  return refuse(seq, 'it does not stand any more');
}

function refuse(seq: number, why: string, detail: Record<string, unknown> = {}): never {
  throw new CuratedError('UNSUPPORTED', `#${seq} cannot be undone: ${why}`, {
    path: '/seq',
    detail: { seq, ...detail },
  });
}
