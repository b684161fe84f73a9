// What the newest main answer of a session looked like, as far as the request has changed since: the base of a patch that
// tells only the difference. Costs what changed; the rest stands in the rendering still.

export interface AnsweredPiece {
  /** Stored position, or -1 for a message of ours. */
  readonly at: number;
  /** As it went out, our cache marks included. */
  readonly text: string;
}

export class LastAnswer {
  /** As the answer told it. */
  readonly hash: string;
  readonly system: string | undefined;
  readonly tools: string | undefined;
  #intact: number;
  /** Pieces from `intact` on, the last one first. */
  readonly #replaced: AnsweredPiece[] = [];

  /** @param pieces messages of the answer */
  constructor(hash: string, pieces: number, system: string | undefined, tools: string | undefined) {
    this.hash = hash;
    this.#intact = pieces;
    this.system = system;
    this.tools = tools;
  }

  /** Leading messages that are still what they were. */
  get intact(): number {
    return this.#intact;
  }

  /** The answer's messages from `intact` on. */
  replaced(): AnsweredPiece[] {
    return this.#replaced.toReversed();
  }

  /** Messages from `index` on are about to change. @param pieceOf a message as it still stands */
  cut(index: number, pieceOf: (index: number) => AnsweredPiece): void {
    while (this.#intact > index) {
      this.#intact -= 1;
      this.#replaced.push(pieceOf(this.#intact));
    }
  }
}
