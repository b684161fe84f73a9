// The stored history: messages come, are edited by the host, leave; what was shortened in them is had back by a handle.

import { messageOf } from '../../curation/claim.js';
import { prefixOf } from '../../curation/handle.js';
import { type Path, pointer, sliceIn } from '../../json/index.js';
import { Native } from '../../json/native.js';
import { readHinted } from '../intake/hints.js';
import { remembered } from '../intake/readings.js';
import { topicsDiverged } from '../topics/fold.js';
import type { Payloads, SessionEvent } from './events.js';
import type { SessionState, StoredMessage } from './state.js';

export function message(state: SessionState, p: Payloads['session.message'], e: SessionEvent): void {
  const known = remembered(p);
  const own = known?.native ?? new Native(p.text);
  const reading = known?.reading ?? readHinted(state.spec, own, p.hint?.media);
  const at = state.messages.length;
  if (p.redactions !== undefined) state.redacted.push(at);
  const stored: StoredMessage = {
    id: p.id,
    seq: e.seq,
    native: own,
    reading,
    tokens: p.tokens,
    features: p.features,
    turn: state.turn,
    round: state.round,
  };
  if (p.hint !== undefined) stored.hint = p.hint;
  state.messages.push(stored);
  state.thoughts.add(at, reading);
  state.messageTokens += p.tokens;
  state.turnMessages += 1;
  let body = 0;
  for (const [i, part] of reading.parts.entries()) {
    if (part.kind === 'tool_call') state.calls.addCall(at, i, part, state.turn, state.round);
    else if (part.kind === 'tool_result') {
      state.calls.addResult(at, i, part, p.bodies?.[body++] ?? 0, state.turn, state.round);
    }
  }
}

/** The host has moved its cache marks in messages that are stored. */
export function remarked(state: SessionState, p: Payloads['session.remarked']): void {
  for (const m of p.messages) {
    const stored = state.messages[m.at];
    if (stored === undefined) continue;
    stored.native = new Native(m.text);
    stored.reading = readHinted(state.spec, stored.native, stored.hint?.media);
    state.ledger.touch(m.at);
  }
}

export function diverged(state: SessionState, index: number): void {
  for (const [name, place] of state.handles) {
    if (place.at < index) continue;
    const body = sliceIn(state.messages[place.at]!.native, place.path);
    if (body !== undefined) state.orphans.set(name, body);
    state.handles.delete(name);
  }
  const gone = new Set(state.ledger.dropFrom(index));
  if (state.summary !== undefined && gone.has(state.summary.seq))
    delete (state as Partial<SessionState>).summary;
  if (state.capped !== undefined) {
    const { seq, covers } = state.capped;
    if (gone.has(seq)) delete (state as Partial<SessionState>).capped;
    else state.capped = { seq, covers: [covers[0], Math.min(covers[1], index - 1)] };
  }
  for (const [name, [from, to]] of state.archives) {
    if (to < index) continue;
    state.orphans.set(name, archiveText(state, from, to));
    state.archives.delete(name);
  }
  for (let i = index; i < state.messages.length; i += 1) state.messageTokens -= state.messages[i]!.tokens;
  state.messages.length = index;
  while (state.redacted.length > 0 && state.redacted.at(-1)! >= index) state.redacted.pop();
  state.inBlocks = state.inBlocks.filter((at) => at < index);
  state.held = state.held.filter((h) => h.messages <= index);
  state.ledger.touch(index);
  state.calls.truncate(index);
  state.thoughts.truncate(index);
  state.calls.uncleared(gone);
  state.repaired = Math.min(state.repaired, index);
  state.sent.messages = Math.min(state.sent.messages, index);
  if (state.durablePlaced !== undefined && gone.has(state.durablePlaced.seq)) {
    delete (state as Partial<SessionState>).durablePlaced;
  }
  state.durableStale = state.durableStale.filter((c) => !gone.has(c.seq));
  state.indexStale = state.indexStale.filter((c) => !gone.has(c.seq));
  state.dirtyFrom = Math.min(state.dirtyFrom, index);
  state.dirtyObserved = Math.min(state.dirtyObserved, index);
  // What comes instead is new to the provider, whatever we do.
  if (state.spent !== undefined) {
    const kept = (state.system?.tokens ?? 0) + (state.tools?.tokens ?? 0) + state.messageTokens;
    state.spent = { ...state.spent, raw: Math.min(state.spent.raw, kept) };
  }
  state.inputs = state.inputs.filter((i) => i.message < index);
  for (const seq of gone) state.undo.delete(seq);
  for (const pin of state.pins) if ((messageOf(pin) ?? -1) >= index) state.pins.delete(pin);
  topicsDiverged(state.topic, index);
}

export function formed(state: SessionState, positions: readonly number[]): void {
  state.inBlocks = [...state.inBlocks, ...positions];
  for (const at of positions) if (at >= 0) state.ledger.touch(at);
}

/** The messages of a run as one JSON array: what a summary's handle gives back. */
export function archiveText(state: SessionState, from: number, to: number): string {
  return `[${state.messages
    .slice(from, to + 1)
    .map((m) => m.native.text)
    .join(',')}]`;
}

export function handle(state: SessionState, name: string, at: number, path: Path | undefined): void {
  if (path === undefined) return;
  state.handles.set(name, { at, path });
  state.givenBy.add(prefixOf(name));
}

/** A result or a call's input that something shorter stands for from now on. */
export function shortened(state: SessionState, seq: number, p: Payloads['memory.tool_result_cleared']): void {
  const at = p.message;
  const pointers = pointerIn(state, at);
  handle(state, p.handle, at, p._of);
  if (p.reason === 'input' || p.reason === 'failed_input') {
    const call = state.calls.callAt(at, p.path, pointers);
    if (call !== undefined) call.cut = seq;
    state.calls.clearedTokens -= p.tokens_delta;
    return;
  }
  const result = state.calls.resultAt(at, p.path, pointers);
  if (result === undefined) return;
  state.calls.shorten(result, seq, p.tokens_delta, p._partly !== true);
  if (p._partly !== true) result.handle = p.handle;
}

/** What had been cleared was fetched again. */
export function reread(state: SessionState, { message: at, path }: Payloads['memory.reread']): void {
  const result = state.calls.resultAt(at, path, pointerIn(state, at));
  if (result !== undefined) result.rereads = (result.rereads ?? 0) + 1;
}

function pointerIn(state: SessionState, at: number): (part: number) => string {
  return (part) => pointer(state.messages[at]?.reading.parts[part]?.path ?? []);
}
