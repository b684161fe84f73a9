// Which part of a history belongs to what is being talked about now. Pure.

import type { TopicState } from './state.js';

const EVERYWHERE = (): boolean => true;

/** Tells of a stored message whether the running topic has it, or the older one that it came back to. */
export function inTopic(topic: TopicState): (at: number) => boolean {
  if (topic.shifts.length === 0) return EVERYWHERE;
  const shifts = topic.shifts.filter((s) => !s.retracted);
  const last = shifts.at(-1);
  if (last === undefined) return EVERYWHERE;
  const spans: [from: number, to: number][] = [[last.message, Number.POSITIVE_INFINITY]];
  if (last.returnedTo !== undefined) {
    // A topic is named by its first turn; the first one of all begins with the history.
    const i = shifts.findIndex((s) => s.to === last.returnedTo);
    if (i >= 0 || last.returnedTo === 0)
      spans.push([shifts[i]?.message ?? 0, shifts[i + 1]?.message ?? last.message]);
  }
  return (at) => spans.some(([from, to]) => at >= from && at < to);
}

/** Has a topic ended in a later turn than this one? */
export function topicEndedSince(topic: TopicState, turn: number): boolean {
  const last = topic.shifts.findLast((s) => !s.retracted);
  return last !== undefined && last.to > turn;
}
