// Folds topic events into the state. What an event does not say does not happen: no phrase, threshold or embedder is asked.

import type { Payloads } from '../state/events.js';
import type { TopicState } from './state.js';

export function shiftDetected(
  topic: TopicState,
  seq: number,
  p: Payloads['memory.topic_shift_detected'],
): void {
  topic.shifts.push({
    seq,
    from: p.from_turn,
    to: p.to_turn,
    signal: p.signal,
    similarity: p.similarity,
    message: p.message,
    ...(p.returned_to === undefined ? {} : { returnedTo: p.returned_to }),
    retracted: false,
  });
  current(topic);
}

export function shiftRetracted(topic: TopicState, p: Payloads['memory.topic_shift_retracted']): void {
  const shift = topic.shifts.findLast((s) => s.seq === p.seq_of);
  if (shift === undefined) return;
  shift.retracted = true;
  current(topic);
}

/** Boundaries at messages that left the history leave with them. */
export function topicsDiverged(topic: TopicState, index: number): void {
  if (!topic.shifts.some((s) => s.message >= index)) return;
  topic.shifts = topic.shifts.filter((s) => s.message < index);
  current(topic);
}

/** The running topic begins at the last boundary that stands. */
function current(topic: TopicState): void {
  const last = topic.shifts.findLast((s) => !s.retracted);
  topic.start = last?.to ?? 0;
  topic.message = last?.message ?? 0;
}

/** The mean moves as the event says: a new one, or one vector more. */
export function vectorTaken(topic: TopicState, p: Payloads['topic.vector']): void {
  const v = decodeVector(p._vector);
  topic.taken += 1;
  if (p.reset || topic.vectors === undefined) {
    const old = topic.vectors;
    if (old !== undefined && p.closes !== undefined) {
      topic.closed.push({ start: p.closes, model: old.model, centroid: old.centroid });
    }
    topic.vectors = { model: p.model, dims: v.length, centroid: v, n: 1 };
    return;
  }
  const { centroid, n } = topic.vectors;
  // Another length never gets here without a reset; the guard keeps a foreign journal from writing past the end.
  if (centroid.length !== v.length) return;
  for (let i = 0; i < centroid.length; i += 1) centroid[i] = (centroid[i]! * n + v[i]!) / (n + 1);
  topic.vectors.n = n + 1;
}

/** Raw little-endian float32 as base64: exact, and a third of the JSON numbers. */
export function encodeVector(v: Float32Array): string {
  return Buffer.from(v.buffer, v.byteOffset, v.byteLength).toString('base64');
}

export function decodeVector(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  const out = new Float32Array(bytes.length >> 2);
  for (let i = 0; i < out.length; i += 1) out[i] = bytes.readFloatLE(i * 4);
  return out;
}
