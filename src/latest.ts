// A map of the entries that were written last: for what grows with the names that come by, in a process that runs for months. Pure.

export class Latest<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #most: number;

  /** @param most entries that are kept; the one that was not written for the longest time goes first */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#most) this.#entries.delete(this.#entries.keys().next().value!);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
