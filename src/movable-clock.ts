// A clock that a test moves forward; there only in a daemon started for tests.

import type { Clock } from './clock.js';

/** Wall time that a test may move; everything else is the system's clock. */
export class MovableClock implements Clock {
  #offset = 0;
  readonly #base: Clock;

  constructor(base: Clock) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.#offset;
  }

  mono(): number {
    return this.#base.mono();
  }

  advance(ms: number): number {
    this.#offset += ms;
    return this.now();
  }
}
