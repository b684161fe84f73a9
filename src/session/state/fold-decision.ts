// What every decision does, whatever its event is called: its edits stand in the ledger, those that it takes back leave it, tools go
// and come, and what was sent is known to have changed from there on.

import type { DecisionFields, LedgerEdit } from '../../curation/decisions.js';
import type { SessionEvent } from './events.js';
import { formed } from './fold-history.js';
import { type Decision, positionOf } from './ledger.js';
import { project } from './project.js';
import type { SessionState } from './state.js';

const NO_REPAIRS: readonly Decision[] = [];

/** @returns repairs that stood within what is taken back */
export function decided(state: SessionState, e: SessionEvent): readonly Decision[] {
  const { _undo: undo } = e.payload as DecisionFields;
  const observed = e.observed === true;
  const edits = editsOf(e.payload as DecisionFields);
  const repairs = undo === undefined ? NO_REPAIRS : takenBack(state, undo, observed);
  if (!(e.type === 'session.repaired' && e.payload.marks)) soil(state, edits, observed);
  if (state.capped !== undefined && undo?.includes(state.capped.seq))
    delete (state as Partial<SessionState>).capped;
  if (edits !== undefined) {
    state.ledger.add({
      seq: e.seq,
      type: e.type,
      edits,
      ...(e.observed ? { observed: true } : {}),
      ...(repairs.length === 0 || e.type === 'memory.summary_undone' ? {} : { repairs }),
    });
  }
  listed(state, e);
  return repairs;
}

function takenBack(state: SessionState, undo: readonly number[], observed: boolean): Decision[] {
  const repairs: Decision[] = [];
  for (const seq of undo) {
    soil(state, state.ledger.get(seq)?.edits, observed);
    repairs.push(...state.ledger.remove(seq));
    state.undo.delete(seq);
  }
  state.calls.uncleared(new Set(undo));
  return repairs;
}

/** Tools that leave the list or join it. */
function listed(state: SessionState, e: SessionEvent): void {
  const { _hide: hide, _show: show, _own: own, _defer: defer } = e.payload as DecisionFields;
  if (hide === undefined && show === undefined && own === undefined && e.type !== 'memory.tool_def_pruned')
    return;
  for (const list of e.observed ? [state.toolListObserved] : [state.toolList, state.toolListObserved]) {
    if (hide !== undefined) list.hide(hide);
    if (show !== undefined) list.show(show);
    if (own !== undefined) list.add(own);
    if (hide !== undefined && defer === true) list.defer(hide);
    if (e.type === 'memory.tool_def_pruned') list.pruned.set(e.payload.tool_id, state.turn);
  }
}

/** The envelope of a layer's decisions. */
export function curated(state: SessionState, e: Extract<SessionEvent, { type: 'memory.curated' }>): void {
  const { _in_blocks: inBlocks, _hide: hide, _blocks: blocks, cache_invalidates: invalidates } = e.payload;
  if (!e.observed) {
    state.envelopes.push(project(e));
    if (inBlocks !== undefined) formed(state, inBlocks);
    // A class that was hidden again has to be discovered again.
    for (const key of hide ?? []) state.toolFacts.discovered.delete(key);
    if (blocks !== undefined && state.summary !== undefined)
      state.summary = { ...state.summary, seq: e.seq, blocks };
  }
  if (!invalidates) return;
  state.edited = true;
  state.lastEdit = { turn: state.turn, calls: state.calls.calls.length };
}

/** Edits of a decision, its dropped runs written out. */
function editsOf(p: DecisionFields): LedgerEdit[] | undefined {
  if (p._drops === undefined) return p._edits;
  const edits: LedgerEdit[] = [...(p._edits ?? [])];
  for (const [from, to] of p._drops) for (let at = from; at <= to; at += 1) edits.push({ op: 'drop', at });
  return edits;
}

/** Notes how far back sent bytes have changed: what is behind is written anew by the provider in any case. */
function soil(state: SessionState, edits: readonly LedgerEdit[] | undefined, observed: boolean): void {
  if (edits === undefined) return;
  for (const edit of edits) {
    const at = positionOf(edit);
    if (at >= state.sent.messages) continue;
    state.dirtyObserved = Math.min(state.dirtyObserved, at);
    if (!observed) state.dirtyFrom = Math.min(state.dirtyFrom, at);
  }
}
