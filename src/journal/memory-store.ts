// A store that lives in this process: the queue in front of an engine on the same thread.
import type { Engine } from './engine.js';
import { MemoryEngine } from './memory-engine.js';
import { QueuedStore, type QueueLimits } from './queued-store.js';
import { type Batch, Runner } from './runner.js';

/** Any engine behind the queue without a thread; what the simulated disk and the tests use. */
export class LocalStore extends QueuedStore {
  readonly engine: Engine;

  constructor(engine: Engine, limits?: Partial<QueueLimits>) {
    super(limits);
    this.engine = engine;
    const runner = new Runner(engine, (reply) => this.onReply(reply));
    this.connect(
      {
        post: (batch: Batch) => runner.take([batch]),
        end: async () => runner.stop(),
      },
      engine.notices,
    );
  }
}

/** Keeps journals in memory alone; nothing survives the process. */
export class MemoryStore extends LocalStore {
  constructor(limits?: Partial<QueueLimits>) {
    super(new MemoryEngine(), limits);
  }
}
