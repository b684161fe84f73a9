// Calls of the engine that wait for their answer.
import type { CallName } from './engine.js';
import { unpackError } from './packed.js';
import type { Call, Reply } from './runner.js';

interface Pending {
  readonly resolve: (v: unknown) => void;
  readonly reject: (e: Error) => void;
}

export class Asked {
  readonly #pending = new Map<number, Pending>();
  #id = 0;

  /** @returns the item that asks, and what it is answered with */
  ask(name: CallName, args: readonly unknown[]): { call: Call; answer: Promise<unknown> } {
    const id = ++this.#id;
    const answer = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    return { call: { op: 'call', id, name, args }, answer };
  }

  answered(results: NonNullable<Reply['results']>): void {
    for (const r of results) {
      const pending = this.#pending.get(r.id);
      this.#pending.delete(r.id);
      if (r.error === undefined) pending?.resolve(r.value);
      else pending?.reject(unpackError(r.error));
    }
  }

  rejectAll(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
