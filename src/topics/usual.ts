// What is usual in this conversation: how near an input or a reply comes to its topic when nothing changes. A long coding
// prompt and a line of chat differ more from each other than a shift from a follow-up does. Pure; in place.

/** Exchanges that the general averages count for. */
const PRIOR = 3;

export class Usual {
  readonly #general: readonly number[];
  readonly #sum: Float64Array;
  #n = 0;

  /** @param general averages over conversations at large */
  constructor(general: readonly number[]) {
    this.#general = general;
    this.#sum = new Float64Array(general.length);
  }

  at(i: number): number {
    return (this.#sum[i]! + PRIOR * this.#general[i]!) / (this.#n + PRIOR);
  }

  add(values: ArrayLike<number>): void {
    for (let i = 0; i < this.#sum.length; i += 1) this.#sum[i]! += values[i]!;
    this.#n += 1;
  }
}
