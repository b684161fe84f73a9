// One worker thread behind a piscina of its own, its arena and its deadline. Knows batches, not the queue.
// A shard never repairs a worker: it throws thread and arena away and starts anew, so that a late write of a
// dying thread can reach nobody.
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type Batch, packBatch } from './batch.js';
import type { Call } from './call.js';
import type { BatchReply, ShardData } from './contract.js';
import { freeThreads, tablesToShare } from './count-core.js';
import { threadFlags } from './thread-flags.js';

/** Largest second arena that is kept, and the step in which it grows. */
const KEPT_BYTES = 8 * 2 ** 20;
const STEP_BYTES = 2 ** 20;

export interface ShardOptions {
  /** The worker's entry. */
  worker: URL;
  arenaBytes: number;
  /** Milliseconds a batch may take, whatever its size. */
  deadlineMs: number;
  /** Milliseconds added per MiB of text. */
  deadlineMsPerMib: number;
  /** V8 heap of the worker, MiB. */
  heapMib: number;
  /** Added to the niceness of the worker's thread, where the system has such a thing for threads. */
  nice?: number;
}

/** How a batch ended that was not answered. */
export interface ShardFailure {
  reason: 'deadline' | 'worker' | 'payload';
  cause: unknown;
}

export class Shard {
  busy = false;
  batches = 0;
  calls = 0;
  failures = 0;
  restarts = 0;
  busyMs = 0;
  readonly #options: ShardOptions;
  #pool: Piscina<unknown, BatchReply>;
  #arena: SharedArrayBuffer;
  #second = new SharedArrayBuffer(0);
  #timer: NodeJS.Timeout | undefined;
  #dying: Promise<unknown> = Promise.resolve();
  #ended = false;

  constructor(options: ShardOptions) {
    this.#options = options;
    this.#arena = new SharedArrayBuffer(options.arenaBytes);
    this.#pool = this.#start();
  }

  #start(): Piscina<unknown, BatchReply> {
    const data: ShardData = { arena: this.#arena, tables: tablesToShare() };
    const pool = new Piscina<unknown, BatchReply>({
      filename: fileURLToPath(this.#options.worker),
      execArgv: threadFlags(),
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      recordTiming: false,
      stricterFIFO: true,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMib },
      niceIncrement: this.#options.nice ?? 0,
      workerData: data,
    });
    // A worker that dies between two batches is replaced by piscina; without a listener its error would end the process.
    pool.on('error', () => {
      this.failures++;
    });
    return pool;
  }

  /** Runs the calls as one task; settles them, or returns how the worker failed and leaves them unsettled. */
  async run(calls: Call[]): Promise<ShardFailure | undefined> {
    this.busy = true;
    let late = false;
    try {
      const batch: Batch = packBatch(calls, this.#arena, (bytes) => this.#larger(bytes));
      let bytes = 0;
      for (const call of calls) bytes += call.bytes;
      const deadline = this.#options.deadlineMs + (bytes / 2 ** 20) * this.#options.deadlineMsPerMib;
      this.#timer = setTimeout(() => {
        late = true;
        this.#replace();
      }, deadline);
      const reply = await this.#pool.run(batch.message);
      this.batches++;
      this.calls += calls.length;
      this.busyMs += reply.micros / 1000;
      batch.settle(reply);
      return undefined;
    } catch (cause) {
      this.failures++;
      // What cannot be cloned never reached the worker.
      if (cause instanceof Error && cause.name === 'DataCloneError') return { reason: 'payload', cause };
      if (!late) this.#replace();
      return { reason: late ? 'deadline' : 'worker', cause };
    } finally {
      clearTimeout(this.#timer);
      this.busy = false;
    }
  }

  /** The second arena: kept between batches up to KEPT_BYTES, since fresh pages cost more than the copy into them. */
  #larger(bytes: number): SharedArrayBuffer {
    if (this.#second.byteLength >= bytes) return this.#second;
    const buffer = new SharedArrayBuffer(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES);
    if (buffer.byteLength <= KEPT_BYTES) this.#second = buffer;
    return buffer;
  }

  #replace(): void {
    if (this.#ended) return;
    this.#second = new SharedArrayBuffer(0);
    const old = this.#pool;
    this.restarts++;
    this.#arena = new SharedArrayBuffer(this.#options.arenaBytes);
    this.#pool = this.#start();
    const threads = old.threads.map((t) => t.threadId);
    const gone = old.destroy().then(() => freeThreads(threads));
    this.#dying = Promise.allSettled([this.#dying, gone]);
  }

  /** Ends the thread; a running batch fails. */
  async destroy(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await Promise.allSettled([this.#dying, this.#pool.destroy()]);
  }
}
