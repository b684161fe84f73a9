// Time as a thing that is handed in. Foundation: imports nothing of ours.

export interface Clock {
  /** Wall time in epoch milliseconds; may jump. For stamps that people read. */
  now(): number;
  /** Monotonic milliseconds; never jumps. For deadlines and ages within one process. */
  mono(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
};

/** A clock that stands still until it is moved; for tests and replays. */
export class ManualClock implements Clock {
  #now: number;
  #mono = 0;

  constructor(start = 1_700_000_000_000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  mono(): number {
    return this.#mono;
  }

  /** Moves both clocks forward by `ms`. */
  advance(ms: number): void {
    this.#now += ms;
    this.#mono += ms;
  }

  /** Sets the wall clock alone, as an operator or NTP would. */
  jump(to: number): void {
    this.#now = to;
  }
}
