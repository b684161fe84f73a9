// Whether a long text that seldom changes (system prompt, tools) carries cache marks: looked for once, asked every turn. Pure.

export type Ttl = '5m' | '1h';

const HOUR = /"ttl"\s*:\s*"1h"/;

/** Lifetime of the cache marks in a JSON text that has some. */
export function ttlOf(text: string): Ttl {
  return HOUR.test(text) ? '1h' : '5m';
}

/** Looks once at the text that it is asked about again and again. */
export class MarkMemo {
  #text: string | undefined;
  #count = 0;

  /** Cache marks in a JSON text. */
  countIn(text: string): number {
    if (text !== this.#text) {
      this.#text = text;
      this.#count = text.split('"cache_control"').length - 1;
    }
    return this.#count;
  }

  /** Their lifetime; undefined where there is none. */
  ttlIn(text: string): Ttl | undefined {
    return this.countIn(text) === 0 ? undefined : ttlOf(text);
  }
}
