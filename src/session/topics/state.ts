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

export function freshTopics(): TopicState {
  return { start: 0, message: 0, shifts: [], closed: [], taken: 0 };
}
