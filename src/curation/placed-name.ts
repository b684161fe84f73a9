// A name in a long text that is cut at head and tail: does it stand in what is left out alone? Pure.

/** A name and where it stands in a text: each try asks again, for other cuts. */
export class PlacedName {
  readonly name: string;
  readonly #text: string;
  readonly #first: number;

  /** @param name holds no line end, and the text holds it */
  constructor(text: string, name: string) {
    this.#text = text;
    this.name = name;
    this.#first = text.indexOf(name);
  }

  /** Does it stand between two cuts, and neither whole before them nor behind them? */
  onlyBetween(head: number, tail: number): boolean {
    const { length } = this.name;
    if (this.#first + length <= head || this.#first >= tail) return false;
    // The tail is short: looking back for the last one would go through all that is left out.
    if (this.#text.indexOf(this.name, tail) >= 0) return false;
    const at = this.#first >= head ? this.#first : this.#text.indexOf(this.name, head);
    return at >= 0 && at + length <= tail;
  }
}
