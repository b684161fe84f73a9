// What a starting daemon has opened so far, so that a start that fails midway leaves nothing open: a thread or a file that
// stays would keep the process alive behind its own error. Knows no room.

type Close = () => unknown;

export class Opened {
  readonly #closers: Close[] = [];

  /** Remembers how to close what was just opened, and gives it back. */
  add<T>(thing: T, close: (thing: T) => unknown): T {
    this.#closers.push(() => close(thing));
    return thing;
  }

  /** Closes all, the newest first, each once. @throws the first failure, after all have been tried. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (e) {
        failures.push(e);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
