// The request of a recorded answer: keys remember what was said about it, the journal what it was.

import type { SessionActor } from '../session/actor.js';
import { loadState } from '../session/load.js';
import { body, type Form } from '../session/request/request-body.js';
import { Session } from '../session/session.js';
import type { Rooms } from './context.js';
import type { Prepared } from './held-call.js';

/** `result` as it is where it holds its request; else with the request rebuilt from the decisions up to its seq. */
export async function withRequest(
  actor: SessionActor,
  result: Prepared,
  form: Form,
  rooms: Rooms,
): Promise<Prepared> {
  if (result.request !== undefined || result.patch !== undefined) return result;
  const past = new Session(
    actor.key,
    await loadState(rooms.store, actor.key, result.seq),
    actor.session.deps,
  );
  past.rendering.sync(past.state);
  // Where it stood in the first answer: the reply is the recorded one, to the byte.
  const { turn, seq, ...rest } = result;
  return { turn, seq, ...body(past, form), ...rest };
}
