// The embedded default: the queue in front of a SQLite engine that lives in its own worker thread.
import { Worker } from 'node:worker_threads';
import { CuratedError } from '../errors.js';
import { type PackedError, unpackError } from './packed.js';
import { QueuedStore, type QueueLimits } from './queued-store.js';
import type { Batch, Reply } from './runner.js';
import type { SqliteOptions } from './sqlite-engine.js';

export interface SqliteStoreOptions extends SqliteOptions {
  readonly limits?: Partial<QueueLimits>;
}

type Hello = { ready: true; notices: string[] } | { failed: PackedError };

export class SqliteStore extends QueuedStore {
  readonly path: string;

  private constructor(
    path: string,
    worker: Worker,
    notices: readonly string[],
    limits?: Partial<QueueLimits>,
  ) {
    super(limits);
    this.path = path;
    let ending = false;
    worker.on('message', (reply: Reply) => this.onReply(reply));
    worker.on('error', (e) =>
      this.onGone(new CuratedError('STORAGE', `the journal's thread failed: ${e.message}`)),
    );
    worker.on('exit', () => {
      if (!ending) this.onGone(new CuratedError('STORAGE', "the journal's thread ended"));
    });
    this.connect(
      {
        post: (batch: Batch) => worker.postMessage(batch),
        end: async () => {
          ending = true;
          await worker.terminate();
        },
      },
      notices,
    );
  }

  /**
   * Opens or creates the file at `path`. Rejects with STORAGE when it is damaged, no journal, or of a newer format; the message
   * says which and what to do.
   */
  static async open(path: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
    const { limits, ...rest } = options;
    const worker = new Worker(new URL('../../workers/journal.js', import.meta.url), {
      name: 'journal',
      workerData: { path, options: { now: Date.now(), ...rest } },
    });
    const hello = await new Promise<Hello>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    if ('failed' in hello) {
      await worker.terminate();
      throw unpackError(hello.failed);
    }
    worker.removeAllListeners('error');
    return new SqliteStore(path, worker, hello.notices, limits);
  }
}
