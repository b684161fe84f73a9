// What a session knows of its topics: boundaries, and the vectors of its inputs. Part of the fold's state; pure.

export interface TopicShift {
  /** seq of its event. */
  seq: number;
  from: number;
  to: number;
  signal: string;
  similarity: number;
  /** Stored message of the input that began the topic. */
  message: number;
  /** Start turn of the closed topic that goes on. */
  returnedTo?: number;
  retracted: boolean;
}

/** The rolling mean of the inputs' vectors in the running topic (REQUIREMENTS L3-4). */
export interface TopicVectors {
  model: string;
  dims: number;
  centroid: Float32Array;
  n: number;
}

/** A closed topic that has vectors. */
export interface ClosedTopic {
  start: number;
  model: string;
  centroid: Float32Array;
}

export interface TopicState {
  /** Turn with which the running topic began. */
  start: number;
  /** Stored message with which it began. */
  message: number;
  shifts: TopicShift[];
  vectors?: TopicVectors;
  closed: ClosedTopic[];
  /** Vectors taken in so far. */
  taken: number;
}

/** The boundary at an input, if one stands. Looks at the newest only: boundaries stand in the order of their messages. */
export function shiftAt(topic: TopicState, message: number): TopicShift | undefined {
  return newestWhere(topic, (s) => s.message >= message && (s.message > message ? undefined : true));
}

/** Does a boundary stand behind this message? */
export function shiftsBehind(topic: TopicState, message: number): boolean {
  return newestWhere(topic, (s) => s.message > message) !== undefined;
}

/** Does a boundary stand in this turn? */
export function shiftsIn(topic: TopicState, turn: number): boolean {
  return newestWhere(topic, (s) => s.to >= turn && (s.to > turn ? undefined : true)) !== undefined;
}

/** The newest boundary that stands and is wanted; false from `wanted` ends the search, undefined goes on. */
function newestWhere(
  { shifts }: TopicState,
  wanted: (s: TopicShift) => boolean | undefined,
): TopicShift | undefined {
  for (let i = shifts.length - 1; i >= 0; i -= 1) {
    const shift = shifts[i]!;
    const verdict = wanted(shift);
    if (verdict === false) return undefined;
    if (verdict === true && !shift.retracted) return shift;
  }
  return undefined;
}

export function freshTopics(): TopicState {
  return { start: 0, message: 0, shifts: [], closed: [], taken: 0 };
}
