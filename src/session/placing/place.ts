// Where a text of ours stands in the request: behind all that was sent, in the newest user turn if there is a choice.

import type { LedgerEdit } from '../../curation/decisions.js';
import type { Draft } from '../commit.js';
import { knownPrefix } from '../money/prefix.js';
import { addToUser } from '../request/own-text.js';
import type { Session } from '../session.js';
import { event, type NewEvent } from '../state/events.js';
import type { DurableCopy } from '../state/state.js';

/** Tokens of a message's wrapping (NS-1). */
const WRAPPING = 4;

export interface Place {
  edit: LedgerEdit;
  message: number;
  /** First stored position whose sent bytes this changes; undefined when none are. */
  touches?: number;
}

/**
 * Puts a text of ours where it goes, by the event that says so. Where sent bytes change for it, that is told as an edit.
 * @param told whose it is, its section, and its tokens
 */
export function put(
  session: Session,
  draft: Draft,
  { touches }: Place,
  placed: NewEvent,
  told: { layer: string; section: string; tokens: number },
): void {
  const { state, rendering } = session;
  const prefix = touches === undefined ? undefined : knownPrefix(session, session.deps.clock.now());
  rendering.sync(state);
  const first = touches === undefined ? 0 : rendering.indexOf(touches);
  draft.push(placed);
  if (touches === undefined) return;
  draft.push(
    event('memory.curated', {
      layer: told.layer,
      sections_touched: [{ section_id: told.section, kind: 'session', tokens_delta: told.tokens }],
      cache_invalidates: true,
      at_turn: state.turn,
      first_message: first,
      recache_tokens: prefix?.known ? rendering.tokensBetween(touches, prefix.messages) : 0,
      reason: 'no place behind what was sent',
    }),
  );
}

/** May a copy go without a price? Never where thinking stands behind it that is bound to it (PV-A25). */
export function isFree({ state, profile }: Session, copy: DurableCopy): boolean {
  if (copy.seq > state.sent.seq) return true;
  if (copy.message < state.dirtyFrom) return false;
  return profile.modelClass !== 'AB' || state.thoughts.newest(state.ledger, state.messages) < copy.message;
}

/** Where a text of ours goes: behind all that was sent, in the newest user turn if there is a choice. */
export function placeOf(session: Session, text: string, tokens: number): Place | undefined {
  const { state, profile } = session;
  const end = state.messages.length;
  const at = end - 1;
  const last = state.messages[at];
  const alternates = (profile.alternation ?? 'none') !== 'none';
  if (last === undefined) return undefined;
  if (last.reading.role === 'assistant') return beforeWords(session, text, tokens);
  const operators = operatorsFrom(session);
  if (operators < end) return beforeOperators(session, operators, text, tokens);
  const dropped = state.ledger.isDropped(at);
  if (last.reading.role === 'user' && !dropped && isResponsesMessage(session, at)) {
    const unsent = at >= Math.min(state.sent.messages, state.dirtyFrom);
    const inside = unsent ? insideOf(session, at, text, tokens) : undefined;
    if (inside !== undefined) return inside;
    // Behind a user message that was sent a second one is one turn for the provider, unless its template refuses it.
    if (alternates) {
      const edit = insideOf(session, at, text, tokens);
      return edit === undefined ? undefined : { ...edit, touches: at };
    }
  }
  if (alternates && lastVisible(session) === 'user') {
    const user = state.messages.findLastIndex(
      (m, i) => m.reading.role === 'user' && !state.ledger.isDropped(i),
    );
    const edit = user < 0 ? undefined : insideOf(session, user, text, tokens);
    if (edit === undefined) return undefined;
    return user >= Math.min(state.sent.messages, state.dirtyFrom) ? edit : { ...edit, touches: user };
  }
  return insertOf(session, end, text, tokens);
}

/** First message of what the operator says at the end of the history, between the messages (PV-A12); its length: nothing. */
function operatorsFrom(session: Session): number {
  const { state, profile, rendering } = session;
  let from = state.messages.length;
  if (state.format !== 'anthropic' || !profile.midSystem) return from;
  rendering.sync(state);
  for (let at = from - 1; at >= 0; at -= 1) {
    // What a summary took out from between two of them makes them neighbours.
    if (state.ledger.isDropped(at)) continue;
    if (state.messages[at]!.reading.role !== 'system') break;
    // One that has no place goes out as the user's.
    if (rendering.pieces[rendering.ownIndexOf(at)]?.reading.role !== 'system') break;
    from = at;
  }
  return from;
}

/** The user does not go on right behind the operator (PV-A12): in the user turn before, or the next request has the place. */
function beforeOperators(session: Session, before: number, text: string, tokens: number): Place | undefined {
  const { state } = session;
  const from = Math.min(state.sent.messages, state.dirtyFrom);
  if (before < from) return undefined;
  let at = before - 1;
  while (at >= from && state.ledger.isDropped(at)) at -= 1;
  const inside =
    at >= from && state.messages[at]!.reading.role === 'user'
      ? insideOf(session, at, text, tokens)
      : undefined;
  return inside ?? insertOf(session, before, text, tokens);
}

/** The host puts words into the model's mouth: the user turn before them takes it, while no request has carried that. */
function beforeWords(session: Session, text: string, tokens: number): Place | undefined {
  const { state, profile } = session;
  const from = Math.min(state.sent.messages, state.dirtyFrom);
  let at = state.messages.length - 1;
  while (at >= from && (state.ledger.isDropped(at) || state.messages[at]!.reading.role === 'assistant'))
    at -= 1;
  if (at < from || state.messages[at]!.reading.role !== 'user' || !isResponsesMessage(session, at))
    return undefined;
  // Thinking that was had without it is bound to what stood there (PV-A25).
  if (profile.modelClass === 'AB' && state.thoughts.newest(state.ledger, state.messages) > at)
    return undefined;
  return insideOf(session, at, text, tokens);
}

function insertOf({ state }: Session, before: number, text: string, tokens: number): Place {
  const json = state.spec.textMessage('user', text);
  return {
    edit: { op: 'insert', before, id: `durable-${state.seq + 1}`, json, delta: tokens + WRAPPING },
    message: before,
  };
}

/** Items of Responses that are no messages (outputs) have no content to add to. */
function isResponsesMessage(session: Session, at: number): boolean {
  const value = session.state.messages[at]!.native.value as { content?: unknown } | null;
  return session.state.format !== 'openai-responses' || value?.content !== undefined;
}

/** Behind the content of a user message; undefined where another decision has its hand on that content. */
function insideOf(session: Session, at: number, text: string, tokens: number): Place | undefined {
  const { state } = session;
  const edits = state.ledger.editsOf(at);
  const own = edits.filter((e) => state.ledger.get(state.durablePlaced?.seq ?? -1)?.edits.includes(e));
  const taken = edits.some(
    (e) => e.op === 'drop' || (!own.includes(e) && 'path' in e && e.path.length <= 1 && e.op !== 'append'),
  );
  if (taken) return undefined;
  const edit = addToUser(state.format, state.messages[at]!.native, text, 'behind');
  return edit === undefined ? undefined : { edit: { ...edit, at, delta: tokens, own: true }, message: at };
}

/** Role of the newest message that a chat template sees: ours count too, and where roles are strict, tools and calls (PV-S1, PV-S2). */
function lastVisible({ state, rendering, profile }: Session): string | undefined {
  rendering.sync(state);
  const strict = profile.alternation === 'strict';
  return rendering.pieces.findLast(
    ({ reading: { role, parts } }) =>
      role !== 'system' && (strict || (role !== 'tool' && !parts.some((part) => part.kind === 'tool_call'))),
  )?.reading.role;
}
