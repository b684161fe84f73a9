// What the main thread and the workers say to each other: task kinds, the shapes of their payloads and answers,
// and the message that carries a batch. Both sides import this file and nothing of each other.

import type { Encoding, OptionalEncoding, SharedTables } from '../../native/index.js';
import type { ClearColumns, ClearPlan } from '../curation/clearing-plan.js';

/** Raised when a shape below changes; a worker refuses another version, so that a half-updated install is found. */
export const POOL_CONTRACT_VERSION = 1;

export type { ClearColumns, ClearPlan } from '../curation/clearing-plan.js';
export { CLEAR_FLAG, CLEAR_REASON } from '../curation/clearing-plan.js';
export type { Encoding, OptionalEncoding };

/** `n` vectors of `dims` numbers each, row after row, against one centroid. */
export interface SimilarityPayload {
  dims: number;
  /** Row-major, n x dims. Plain arrays are taken too and checked (F34). */
  vectors: Float32Array | readonly (readonly number[])[];
  centroid: Float32Array | readonly number[];
}

/** Cosine per vector (0 where the vector was refused) and, for the refused ones, index and reason. */
export interface SimilarityResult {
  cosines: Float64Array;
  bad: { index: number; reason: string }[];
}

/**
 * Every task kind but `count`, which has a path of its own through shared memory. A room adds a kind by
 * augmenting this interface and registering a handler in the worker (`registerTask`).
 */
export interface TaskMap {
  plan_clearing: { payload: ClearColumns; result: ClearPlan };
  similarity: { payload: SimilarityPayload; result: SimilarityResult };
  count_fallback: { payload: { texts: readonly string[]; encoding: string }; result: { counts: number[] } };
}

export type TaskKind = keyof TaskMap;
export type Payload<K extends TaskKind> = TaskMap[K]['payload'];
export type Result<K extends TaskKind> = TaskMap[K]['result'];

/** A run of texts in the arena that share an encoding: texts `first` to `first + n - 1`. */
export interface CountRun {
  encoding: Encoding;
  first: number;
  n: number;
}

/** What a worker is given for life. */
export interface ShardData {
  arena: SharedArrayBuffer;
  /** The token core's tables; undefined where the host cannot share them. */
  tables: SharedTables | undefined;
}

/** One piscina task. Layout of the arena: see arena.ts. */
export interface BatchMessage {
  v: number;
  /** Texts in the arena. */
  texts: number;
  runs: CountRun[];
  /** Stands in for the shard's arena when the texts did not fit it. */
  own?: SharedArrayBuffer;
  tasks: { kind: string; payload: unknown }[];
}

/** A task's outcome as data: a fault of one call must not fail its neighbours. */
export type Outcome =
  | { ok: true; value: unknown }
  | { ok: false; kind: string; message: string; path?: string; detail?: unknown };

/** Counts stand in the arena; `outcomes` follows the order of `tasks`. */
export interface BatchReply {
  outcomes: Outcome[];
  /** Wall microseconds the batch took inside the worker. */
  micros: number;
}
