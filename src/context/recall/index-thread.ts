// The recall index on a thread of its own, so that neither indexing nor searching holds anybody else up. The thread is started
// by the first call; one that ends is replaced by the next call, which finds what is on disk.

import { Worker } from 'node:worker_threads';
import { CuratedError } from '../../errors.js';
import { type PackedError, unpackError } from '../../journal/packed.js';
import type { RecallIndex } from './index-file.js';

/** Methods that may be called from afar. */
export type IndexCall = Exclude<keyof RecallIndex, 'tidy'>;

/** The index as the feed uses it: here or on its thread. */
export type AnyIndex = {
  [M in IndexCall]: (
    ...args: Parameters<RecallIndex[M]>
  ) => ReturnType<RecallIndex[M]> | Promise<ReturnType<RecallIndex[M]>>;
};

export interface IndexRequest {
  id: number;
  call: IndexCall;
  args: readonly unknown[];
}

export interface IndexAnswer {
  id: number;
  value?: unknown;
  error?: PackedError;
}

interface Waiting {
  resolve(value: never): void;
  reject(e: Error): void;
}

export class IndexThread implements AnyIndex {
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #id = 0;

  /** @param path as of RecallIndex */
  constructor(path: string) {
    this.#path = path;
  }

  positions(...args: Parameters<RecallIndex['positions']>) {
    return this.#call('positions', args);
  }

  position(...args: Parameters<RecallIndex['position']>) {
    return this.#call('position', args);
  }

  add(...args: Parameters<RecallIndex['add']>) {
    return this.#call('add', args);
  }

  erase(...args: Parameters<RecallIndex['erase']>) {
    return this.#call('erase', args);
  }

  search(...args: Parameters<RecallIndex['search']>) {
    return this.#call('search', args);
  }

  requests(...args: Parameters<RecallIndex['requests']>) {
    return this.#call('requests', args);
  }

  places(...args: Parameters<RecallIndex['places']>) {
    return this.#call('places', args);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    await this.#call('close', []);
    await worker.terminate();
  }

  #call<M extends IndexCall>(call: M, args: Parameters<RecallIndex[M]>): Promise<ReturnType<RecallIndex[M]>> {
    const worker = this.#running();
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, call, args } satisfies IndexRequest);
    });
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('../../../workers/recall.js', import.meta.url), {
      workerData: { path: this.#path },
    });
    worker.on('message', ({ id, value, error }: IndexAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
      if (error === undefined) waiting?.resolve(value as never);
      else waiting?.reject(unpackError(error));
    });
    const end = (e: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      const lost = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const w of lost)
        w.reject(new CuratedError('STORAGE', `the recall index: ${e.message}`, { cause: e }));
    };
    worker.on('error', end);
    worker.on('exit', () => end(new Error('its thread ended')));
    // An index is derived: only an answer that is awaited keeps the process alive. (A listener refs the port: after them.)
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}
