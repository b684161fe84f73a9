// Work that no call waits for: one task at a time, on a thread of its own that gives way to all others. However many ask for it
// at once, it takes one core at most, and only while nothing else wants that. The thread is there while there is work.
import type { Call } from './call.js';
import { Shard, type ShardFailure, type ShardOptions } from './shard.js';

/** Added to the thread's niceness: it gets a tenth of a core that another thread wants too. */
const NICE = 10;
/** A thread that gives way may take long for what is soon done. */
const PATIENCE = 10;
/** The thread costs 10 MB and 50 ms of CPU at its start: it is kept for as long as the next task may well come. */
const KEEP_MS = 60_000;

export class BackgroundLane {
  readonly #options: ShardOptions;
  readonly #failed: (calls: readonly Call[], failure: ShardFailure) => Call[];
  readonly #settled: () => void;
  #waiting: Call[] = [];
  #shard: Shard | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param failed settles calls whose worker failed, and gives back those that are to run again
   * @param settled called whenever a task has ended
   */
  constructor(
    options: ShardOptions,
    failed: (calls: readonly Call[], failure: ShardFailure) => Call[],
    settled: () => void,
  ) {
    const { deadlineMs } = options;
    this.#options = { ...options, nice: NICE, deadlineMs: deadlineMs * PATIENCE };
    this.#failed = failed;
    this.#settled = settled;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get busy(): boolean {
    return this.#shard?.busy === true;
  }

  /** The thread, while there is one. */
  get shard(): Shard | undefined {
    return this.#shard;
  }

  push(call: Call): void {
    this.#waiting.push(call);
  }

  /** Takes a task out again. @returns false where it no longer waits */
  take(call: Call): boolean {
    const at = this.#waiting.indexOf(call);
    if (at >= 0) this.#waiting.splice(at, 1);
    return at >= 0;
  }

  pump(): void {
    if (this.busy || this.#waiting.length === 0) return;
    clearTimeout(this.#timer);
    this.#shard ??= new Shard(this.#options);
    void this.#run(this.#shard, this.#waiting.shift()!);
  }

  async #run(shard: Shard, call: Call): Promise<void> {
    const failure = await shard.run([call]);
    if (failure !== undefined) this.#waiting.unshift(...this.#failed([call], failure));
    this.pump();
    if (!this.busy && this.#shard === shard) this.#endLater(shard);
    this.#settled();
  }

  #endLater(shard: Shard): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (shard.busy) return;
      this.#shard = undefined;
      void shard.destroy();
    }, KEEP_MS);
    this.#timer.unref();
  }

  /** Empties the queue. */
  drain(): Call[] {
    return this.#waiting.splice(0);
  }

  async destroy(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#shard?.destroy();
  }
}
