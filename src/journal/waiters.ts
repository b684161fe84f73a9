// Those who wait until a batch is written or synced, settled in bulk by what is known of it.
import type { CuratedError } from '../errors.js';
import type { Failures } from './failures.js';
import type { FlushLevel } from './store.js';

interface Waiter {
  readonly no: number;
  readonly level: FlushLevel;
  /** Of one session; undefined: of all. */
  readonly key: string | undefined;
  /** As `Failures.birth` had it. */
  readonly born: number;
  readonly resolve: () => void;
  readonly reject: (e: Error) => void;
}

export class Waiters {
  readonly #failures: Failures;
  #all: Waiter[] = [];

  constructor(failures: Failures) {
    this.#failures = failures;
  }

  /** Resolves once batch `no` is as safe as `level` says; rejects with what was lost up to it. */
  wait(no: number, level: FlushLevel, key: string | undefined): Promise<void> {
    const born = this.#failures.birth(key);
    return new Promise((resolve, reject) => this.#all.push({ no, level, key, born, resolve, reject }));
  }

  isWaitedFor(no: number): boolean {
    return this.#all.some((w) => w.no === no);
  }

  /** Sessions of which somebody waits for the disk in batch `no`; undefined: of all. */
  syncing(no: number): Set<string | undefined> {
    const keys = new Set<string | undefined>();
    for (const w of this.#all) if (w.level === 'sync' && w.no === no) keys.add(w.key);
    return keys;
  }

  /** Those who wait for no more than that a session's events survive the process, where they do. */
  settleSafe(isSafe: (key: string) => boolean): void {
    if (this.#all.length === 0) return;
    this.#all = this.#all.filter((w) => {
      if (w.level !== 'ack' || w.key === undefined || !isSafe(w.key)) return true;
      settle(w, this.#failures.of(w.key, w.no, w.born));
      return false;
    });
  }

  /**
   * The engine has all batches up to `done`, those up to `synced` on disk.
   * @param unsynced why a batch that is done is not
   */
  settleDone(done: number, synced: number, unsynced: () => CuratedError): void {
    if (this.#all.length === 0) return;
    const rest: Waiter[] = [];
    // Each failure is told once: all who wait for everything hear of the same.
    let common: CuratedError | undefined;
    for (const w of this.#all) {
      if (w.no > done) {
        rest.push(w);
        continue;
      }
      let error: CuratedError | undefined;
      if (w.key !== undefined) error = this.#failures.of(w.key, w.no, w.born);
      else {
        common ??= this.#failures.any();
        error = common;
      }
      if (error === undefined && w.level === 'sync' && w.no > synced) error = unsynced();
      settle(w, error);
    }
    this.#all = rest;
  }

  /** Nothing comes any more. */
  rejectAll(error: CuratedError): void {
    const waiters = this.#all;
    this.#all = [];
    for (const w of waiters) {
      // Whoever waited has been told with this.
      if (w.key !== undefined) this.#failures.of(w.key, w.no, w.born);
      w.reject(error);
    }
  }
}

function settle(w: Waiter, error: CuratedError | undefined): void {
  if (error === undefined) w.resolve();
  else w.reject(error);
}
