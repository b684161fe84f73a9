// Where the durable block stands in the request (NS-22): appended to the newest user turn when it changed or a
// compaction removed it, else where it is. Independent of every layer; the request of preset off and observe has none.

import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { isFree, placeOf, put } from './place.js';

const SECTION = 'curated.durable/block';
/** Puts the current block where it belongs, if it is not there. Call when the messages of the request are all in. */
export function placeDurable(session: Session, draft: Draft): void {
  const { state, settings } = session;
  if (settings.mode !== 'enforce') return;
  dropStale(session, draft);
  const { text, tokens } = session.durableBlock();
  const copy = state.durablePlaced;
  const stands = copy !== undefined && state.ledger.get(copy.seq) !== undefined;
  if (text === '' ? !stands : stands && copy.block === text) return;
  // A copy that no request has carried, or that stands where bytes have changed anyway, goes without a price.
  const undo = stands && isFree(session, copy) ? { _undo: [copy.seq] } : {};
  if (text === '') {
    draft.push(event('durable.placed', { block: '', message: -1, ...undo }));
    return;
  }
  const place = placeOf(session, text, tokens);
  if (place === undefined) return;
  const placed = event('durable.placed', {
    block: text,
    message: place.message,
    _edits: [place.edit],
    ...undo,
  });
  put(session, draft, place, placed, { layer: 'durable_state', section: SECTION, tokens });
}

/** Superseded copies behind bytes that have changed since the last request: they are written anew in any case. */
function dropStale(session: Session, draft: Draft): void {
  const { state } = session;
  const free = state.durableStale.filter((c) => isFree(session, c));
  if (free.length === 0) return;
  draft.push(event('durable.removed', { copies: free.length, _undo: free.map((c) => c.seq) }));
}
