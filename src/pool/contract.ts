// What the main thread and the workers say to each other: task kinds, the shapes of their payloads and answers,
// and the message that carries a batch. Both sides import this file and nothing of each other.
import type { Encoding, SharedTables } from '../../native/index.js';

/** Raised when a shape below changes; a worker refuses another version, so that a half-updated install is found. */
export const POOL_CONTRACT_VERSION = 1;

export type { Encoding };

/**
 * One row per tool result of a session, oldest first, as columns of length >= `n` (only the first `n` rows count).
 * Columns over a SharedArrayBuffer cross without a copy; they must not change until the answer is there.
 */
export interface ClearColumns {
  n: number;
  /** The present turn. */
  now: number;
  /** L1-2: turns a result must have aged, inclusive. */
  ageTurns: number;
  /** L1-2: least UTF-8 bytes of the body, inclusive. */
  sizeThreshold: number;
  /** Turn of the result's call. */
  callTurn: Int32Array;
  /** UTF-8 bytes of the body as it stands in the request. */
  bytes: Uint32Array;
  /** Tokens of that body. */
  bodyTokens: Uint32Array;
  /** Tokens its marker would have (L1-1); without it the caller compares before it applies the plan. */
  markerTokens?: Uint32Array;
  /** Bits: see CLEAR_FLAG. */
  flags: Uint8Array;
}

/** Bits of `ClearColumns.flags`. */
export const CLEAR_FLAG = {
  /** The result's kind is preserved (L1-5). */
  preserved: 1,
  /** It is cleared already (L1-11). */
  cleared: 2,
  /** It may not be touched in this pass (no call id, a provider rule, the current topic ...). */
  protected: 4,
  /** The same tool was called with equal arguments at a strictly later turn, with a good result (L1-3, L1-15). */
  superseded: 8,
} as const;

/** Why a result is cleared; values of `ClearPlan.reasons`. */
export const CLEAR_REASON = { subsequentCall: 1, age: 2 } as const;

/** Rows to clear in row order, and for each its CLEAR_REASON. */
export interface ClearPlan {
  rows: Uint32Array;
  reasons: Uint8Array;
}

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
