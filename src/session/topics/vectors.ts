// The vector of an input, when it has come or failed to: the seed's rule on it, and what goes into the journal.

import { cosine, vectorFault } from '../../pool/vectors.js';
import { type Draft, SCHEMA_VERSION } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { debounced, shift, topicSettings } from './decide.js';
import { encodeVector } from './fold.js';
import type { Embedder, WantedVector } from './session-topics.js';
import { shiftsBehind } from './state.js';

/** What came of a request: a vector as the wire has it, or why there is none. */
export type Answer = { model: string; vector: unknown } | { failed: string };

export async function takeVector(
  session: Session,
  draft: Draft,
  wanted: WantedVector,
  embedder: Embedder,
  answer: Answer,
): Promise<void> {
  const rule = topicSettings(session);
  // The history may have been cut, or the layer switched off, while the vector was on its way.
  if (rule === undefined || session.state.messages.length <= wanted.message) return;
  const model = 'failed' in answer ? embedder.model : answer.model;
  draft.push(
    event('embeddings.request', { _schema_version: SCHEMA_VERSION, model, count: 1, purpose: 'topic' }),
  );
  if ('failed' in answer) {
    draft.push(event('memory.diagnostic', { what: 'embeddings_failed', detail: answer.failed }));
    return;
  }
  const { topic } = session.state;
  const fault = vectorFault(
    answer.vector as ArrayLike<unknown>,
    embedder.dimensions ?? lengthOf(answer.vector),
  );
  if (fault !== undefined) {
    refuse(session, draft, wanted, fault, answer.vector);
    return;
  }
  const v = Float32Array.from(answer.vector as number[]);
  const { vectors } = topic;
  const changed = vectors !== undefined && (vectors.dims !== v.length || vectors.model !== model);
  if (changed) {
    draft.push(
      event('memory.diagnostic', {
        what: 'embedder_changed',
        detail: { from: vectors.model, to: model, dims_from: vectors.dims, dims_to: v.length },
      }),
    );
  }
  const compared = vectors !== undefined && !changed && !wanted.decided;
  const similarity = compared ? cosine(v, vectors.centroid) : 0;
  const apart = compared && similarity < rule.similarityThreshold;
  const closing = vectors !== undefined && !changed && (apart || wanted.decided);
  const back = apart
    ? await session.topics.closed.nearest(topic, model, v, rule.similarityThreshold)
    : undefined;
  const closes = topic.start;
  // A boundary that is journalled stands: a vector that comes behind it moves the mean of the inputs, and nothing else.
  const late = shiftsBehind(topic, wanted.message);
  if (apart && !late && !debounced(session, wanted.turn)) {
    shift(session, draft, {
      message: wanted.message,
      turn: wanted.turn,
      signal: 'embedding',
      similarity,
      threshold: rule.similarityThreshold,
      embedder: { name: model, version: 0, threshold: rule.similarityThreshold },
      ...(back === undefined ? {} : { returnedTo: back.start }),
    });
  }
  draft.push(
    event('topic.vector', {
      message: wanted.message,
      model,
      dims: v.length,
      similarity,
      reset: vectors === undefined || changed || apart || wanted.decided,
      ...(closing ? { closes } : {}),
      _vector: encodeVector(v),
    }),
  );
}

/** Whatever length it has is right where nobody said one. */
function lengthOf(vector: unknown): number {
  return Array.isArray(vector) ? vector.length : 0;
}

/** A vector that is none harms its own input only (F34). One of another shape, or with holes, also ends the mean (L3-5). */
function refuse(session: Session, draft: Draft, wanted: WantedVector, fault: string, vector: unknown): void {
  const { topic } = session.state;
  const list = Array.isArray(vector) ? (vector as unknown[]) : [];
  const holes = list.some((x) => typeof x === 'number' && !Number.isFinite(Math.fround(x)));
  const resets =
    topic.vectors !== undefined && list.length > 0 && (holes || list.length !== topic.vectors.dims);
  draft.push(
    event('memory.diagnostic', {
      what: 'bad_vector',
      detail: {
        kind: 'BAD_VECTOR',
        reason: fault,
        message: wanted.message,
        ...(resets ? { centroid_reset: true } : {}),
      },
    }),
  );
  if (resets) draft.push(event('topic.reset', { message: wanted.message }));
}
