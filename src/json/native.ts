// A provider's own value (message, system prompt, tool list): exact JSON text, parsed once. Foundation.
import { RawJson } from './raw.js';

const UNSET = Symbol('not parsed yet');

/**
 * A JSON value of someone else's making, kept as its exact text; `writeJson` emits that text. `value` is
 * `JSON.parse(text)`, made on first use or handed in; it is shared, so nobody may change it.
 */
export class Native extends RawJson {
  #value: unknown;
  /** How many places of it were redacted on the way in; unset: none. */
  redactions?: number;

  /** `text` must be valid JSON; `value`, if given, must be what it parses to. */
  constructor(text: string, value: unknown = UNSET) {
    super(text);
    this.#value = value;
  }

  get value(): unknown {
    if (this.#value === UNSET) this.#value = JSON.parse(this.text);
    return this.#value;
  }

  /** The same for keeping: its text keeps nothing else alive. */
  kept(): Native {
    return this;
  }
}
