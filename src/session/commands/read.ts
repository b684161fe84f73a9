// Reading calls: where a session stands, what it holds, what its journal says.

import type { SessionKey, Store } from '../../journal/index.js';
import { RawJson } from '../../json/index.js';
import { events } from '../load.js';
import { toldTokens } from '../request/sections.js';
import type { Session } from '../session.js';
import { type ProjectedEvent, project } from '../state/project.js';

export function stateOf(session: Session) {
  const { state, rendering } = session;
  rendering.sync(state);
  const shift = state.topic.shifts.findLast((s) => !s.retracted);
  return {
    session: session.key.session,
    turn: state.turn,
    seq: state.seq,
    messages: state.messages.length,
    tokens: toldTokens(state, rendering),
    topic: {
      from_turn: state.topic.start,
      shifts: state.topic.shifts.filter((s) => !s.retracted).length,
      ...(shift === undefined ? {} : { signal: shift.signal, similarity: shift.similarity }),
      from_message: state.topic.message,
      vectors: state.topic.taken,
      closed: state.topic.shifts
        .filter((s) => !s.retracted)
        .map((s) => ({
          from_turn: s.from,
          to_turn: s.to,
          signal: s.signal,
          ...(s.returnedTo === undefined ? {} : { returned_to: s.returnedTo }),
        })),
    },
    pending: state.calls.pending(),
    cleared: state.calls.results
      .filter((r) => r.cuts !== undefined && r.cuts.length > 0)
      .map((r) => ({
        tool_call_id: r.id,
        tool: r.tool,
        handle: r.handle,
        message: r.at,
        original_size: r.bytes,
        shaped: r.cleared === undefined,
        rereads: r.rereads ?? 0,
      })),
    rereads: state.calls.results.reduce((sum, r) => sum + (r.rereads ?? 0), 0),
    pruned_tools: [...state.toolList.pruned.keys()],
    ...(state.undo.size === 0 ? {} : { undo: [...state.undo.keys()] }),
    durable: { ...durableShown(session) },
    round: state.round,
  };
}

export function durableShown(session: Session) {
  const { durable } = session.state;
  const { text: block, tokens } = session.durableBlock();
  return {
    plan: durable.plan ?? null,
    todos: durable.todos,
    manifest: durable.manifest,
    decisions: durable.decisions,
    block,
    is_empty: block === '',
    tokens,
  };
}

export function messagesOf(
  session: Session,
  p: { from?: number | undefined; limit?: number | undefined; view?: 'stored' | 'curated' | undefined },
) {
  const { state, rendering } = session;
  const from = p.from ?? 0;
  const end = p.limit === undefined ? undefined : from + p.limit;
  if (p.view === 'curated') {
    rendering.sync(state);
    return {
      messages: rendering.pieces.slice(from, end).map((piece) => ({
        id: state.messages[piece.at]?.id ?? 'curated',
        seq: state.messages[piece.at]?.seq ?? 0,
        message: new RawJson(piece.text),
      })),
    };
  }
  return {
    messages: state.messages
      .slice(from, end)
      .map((m) => ({ id: m.id, seq: m.seq, message: new RawJson(m.native.text) })),
  };
}

/** Events that one call of journal.read returns at most. */
const READ_LIMIT = 1000;

export async function readJournal(
  store: Store,
  key: SessionKey,
  p: { from_seq?: number | undefined; limit?: number | undefined },
): Promise<{ events: ProjectedEvent[]; next_seq: number }> {
  const from = p.from_seq ?? 1;
  const limit = Math.min(p.limit ?? READ_LIMIT, READ_LIMIT);
  const out: ProjectedEvent[] = [];
  for await (const { event } of events(store, key, from, from + limit - 1)) out.push(project(event));
  return { events: out, next_seq: from + out.length };
}
