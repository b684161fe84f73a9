// Task kinds and their handlers, and the one loop that works off a batch. Runs in workers and, for small
// tasks, on the calling thread; knows no pool and no shard.
import { asCuratedError } from '../errors.js';
import { viewArena } from './arena.js';
import {
  type BatchMessage,
  type BatchReply,
  type Outcome,
  type Payload,
  POOL_CONTRACT_VERSION,
  type Result,
  type TaskKind,
} from './contract.js';
import { countInto } from './count-core.js';

export interface TaskHandler<K extends TaskKind> {
  /** Pure and synchronous; throws CuratedError for a bad payload. */
  run(payload: Payload<K>): Result<K>;
  /** True where calling it on this thread costs less than a worker's round trip. Absent: never. */
  inline?(payload: Payload<K>): boolean;
}

const handlers = new Map<string, TaskHandler<never>>();

/** Makes a kind known to this thread. The worker's entry registers all of them at start. */
export function registerTask<K extends TaskKind>(kind: K, handler: TaskHandler<K>): void {
  handlers.set(kind, handler as unknown as TaskHandler<never>);
}

/** The handler of a kind on this thread. */
export function taskHandler<K extends TaskKind>(kind: K): TaskHandler<K> | undefined {
  return handlers.get(kind) as unknown as TaskHandler<K> | undefined;
}

/**
 * Works off one batch. A fault of one task is data in its outcome. A trap of the WASM core is not: the
 * instance may be left half-way, so the whole batch fails and the shard is replaced.
 */
export function runBatch(message: BatchMessage, arena: SharedArrayBuffer): BatchReply {
  const start = performance.now();
  if (message.v !== POOL_CONTRACT_VERSION)
    throw new Error(`pool contract ${message.v} is not ${POOL_CONTRACT_VERSION}`);
  if (message.texts > 0) {
    const { offsets, counts, bytes } = viewArena(message.own ?? arena, message.texts);
    for (const run of message.runs) countInto(run.encoding, bytes, offsets, counts, run.first, run.n);
  }
  const outcomes = message.tasks.map(({ kind, payload }): Outcome => {
    const handler = handlers.get(kind);
    if (handler === undefined) return { ok: false, kind: 'UNSUPPORTED', message: `no task kind ${kind}` };
    try {
      return { ok: true, value: handler.run(payload as never) };
    } catch (e) {
      if (e instanceof Error && e.name === 'RuntimeError') throw e;
      const fault = asCuratedError(e);
      return {
        ok: false,
        kind: fault.kind,
        message: fault.message,
        ...(fault.path !== undefined && { path: fault.path }),
        ...(fault.detail !== undefined && { detail: fault.detail }),
      };
    }
  });
  return { outcomes, micros: (performance.now() - start) * 1000 };
}
