// The embedded default: the queue in front of a SQLite engine that lives in its own worker thread.
import { Worker } from 'node:worker_threads';
import { CuratedError } from '../errors.js';
import { type PackedError, unpackError } from './packed.js';
import { QueuedStore, type QueueLimits } from './queued-store.js';
import { RedoLog } from './redo-log.js';
import type { Batch, Reply } from './runner.js';
import type { SqliteOptions } from './sqlite-engine.js';
import { OPEN_VAULT, SealedVault, type Vault } from './vault.js';

export interface SqliteStoreOptions extends SqliteOptions {
  readonly limits?: Partial<QueueLimits>;
}

type Hello = { ready: true; notices: string[]; root?: Uint8Array; redone: number } | { failed: PackedError };

/** Time before a thread that ended is replaced, and before each further try, in ms. */
const RESPAWN_MS = 250;

export class SqliteStore extends QueuedStore {
  readonly path: string;
  /** What the values in the file are sealed with; other files of the same daemon are sealed with it too. */
  readonly vault: Vault;
  protected thread: Worker;
  readonly #options: SqliteOptions;
  #ending = false;
  #respawn: NodeJS.Timeout | undefined;

  private constructor(
    path: string,
    options: SqliteOptions,
    thread: Worker,
    { notices, root, redone }: { notices: readonly string[]; root?: Uint8Array; redone: number },
    limits?: Partial<QueueLimits>,
  ) {
    super(limits);
    this.path = path;
    this.vault = root === undefined ? OPEN_VAULT : new SealedVault(root);
    this.#options = options;
    this.thread = thread;
    this.#attach();
    this.connect(
      {
        post: (batch: Batch) => this.thread.postMessage(batch),
        end: async () => {
          this.#ending = true;
          clearTimeout(this.#respawn);
          await this.thread.terminate();
        },
      },
      notices,
      new RedoLog(path, this.vault, redone),
    );
  }

  /**
   * Opens or creates the file at `path`. Rejects with STORAGE when it is damaged, no journal, or of a newer format, and
   * with CONFIG when `key` is not its key; the message says which and what to do.
   */
  static async open(path: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
    const { limits, ...given } = options;
    const rest = { now: Date.now(), ...given };
    const { thread, hello } = await start(path, rest);
    return new SqliteStore(path, rest, thread, hello, limits);
  }

  #attach(): void {
    const { thread } = this;
    let why = "the journal's thread ended";
    thread.on('message', (reply: Reply) => this.onReply(reply));
    thread.on('error', (e) => {
      why = `the journal's thread failed: ${e.message}`;
    });
    thread.on('exit', () => {
      if (this.#ending) return;
      this.onGone(new CuratedError('STORAGE', why));
      this.#replaceLater();
    });
  }

  /** What the old thread had not committed is lost and was said to be; what it had is in the file. */
  #replaceLater(): void {
    this.#respawn = setTimeout(async () => {
      try {
        const { thread } = await start(this.path, this.#options);
        this.thread = thread;
      } catch {
        if (!this.#ending) this.#replaceLater();
        return;
      }
      if (this.#ending) {
        await this.thread.terminate();
        return;
      }
      this.#attach();
      this.onBack();
    }, RESPAWN_MS);
  }
}

async function start(
  path: string,
  options: SqliteOptions,
): Promise<{ thread: Worker; hello: Extract<Hello, { ready: true }> }> {
  const thread = new Worker(new URL('../../workers/journal.js', import.meta.url), {
    name: 'journal',
    workerData: { path, options },
  });
  const hello = await new Promise<Hello>((resolve, reject) => {
    const ended = () => reject(new CuratedError('STORAGE', "the journal's thread did not start"));
    thread.once('error', reject);
    thread.once('exit', ended);
    thread.once('message', (first: Hello) => {
      thread.off('error', reject);
      thread.off('exit', ended);
      resolve(first);
    });
  });
  if ('failed' in hello) {
    await thread.terminate();
    throw unpackError(hello.failed);
  }
  return { thread, hello };
}
