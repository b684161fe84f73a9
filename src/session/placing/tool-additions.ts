// Messages that load deferred tools (PV-A46): one behind the newest user turn for what is shown and not loaded. What a
// summary or a divergence took away is stated again; what a second user message follows moves behind it (PV-A12).

import type { LedgerEdit } from '../../curation/decisions.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';

/** Tokens of a message's wrapping (NS-1). */
const WRAPPING = 4;

/** Call last: nothing of ours may stand behind the message but the assistant's answer. Costs what is deferred. */
export function loadDeferred(session: Session, draft: Draft): void {
  const { state } = session;
  const { deferred, hidden } = state.toolList;
  if (deferred.size === 0 || session.settings.mode !== 'enforce') return;
  const { rendering } = session;
  rendering.sync(state);
  const moved = new Set<number>();
  const wanted: string[] = [];
  // What the host lists no more cannot be loaded.
  const declared = new Set(state.toolList.declared());
  for (const key of deferred) {
    if (hidden.has(key) || !declared.has(key)) continue;
    const seq = state.toolsAdded.get(key);
    const insert = seq === undefined ? undefined : insertOf(session, seq);
    if (insert === undefined) wanted.push(key);
    else if (isFollowed(session, insert)) {
      wanted.push(key);
      moved.add(seq!);
    }
  }
  if (wanted.length === 0) return;
  const last = rendering.pieces.at(-1);
  // Behind an answer, paused or whole, no system message may stand: the next request has the place.
  if (last === undefined || (last.reading.role !== 'user' && !isOurs(session))) return;
  const end = state.messages.length;
  const json = JSON.stringify({
    role: 'system',
    content: wanted.map((name) => ({ type: 'tool_addition', name })),
  });
  const tokens = session.countShort(json) + WRAPPING;
  const first = [...moved].map((seq) => insertOf(session, seq)!.before);
  const at = first.length === 0 ? undefined : rendering.indexOf(Math.min(...first));
  const sent = [...moved].some((seq) => seq < state.sent.seq);
  draft.push(
    event('tools.added', {
      tools: wanted,
      message: end,
      _edits: [{ op: 'insert', before: end, id: `tools-${state.seq + 1}`, json, delta: tokens }],
      ...(moved.size === 0 ? {} : { _undo: [...moved] }),
    }),
  );
  if (!sent) return;
  draft.push(
    event('memory.curated', {
      layer: 'tool_def_pruner',
      sections_touched: [{ section_id: 'curated.tools/added', kind: 'session', tokens_delta: 0 }],
      cache_invalidates: true,
      at_turn: state.turn,
      first_message: at ?? 0,
      recache_tokens: 0,
      reason: 'a user message came behind it',
    }),
  );
}

type Insert = Extract<LedgerEdit, { op: 'insert' }>;

function insertOf(session: Session, seq: number): Insert | undefined {
  const edit = session.state.ledger.get(seq)?.edits[0];
  return edit?.op === 'insert' ? edit : undefined;
}

/** Does anything but the assistant's answer stand behind it? */
function isFollowed(session: Session, insert: Insert): boolean {
  const { rendering } = session;
  let index = rendering.indexOf(insert.before);
  while (index < rendering.pieces.length && rendering.pieces[index]!.text !== insert.json) index += 1;
  let next = index + 1;
  while (rendering.pieces[next]?.reading.role === 'system') next += 1;
  const behind = rendering.pieces[next];
  return behind !== undefined && behind.reading.role !== 'assistant';
}

/** The request ends in system messages behind a user turn: a run of them is one section (PV-A12). */
function isOurs(session: Session): boolean {
  const { pieces } = session.rendering;
  let i = pieces.length - 1;
  while (i >= 0 && pieces[i]!.reading.role === 'system') i -= 1;
  return i < pieces.length - 1 && pieces[i]?.reading.role === 'user';
}
