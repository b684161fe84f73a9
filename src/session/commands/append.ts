// session.append: messages on their way into the stored history.

import type { Native } from '../../providers/types.js';
import { readUsage } from '../../providers/usage.js';
import type { Draft } from '../commit.js';
import {
  checkLimits,
  checkShape,
  checkTurnLimit,
  measureAll,
  type PlaceOf,
  pushMessage,
} from '../intake/intake.js';
import type { Taken } from '../intake/taken.js';
import type { Session } from '../session.js';
import { event, type MessageHint } from '../state/events.js';
import { heard } from '../topics/decide.js';
import { featuresNow, observeUsage } from '../window/estimate.js';

export interface AppendParams {
  messages: readonly Native[];
  hints?: ReadonlyMap<number, MessageHint>;
  /** The call inside which these messages were made: they stay out of the history (P-10). */
  parentCallId?: string;
  /** The provider has seen them already: the host joins in mid-conversation. */
  sent?: boolean;
  /** Where each message stands in the parameters of the call. */
  placeOf?: PlaceOf;
}

export interface Appended {
  ids: string[];
  tokens: number[];
  total_tokens: number;
  turn: number;
  seq: number;
}

export async function append(session: Session, p: AppendParams, draft: Draft): Promise<Appended> {
  checkLimits(session, p.messages.length);
  return take(session, p, draft);
}

/** As `append`, without the limit of one call: histories that are resent may be long. */
export async function take(session: Session, p: AppendParams, draft: Draft): Promise<Appended> {
  const { state } = session;
  checkShape(session, p.messages, p.placeOf);
  if (p.parentCallId !== undefined) return inner(session, p, draft);
  checkTurnLimit(session, p.messages.length);
  const taken = await measureAll(session, p.messages, p.hints);
  const ids: string[] = [];
  for (const t of taken) {
    const before = t.hint?.usage === undefined ? undefined : featuresNow(session);
    ids.push(`m${state.seq + 1}`);
    pushMessage(session, t, draft);
    if (before !== undefined) recorded(session, t, before, draft);
    heard(session, draft);
  }
  if (p.sent)
    draft.push(event('session.attached', { messages: state.messages.length, tokens: state.messageTokens }));
  return {
    ids,
    tokens: taken.map((t) => t.tokens),
    total_tokens: state.messageTokens,
    turn: state.turn,
    seq: state.seq,
  };
}

/** A report that the host recorded with an answer teaches the estimate as one at the turn's end does. */
function recorded(session: Session, t: Taken, features: readonly number[], draft: Draft): void {
  const usage = readUsage(session.state.format, t.hint!.usage);
  if (!usage.ok || t.reading.role !== 'assistant') return;
  const seen = observeUsage(session, usage.usage, features, [t]);
  draft.push(
    event('session.usage', { message: session.state.messages.length - 1, usage: usage.usage, fit: seen.fit }),
  );
}

/** Calls made inside another tool are journalled and forgotten. */
function inner(session: Session, p: AppendParams, draft: Draft): Appended {
  const { state } = session;
  for (const message of p.messages) {
    for (const [part, call] of state.spec.read(message).parts.entries()) {
      if (call.kind !== 'tool_call') continue;
      draft.push(
        event('tool.invoke', {
          id: call.callId ?? '',
          name: call.tool ?? '',
          message: -1,
          part,
          parent_call_id: p.parentCallId!,
        }),
      );
    }
  }
  return { ids: [], tokens: [], total_tokens: state.messageTokens, turn: state.turn, seq: state.seq };
}
