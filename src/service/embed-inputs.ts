// Asks the client (PROTOCOL 2, embeddings.create) or a server over HTTP for the vectors of inputs, off the path of the call that
// brought them, and hands them to the session in the order of the inputs.

import { CuratedError } from '../errors.js';
import type { SessionActor } from '../session/actor.js';
import { topicSettings } from '../session/topics/decide.js';
import type { Embedder, WantedVector } from '../session/topics/session-topics.js';
import { type Answer, takeVector } from '../session/topics/vectors.js';
import { type ConfigLayer, resolveSettings, type Settings } from '../settings/index.js';
import { keyFrom } from '../summary/http.js';
import { ENCODER, type Encoder, sharedEncoder } from '../topics/encoder.js';
import type { Caller, Rooms } from './context.js';
import { embedOverHttp } from './http-embedder.js';

/** Called before a write that may bring inputs: whose vectors count is known then. */
export function offerEmbedder(caller: Caller, actor: SessionActor, rooms: Rooms): void {
  const { topics, settings } = actor.session;
  const { kind } = settings.curated.embedder;
  const client =
    kind !== 'http' && kind !== 'local' && caller.can('embeddings') ? caller.embeddings : undefined;
  const server = kind === 'auto' || kind === 'http' ? httpEmbedder(rooms) : undefined;
  topics.embedder = client ?? server ?? (kind === 'local' ? LOCAL : undefined);
  if (topics.embedder === LOCAL) encoderOf(rooms).warm();
}

/**
 * The server of the daemon's own configuration: a session may ask for it, and never say where it is or which key it gets.
 * Undefined when none is configured.
 */
function httpEmbedder(rooms: Rooms): Embedder | undefined {
  const { url, model, dimensions } = ownSettings(rooms);
  if (url === undefined || model === undefined) return undefined;
  return { model, over: 'http', ...(dimensions === undefined ? {} : { dimensions }) };
}

const LOCAL: Embedder = { model: ENCODER.model, dimensions: ENCODER.dimensions, over: 'local' };

let own: { of: readonly ConfigLayer[]; embedder: Settings['curated']['embedder'] } | undefined;

/** Made anew when the configuration has been read anew. */
function ownSettings(rooms: Rooms): Settings['curated']['embedder'] {
  const of = rooms.layers();
  if (own?.of !== of) own = { of, embedder: resolveSettings(of).curated.embedder };
  return own.embedder;
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
    const answer = ask(embedder, text, rule.embedDeadlineMs, { caller, session: actor.key.session, rooms });
    topics.inOrder(async () => hand(caller, actor, w, embedder, await answer));
  }
}

function ask(
  embedder: Embedder,
  text: string,
  deadlineMs: number,
  from: { caller: Caller; session: string; rooms: Rooms },
): Promise<Answer> {
  if (embedder.over === 'http') return askServer(embedder, text, deadlineMs, from.rooms);
  if (embedder.over === 'local') return askEncoder(encoderOf(from.rooms), text, deadlineMs);
  return askFor(from.caller, from.session, text, deadlineMs);
}

function encoderOf(rooms: Rooms): Encoder {
  return rooms.encoder ?? sharedEncoder();
}

async function askEncoder(encoder: Encoder, text: string, deadlineMs: number): Promise<Answer> {
  try {
    const vector = await encoder.embed(text, deadlineMs);
    return { model: ENCODER.model, vector: Array.from(vector) };
  } catch (e) {
    return { failed: (e as Error).message };
  }
}

function askServer(embedder: Embedder, text: string, deadlineMs: number, rooms: Rooms): Promise<Answer> {
  const { url, keyEnv } = ownSettings(rooms);
  const { model, dimensions } = embedder;
  return embedOverHttp(
    { url: url!, model, dimensions, key: () => keyFrom(keyEnv, process.env) },
    text,
    deadlineMs,
  );
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
      {
        // What the daemon asks itself answers whoever holds the session by now.
        holder: embedder.over === undefined ? caller : undefined,
        ...{ command: 'write' as const, method: 'embeddings.create', level: 'ack' as const },
      },
      (draft) => takeVector(actor.session, draft, wanted, embedder, answer),
    );
  } catch {
    // The session was closed, taken over or could not be written: its inputs go on without this vector.
  }
}
