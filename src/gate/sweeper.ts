// The one timer behind all deadlines of all connections. Runs only while somebody is connected.

export class Sweeper {
  readonly #period: number;
  readonly #tick: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(periodMs: number, tick: () => void) {
    this.#period = periodMs;
    this.#tick = tick;
  }

  start(): void {
    this.#timer ??= setInterval(this.#tick, this.#period);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
