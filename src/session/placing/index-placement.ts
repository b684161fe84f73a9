// Where the index of hidden tools stands in the request (D-5): appended to the newest user turn, as the durable block is,
// never in the system prompt. It is written anew only at a turn's end, when other classes are hidden than it says.

import { DISCOVER, toolIndex } from '../../curation/tools/tool-classes.js';
import { PLUGIN_IDS } from '../../settings/index.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { isFree, placeOf, put } from './place.js';

const SECTION = `${PLUGIN_IDS.progressive}/index`;

/** Brings the index up to the list. Call when the layers have decided which tools the request lists. */
export function placeIndex(session: Session, draft: Draft): void {
  const { state, settings } = session;
  if (settings.mode !== 'enforce' || !settings.active.has(PLUGIN_IDS.progressive)) return;
  removeStale(session, draft);
  const { hidden, pruned, catalog } = state.toolList;
  const text = toolIndex(
    catalog.filter((t) => hidden.has(t.key) && !pruned.has(t.key) && t.key !== DISCOVER),
  );
  const copy = state.indexPlaced;
  const stands = copy !== undefined && state.ledger.get(copy.seq) !== undefined;
  if (stands ? copy.block === text : text === '') return;
  if (stands && !state.turnBoundary) return;
  if (copy !== undefined && (text === '' || (stands && isFree(session, copy)))) {
    const undo = stands && isFree(session, copy) ? { _undo: [copy.seq] } : {};
    draft.push(event('tools.indexed', { index: '', message: -1, ...undo }));
  }
  if (text === '') return;
  const tokens = session.countShort(text);
  const place = placeOf(session, text, tokens);
  if (place === undefined) return;
  const placed = event('tools.indexed', {
    index: text,
    message: place.message,
    tokens,
    _edits: [place.edit],
  });
  put(session, draft, place, placed, { layer: 'progressive', section: SECTION, tokens });
}

/** Superseded copies behind bytes that have changed since the last request go for nothing. */
function removeStale(session: Session, draft: Draft): void {
  const { state } = session;
  const free = state.indexStale.filter((c) => isFree(session, c));
  if (free.length === 0) return;
  draft.push(event('tools.index_removed', { copies: free.length, _undo: free.map((c) => c.seq) }));
}
