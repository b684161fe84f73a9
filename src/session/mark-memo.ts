// Whether a long text that seldom changes (system prompt, tools) carries cache marks: looked for once, asked every turn. Pure.

export type Ttl = '5m' | '1h';

const HOUR = /"ttl"\s*:\s*"1h"/;

/** Lifetime of the cache marks in a JSON text that has some. */
export function ttlOf(text: string): Ttl {
  return HOUR.test(text) ? '1h' : '5m';
}

export class MarkMemo {
  #text: string | undefined;
  #ttl: Ttl | undefined;

  /** Lifetime of the cache marks in a JSON text; undefined where it has none. Kept for the text that was asked about last. */
  ttlIn(text: string): Ttl | undefined {
    if (text !== this.#text) {
      this.#text = text;
      this.#ttl = text.includes('"cache_control"') ? ttlOf(text) : undefined;
    }
    return this.#ttl;
  }
}
