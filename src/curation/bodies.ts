// Results by their bodies: which of them has word for word the same as a new one. Nearly all are told apart by their length and
// ends; only where those are equal the bodies themselves are looked at. Pure.

import { sha256 } from '../hash.js';

/** Characters at each end that are looked at first. */
const END = 32;
/** Longer bodies are told apart by their hash: the engine hashes what is far longer by its length alone. */
const KEY_CHARS = 8_192;

export class Bodies {
  /** By length and ends: the newest result with them, or where bodies differ between their ends, the newest with each. */
  readonly #newest = new Map<number, number | Map<string, number>>();

  /**
   * Takes a result in. @returns the newest result before it that has the same body
   * @param bodyOf the body of a result that was taken in before
   */
  take(index: number, body: string, bodyOf: (index: number) => string): number | undefined {
    const ends = endsOf(body);
    const held = this.#newest.get(ends);
    if (typeof held === 'object') {
      const key = keyOf(body);
      const equal = held.get(key);
      held.set(key, index);
      return equal;
    }
    const before = held === undefined ? body : bodyOf(held);
    if (held === undefined || before === body) {
      this.#newest.set(ends, index);
      return held;
    }
    const several = new Map([
      [keyOf(before), held],
      [keyOf(body), index],
    ]);
    this.#newest.set(ends, several);
    return undefined;
  }
}

/** A number from the length and the characters at both ends (FNV-1a). */
function endsOf(body: string): number {
  let hash = body.length | 0;
  const head = Math.min(END, body.length);
  for (let i = 0; i < head; i += 1) hash = Math.imul(hash ^ body.charCodeAt(i), 0x01000193);
  for (let i = Math.max(head, body.length - END); i < body.length; i += 1)
    hash = Math.imul(hash ^ body.charCodeAt(i), 0x01000193);
  return hash;
}

function keyOf(body: string): string {
  return body.length > KEY_CHARS ? sha256(body) : body;
}
