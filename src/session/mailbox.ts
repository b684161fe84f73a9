// One command at a time, in the order of arrival; safe against re-entry. Knows nothing of what a command is.

import { fail } from '../errors.js';

export class Mailbox {
  readonly #limit: number;
  #waiting = 0;
  #tail: Promise<unknown> = Promise.resolve();

  /** @param limit commands that may wait; one more is BUSY */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Commands that wait or run. */
  get depth(): number {
    return this.#waiting;
  }

  run<T>(command: () => T | Promise<T>): Promise<T> {
    if (this.#waiting >= this.#limit) {
      return Promise.resolve().then(() =>
        fail('BUSY', `more than ${this.#limit} commands wait for this session`),
      );
    }
    this.#waiting += 1;
    const done = this.#tail.then(command);
    this.#tail = done.then(this.#ended, this.#ended);
    return done;
  }

  readonly #ended = () => {
    this.#waiting -= 1;
  };

  /** Resolves when everything that was enqueued before is done. */
  idle(): Promise<void> {
    return this.#tail.then(() => undefined);
  }
}
