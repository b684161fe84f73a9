// The one thread that owns all graph indexes. What is said to it and what it answers; started when the first index grows
// large enough to need it.

import { Worker } from 'node:worker_threads';
import type { Neighbour } from './rows.js';

export type OwnerRequest =
  | { id: number; do: 'add'; index: number; dims: number; labels: Int32Array; rows: Float32Array }
  | { id: number; do: 'nearest'; index: number; vector: Float32Array; k: number }
  | { id: number; do: 'drop'; index: number };

export type OwnerAnswer = { id: number; neighbours?: Neighbour[]; error?: string };

type Asked = OwnerRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;

interface Waiting {
  resolve(neighbours: Neighbour[]): void;
  reject(e: Error): void;
}

export class Owner {
  #worker: Worker | undefined;
  #id = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** Rejects when the thread refuses or ends; a new one is started by the next call, empty. */
  ask(asked: Asked): Promise<Neighbour[]> {
    const worker = this.#running();
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...asked, id } satisfies OwnerRequest);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('../../../workers/neighbours.js', import.meta.url));
    worker.on('message', (answer: OwnerAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (this.#waiting.size === 0) worker.unref();
      if (answer.error === undefined) waiting?.resolve(answer.neighbours ?? []);
      else waiting?.reject(new Error(answer.error));
    });
    const end = (e: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      const lost = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const w of lost) w.reject(e);
    };
    worker.on('error', end);
    worker.on('exit', () => end(new Error('the index thread ended')));
    // An index is derived: only an answer that is awaited keeps the process alive. (A listener refs the port: after them.)
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}

let shared: Owner | undefined;

/** The owner of this process. */
export function sharedOwner(): Owner {
  shared ??= new Owner();
  return shared;
}
