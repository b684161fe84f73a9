// Requests and turns: what the provider was sent, what it reported, and where a boundary is.

import { withPause } from '../../economics/cold-odds.js';
import type { Payloads, SessionEvent } from './events.js';
import type { SessionState } from './state.js';

/** A main request leaves with all that was decided so far. */
export function requested(state: SessionState, p: Payloads['llm.request'], e: SessionEvent): void {
  if (p.passthrough !== undefined || p.request === 0) return;
  const marks = p._marks?.at(-1);
  state.sent = {
    requests: p.request,
    messages: p.messages,
    tokens: p.tokens,
    ...(p.features === undefined ? {} : { features: p.features }),
    ...(marks === undefined ? {} : { marked: marks.at + 1 }),
    ...(p.changed === undefined ? {} : { changed: p.changed }),
    at: e.ts,
    seq: e.seq,
  };
  if (p.bound !== undefined) state.boundTo = p.bound;
  if (state.held.length > 0) state.held = carried(state.held, p.messages);
  ended(state, p);
  state.overflowed = false;
  state.dirtyFrom = Number.POSITIVE_INFINITY;
  state.dirtyObserved = Number.POSITIVE_INFINITY;
  if (p._spent !== undefined) state.spent = p._spent;
  state.repaired = Math.max(state.repaired, p.messages);
  state.pending = new Set(p.pending ?? []);
  state.envelopes = [];
  state.recovering = p.task_kind === 'gate_retry';
  state.boundary = false;
  state.turnBoundary = false;
  state.staticChanged = false;
  state.toolList.carried();
  state.toolListObserved.carried();
  state.edited = false;
  if (p.native === undefined) {
    delete (state as Partial<SessionState>).nativeSent;
    state.nativeCleared = 0;
  } else state.nativeSent = p.native as NonNullable<SessionState['nativeSent']>;
}

/** The history came with a session that was under way: it counts as sent. */
export function attached(state: SessionState, p: Payloads['session.attached'], e: SessionEvent): void {
  state.sent = { ...state.sent, messages: p.messages, tokens: p.tokens, at: e.ts };
  state.repaired = Math.max(state.repaired, p.messages);
  state.toolList.carried();
  state.toolListObserved.carried();
}

export function turnEnded(state: SessionState, p: Payloads['agent.turn.end'], e: SessionEvent): void {
  state.recovering = false;
  state.overflowed = p.overflow === true;
  state.round += 1;
  if (p.final) {
    state.turn += 1;
    state.turnMessages = 0;
    state.inputs = [];
    state.turnBoundary = true;
  }
  if (p.usage !== undefined) used(state, p.usage, state.sent.messages, e.ts);
  if (p.fit !== undefined) state.fit = p.fit;
  if (p._spent !== undefined) state.spent = p._spent;
  if (p._pause !== undefined) state.pauses = withPause(state.pauses, p._pause.length, p._pause.cold);
  if (p.boundary) {
    state.boundary = true;
    state.edited = false;
  }
}

/** The provider's report, as it was for a request of that many messages. */
export function used(
  state: SessionState,
  usage: Payloads['session.usage']['usage'],
  messages: number,
  ts: number,
): void {
  state.usage = { ...usage, messages, ts };
  if (state.usage.cached + state.usage.written > 0) state.cacheSeen = true;
}

/** One report may name several edits of one request; the next request's report begins anew. */
export function editedNatively(state: SessionState, p: Payloads['memory.native_edit']): void {
  if (state.nativeReported !== p.request) state.nativeCleared = 0;
  state.nativeReported = p.request;
  state.nativeCleared += p.cleared_input_tokens ?? 0;
}

/** A request has carried their messages: these stay. A call with a key may still come again, and must not bring them twice. */
function carried(held: SessionState['held'], messages: number): SessionState['held'] {
  return held
    .filter((h) => h.messages > messages || h.key !== undefined)
    .map((h) => (h.messages > messages ? h : { ...h, fixed: true }));
}

/** Notes where a main request ended, and forgets the ends of those before it that its changes have touched. */
function ended(state: SessionState, p: Payloads['llm.request']): void {
  if (p.changed === 'tools' || p.changed === 'system') state.ends = [];
  while (state.ends.length > 0 && state.ends.at(-1)! > state.dirtyObserved) state.ends.pop();
  if (state.ends.at(-1) !== p.messages) state.ends.push(p.messages);
}
