// The yard's gate: takes calls from all sessions, batches them onto shards and answers. Knows no socket and no session.
//
// While every shard is busy, what arrives waits, and the next free shard takes it as one task. No call is bound to a
// shard, but of several shards only the first takes what may be long, so that a long text, a slow task or a call that
// kills its worker holds up no short count.
import { availableParallelism } from 'node:os';
import { LIMITS, type Limits } from '../config.js';
import { asCuratedError, CuratedError, fail } from '../errors.js';
import { upperBytes } from './arena.js';
import { BackgroundLane } from './background.js';
import type { Call } from './call.js';
import type { ClearColumns, ClearPlan, Encoding, Payload, Result, TaskKind } from './contract.js';
import { countHere } from './count-core.js';
import { CallQueue } from './queue.js';
import { taskHandler } from './registry.js';
import { Shard, type ShardFailure, type ShardOptions } from './shard.js';
import './tasks.js';

export interface PoolOptions {
  /** Worker threads. Default: the cores, two at most. */
  shards?: number;
  /** UTF-16 units of text up to which counting happens on the calling thread. Default 4,096: see INLINE_UNITS. */
  inlineUnits?: number;
  /** Calls that may wait (limit pool_tasks). */
  maxQueuedCalls?: number;
  /** UTF-16 units (or bytes) of text that may wait (pool_text_bytes); one larger call is taken while nothing waits. */
  maxQueuedUnits?: number;
  /** Text a batch of several counts takes at most, so that a wait stays short. Default 256 Ki units. */
  batchUnits?: number;
  /** Counts of more units of text go to the shard for long work. Default 64 Ki. */
  longUnits?: number;
  /** Shared memory per shard for texts, bytes. Default 1 MiB: a batch of `batchUnits` fits at three bytes a unit. */
  arenaBytes?: number;
  /** Milliseconds a batch may take (pool_deadline_ms), and more per MiB of text. Default 2,000. */
  deadlineMs?: number;
  deadlineMsPerMib?: number;
  /** V8 heap of a worker, MiB (pool_heap_bytes). */
  heapMib?: number;
  /** The workers' entry; tests bring their own. */
  worker?: URL;
}

/**
 * Up to here a text is counted on the calling thread. `npm run bench -- pool` (2 cores): counting 4,096 units of mixed text
 * here takes 15 us, a round trip through an idle shard costs this thread 20 to 30 us and the caller 35; the two cross
 * between 4 Ki and 8 Ki units. The slowest input there is (20 MB/s) holds this thread up for 0.2 ms.
 */
const INLINE_UNITS = 4096;

export interface ShardStats {
  busy: boolean;
  batches: number;
  calls: number;
  failures: number;
  restarts: number;
  busyMs: number;
}

export interface PoolStats {
  shards: ShardStats[];
  /** The thread for work that no call waits for, while there is one; and its tasks that wait. */
  background?: ShardStats;
  queuedBackground: number;
  queuedCalls: number;
  queuedUnits: number;
  inlineCalls: number;
  rejectedBusy: number;
  retries: number;
  shardFailed: number;
}

export interface RunOptions {
  /** No call waits for the task, until this fires: one such runs at a time, on a thread that gives way to all others. */
  background?: AbortSignal;
}

export interface Pool {
  /** Tokens of each text, ordinary semantics. Rejects with BUSY, SHARD_FAILED or DRAINING. */
  countTokens(texts: readonly (string | Uint8Array)[], encoding: Encoding): Promise<Uint32Array>;
  /** Rows to clear, with reasons (L1-1 to L1-3). */
  planClearing(columns: ClearColumns): Promise<ClearPlan>;
  /** Any other registered kind. */
  run<K extends TaskKind>(kind: K, payload: Payload<K>, o?: RunOptions): Promise<Result<K>>;
  stats(): PoolStats;
  /** Refuses new calls, answers those it has (for `graceMs` at most) and ends the threads. */
  close(graceMs?: number): Promise<void>;
}

function units(texts: readonly (string | Uint8Array)[]): number {
  let sum = 0;
  for (const text of texts) sum += text.length;
  return sum;
}

class ShardedPool implements Pool {
  readonly #shards: Shard[];
  readonly #o: Required<Omit<PoolOptions, keyof ShardOptions | 'shards'>> & ShardOptions;
  readonly #queue: CallQueue;
  readonly #background: BackgroundLane;
  #scheduled = false;
  #closing: Promise<void> | undefined;
  #ended = false;
  #idle: (() => void) | undefined;
  #inlineCalls = 0;
  #rejectedBusy = 0;
  #retries = 0;
  #shardFailed = 0;

  constructor(options: PoolOptions) {
    this.#o = {
      inlineUnits: options.inlineUnits ?? INLINE_UNITS,
      maxQueuedCalls: options.maxQueuedCalls ?? LIMITS.pool_tasks.default,
      maxQueuedUnits: options.maxQueuedUnits ?? LIMITS.pool_text_bytes.default,
      batchUnits: options.batchUnits ?? 256 * 1024,
      longUnits: options.longUnits ?? 64 * 1024,
      arenaBytes: options.arenaBytes ?? 2 ** 20,
      deadlineMs: options.deadlineMs ?? LIMITS.pool_deadline_ms.default,
      deadlineMsPerMib: options.deadlineMsPerMib ?? 2000,
      heapMib: options.heapMib ?? LIMITS.pool_heap_bytes.default / 2 ** 20,
      worker: options.worker ?? new URL('../../workers/main.js', import.meta.url),
    };
    const n = options.shards ?? Math.min(2, availableParallelism());
    if (!Number.isInteger(n) || n < 1) fail('CONFIG', `shards is ${n}`, { path: '/shards' });
    const { maxQueuedCalls: maxCalls, maxQueuedUnits: maxUnits, batchUnits, longUnits } = this.#o;
    this.#queue = new CallQueue({ maxCalls, maxUnits, batchUnits, longUnits });
    this.#shards = Array.from({ length: n }, () => new Shard(this.#o));
    this.#background = new BackgroundLane(
      this.#o,
      (calls, failure) => this.#failed(calls, failure),
      () => this.#tellIdle(),
    );
  }

  async countTokens(texts: readonly (string | Uint8Array)[], encoding: Encoding): Promise<Uint32Array> {
    this.#open();
    if (texts.length === 0) return new Uint32Array(0);
    const weight = units(texts);
    if (weight <= this.#o.inlineUnits) {
      this.#inlineCalls++;
      return countHere(texts, encoding);
    }
    let bytes = 0;
    for (const text of texts) bytes += upperBytes(text);
    return new Promise((resolve, reject) => {
      this.#enqueue({ type: 'count', texts, encoding, bytes, failures: 0, resolve, reject }, weight);
    });
  }

  planClearing(columns: ClearColumns): Promise<ClearPlan> {
    return this.run('plan_clearing', columns);
  }

  async run<K extends TaskKind>(kind: K, payload: Payload<K>, o: RunOptions = {}): Promise<Result<K>> {
    this.#open();
    const handler = taskHandler(kind);
    if (handler?.inline?.(payload) === true) {
      this.#inlineCalls++;
      try {
        return handler.run(payload);
      } catch (e) {
        throw asCuratedError(e);
      }
    }
    return new Promise((resolve, reject) => {
      const settle = resolve as (value: unknown) => void;
      const call: Call = { type: 'task', kind, payload, bytes: 0, failures: 0, resolve: settle, reject };
      const { background } = o;
      if (background === undefined || background.aborted) this.#enqueue(call, 0);
      else this.#enqueueBehind(call, background);
    });
  }

  #open(): void {
    if (this.#closing !== undefined) fail('DRAINING', 'the pool is closing');
  }

  #enqueue(call: Call, weight: number): void {
    if (this.#queue.push(call, weight)) this.#schedule();
    else this.#refuse(call);
  }

  #enqueueBehind(call: Call, hurry: AbortSignal): void {
    if (this.#background.waiting >= this.#o.maxQueuedCalls) {
      this.#refuse(call);
      return;
    }
    this.#background.push(call);
    hurry.addEventListener('abort', () => {
      if (this.#background.take(call)) this.#enqueue(call, 0);
    });
    this.#schedule();
  }

  #refuse(call: Call): void {
    this.#rejectedBusy++;
    const detail = { queued_calls: this.#queue.length, queued_units: this.#queue.units };
    call.reject(new CuratedError('BUSY', 'the worker queue is full', { detail }));
  }

  /** At the end of the present microtasks, so that the calls of one event leave together. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (const [i, shard] of this.#shards.entries()) {
      if (shard.busy) continue;
      const calls = this.#queue.take(this.#shards.length === 1 ? 'any' : i === 0 ? 'long' : 'short');
      if (calls.length > 0) void this.#dispatch(shard, calls);
    }
    this.#background.pump();
    this.#tellIdle();
  }

  #tellIdle(): void {
    const { busy, waiting } = this.#background;
    if (this.#queue.length + waiting === 0 && !busy && this.#shards.every((s) => !s.busy)) this.#idle?.();
  }

  async #dispatch(shard: Shard, calls: Call[]): Promise<void> {
    const failure = await shard.run(calls);
    if (failure !== undefined) this.#queue.again(this.#failed(calls, failure));
    if (!this.#ended) this.#pump();
  }

  /** Calls whose worker failed: those that are to run once more; the others are answered. */
  #failed(calls: readonly Call[], failure: ShardFailure): Call[] {
    const again: Call[] = [];
    for (const call of calls) {
      call.failures++;
      if (this.#ended) {
        call.reject(new CuratedError('DRAINING', 'the pool closed while this call ran'));
      } else if (call.failures < 2) {
        again.push(call);
      } else if (failure.reason === 'payload') {
        call.reject(new CuratedError('INTERNAL', 'a task payload cannot be sent', { cause: failure.cause }));
      } else {
        this.#shardFailed++;
        const detail = { reason: failure.reason };
        call.reject(new CuratedError('SHARD_FAILED', undefined, { detail, cause: failure.cause }));
      }
    }
    this.#retries += again.length;
    return again;
  }

  stats(): PoolStats {
    const { shard, waiting } = this.#background;
    return {
      shards: this.#shards.map(shardStats),
      ...(shard === undefined ? {} : { background: shardStats(shard) }),
      queuedBackground: waiting,
      queuedCalls: this.#queue.length,
      queuedUnits: this.#queue.units,
      inlineCalls: this.#inlineCalls,
      rejectedBusy: this.#rejectedBusy,
      retries: this.#retries,
      shardFailed: this.#shardFailed,
    };
  }

  close(graceMs: number = LIMITS.pool_grace_ms.default): Promise<void> {
    this.#closing ??= this.#end(graceMs);
    return this.#closing;
  }

  async #end(graceMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#schedule();
    });
    this.#idle = undefined;
    this.#ended = true;
    for (const call of [...this.#queue.drain(), ...this.#background.drain()]) {
      call.reject(new CuratedError('DRAINING', 'the pool closed before this call ran'));
    }
    await Promise.all([...this.#shards.map((shard) => shard.destroy()), this.#background.destroy()]);
  }
}

function shardStats({ busy, batches, calls, failures, restarts, busyMs }: Shard): ShardStats {
  return { busy, batches, calls, failures, restarts, busyMs };
}

/** The pool's options out of the daemon's limits. */
export function poolOptions(limits: Limits): PoolOptions {
  return {
    maxQueuedCalls: limits.pool_tasks,
    maxQueuedUnits: limits.pool_text_bytes,
    deadlineMs: limits.pool_deadline_ms,
    heapMib: limits.pool_heap_bytes / 2 ** 20,
  };
}

/** Starts the worker threads. They keep no process alive while they are idle. */
export function createPool(options: PoolOptions = {}): Pool {
  return new ShardedPool(options);
}
