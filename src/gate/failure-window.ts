// Counts failures in the last second, in constant memory. Knows no request and no clock.

const WINDOW_MS = 1000;

export class FailureWindow {
  readonly #times: Float64Array;
  #next = 0;

  constructor(allowed: number) {
    this.#times = new Float64Array(allowed).fill(Number.NEGATIVE_INFINITY);
  }

  /** Notes a failure at `now` (monotonic ms); true when more than the allowed number fell in the last second. */
  add(now: number): boolean {
    const oldest = this.#times[this.#next]!;
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % this.#times.length;
    return now - oldest < WINDOW_MS;
  }
}
