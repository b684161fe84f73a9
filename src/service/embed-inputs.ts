// Asks the client for the vectors of inputs (PROTOCOL 2, embeddings.create), off the path of the call that brought them, and
// hands them to the session in the order of the inputs.

import { CuratedError } from '../errors.js';
import type { SessionActor } from '../session/actor.js';
import { topicSettings } from '../session/topics/decide.js';
import type { Embedder, WantedVector } from '../session/topics/session-topics.js';
import { type Answer, takeVector } from '../session/topics/vectors.js';
import type { Caller, Rooms } from './context.js';

/** Called before a write that may bring inputs: whose vectors count is known then. */
export function offerEmbedder(caller: Caller, actor: SessionActor): void {
  actor.session.topics.embedder = caller.can('embeddings') ? caller.embeddings : undefined;
}

/** Called after it. Returns at once. */
export function embedInputs(caller: Caller, actor: SessionActor, rooms: Rooms): void {
  const { session } = actor;
  const { topics } = session;
  const { embedder } = topics;
  const wanted = topics.takeWanted();
  if (embedder === undefined || wanted.length === 0) return;
  const rule = topicSettings(session);
  if (rule === undefined) return;
  for (const w of wanted) {
    const text = rooms.truncate(w.text, rule.embedMaxTokens, session.encoding);
    const answer = askFor(caller, actor.key.session, text, rule.embedDeadlineMs);
    topics.inOrder(async () => hand(caller, actor, w, embedder, await answer));
  }
}

async function askFor(caller: Caller, session: string, text: string, deadlineMs: number): Promise<Answer> {
  try {
    const { model, vectors } = await caller.ask('embeddings.create', { session, input: [text] }, deadlineMs);
    if (vectors.length === 0) return { failed: 'the answer holds no vector' };
    return { model, vector: vectors[0] };
  } catch (e) {
    return { failed: e instanceof CuratedError ? e.message : 'the request failed' };
  }
}

async function hand(
  caller: Caller,
  actor: SessionActor,
  wanted: WantedVector,
  embedder: Embedder,
  answer: Answer,
): Promise<void> {
  try {
    await actor.write(
      { holder: caller, command: 'write', method: 'embeddings.create', level: 'os' },
      (draft) => takeVector(actor.session, draft, wanted, embedder, answer),
    );
  } catch {
    // The session was closed, taken over or could not be written: its inputs go on without this vector.
  }
}
