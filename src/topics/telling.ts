// The words of a text that tell what it is about, held for comparing texts word by word: two texts may share no word and a
// mean of vectors blurs what one word says. Pure.

import { wordLikeness, wordRow } from './meaning.js';
import type { Words } from './scan.js';

/** Words from this weight on tell something; from RARE on they are names and identifiers more often than not. */
const TELLS = 0.3;
const RARE = 0.95;
/** Words of a text that may stand in a list. */
const MOST = 64;
/** The first words of a text, and its last ones, and how many of them are compared. */
const HEAD = 16;
const TAIL = 40;
const HEAD_MOST = 12;
const TAIL_MOST = 16;

/** Distinct words, at most `capacity`: stem, weight, row in the table of meanings (-1 none). */
export class WordList {
  n = 0;
  readonly stem: Int32Array;
  readonly row: Int32Array;
  readonly weight: Float32Array;

  constructor(readonly capacity: number) {
    this.stem = new Int32Array(capacity);
    this.row = new Int32Array(capacity);
    this.weight = new Float32Array(capacity);
  }

  has(stem: number): boolean {
    for (let i = 0; i < this.n; i += 1) if (this.stem[i] === stem) return true;
    return false;
  }

  /** A word that is not in it yet; what has no room is left out. */
  push(stem: number, row: number, weight: number): void {
    if (this.n >= this.capacity) return;
    this.stem[this.n] = stem;
    this.row[this.n] = row;
    this.weight[this.n] = weight;
    this.n += 1;
  }

  /** Those of `from` that are not in it yet, as far as there is room. */
  join(from: WordList): void {
    for (let i = 0; i < from.n && this.n < this.capacity; i += 1)
      if (!this.has(from.stem[i]!)) this.push(from.stem[i]!, from.row[i]!, from.weight[i]!);
  }

  copy(from: WordList): void {
    this.n = Math.min(from.n, this.capacity);
    this.stem.set(from.stem.subarray(0, this.n));
    this.row.set(from.row.subarray(0, this.n));
    this.weight.set(from.weight.subarray(0, this.n));
  }
}

export class Telling {
  /** In their order; `headed` of them are among the text's first words. */
  readonly first = new WordList(MOST);
  headed = 0;
  /** Those that tell most, first. */
  readonly top = new WordList(MOST);
  readonly head = new WordList(HEAD_MOST);
  readonly tail = new WordList(TAIL_MOST);
  /** Stems of rare words, numbers aside. */
  readonly rare = new Set<number>();
  /** Stems of what has a name in code: files, flags, identifiers. */
  readonly named = new Set<number>();
  readonly #at: number[] = [];
  readonly #seen = new Set<number>();

  /** @param text of the words */
  read(words: Words, text: string): this {
    const { first, top, head, tail, rare, named } = this;
    const at = this.#at;
    const seen = this.#seen;
    for (const list of [first, top, head, tail]) list.n = 0;
    this.headed = 0;
    rare.clear();
    named.clear();
    seen.clear();
    at.length = 0;
    const { stem, weight, start, end, n } = words;
    for (let i = 0; i < n; i += 1) {
      if (isNamed(text, start[i]!, end[i]!)) named.add(stem[i]!);
      if (weight[i]! < TELLS) continue;
      const c = text.charCodeAt(start[i]!);
      if (weight[i]! >= RARE && !(c >= 48 && c <= 57)) rare.add(stem[i]!);
      if (seen.has(stem[i]!)) continue;
      seen.add(stem[i]!);
      at.push(i);
    }
    const put = (list: WordList, i: number) => {
      if (list.n < list.capacity) list.push(stem[i]!, wordRow(words.spelling[i]!, stem[i]!), weight[i]!);
    };
    for (const i of at) {
      put(first, i);
      if (i < HEAD) {
        put(head, i);
        this.headed += 1;
      }
      if (i >= n - TAIL) put(tail, i);
    }
    at.sort((a, b) => weight[b]! - weight[a]! || a - b);
    for (let k = 0; k < at.length && k < MOST; k += 1) put(top, at[k]!);
    return this;
  }
}

/** Ends of file names, as letters go: `.go`, `.json`. */
const EXTENSION_MOST = 5;

/** `snake_case`, `camelCase`, `--flag` or `file.ext`. */
function isNamed(text: string, from: number, to: number): boolean {
  let lower = false;
  for (let i = from; i < to; i += 1) {
    const c = text.charCodeAt(i);
    if (c === 95) return to - from > 2;
    if (c >= 65 && c <= 90 && lower) return true;
    lower = c >= 97 && c <= 122;
  }
  if (text.charCodeAt(from - 1) === 45 && text.charCodeAt(from - 2) === 45) return true;
  if (text.charCodeAt(to) !== 46) return false;
  let letters = 0;
  while (letters <= EXTENSION_MOST && isLower(text.charCodeAt(to + 1 + letters))) letters += 1;
  return letters > 0 && letters <= EXTENSION_MOST && !(letters === 1 && text.charCodeAt(to + 2) === 46);
}

const isLower = (c: number): boolean => c >= 97 && c <= 122;

/** What words found of themselves in others: mean likeness by weight, that of the first `headed`, the best, how many are near. */
export interface Found {
  mean: number;
  headed: number;
  best: number;
  near: number;
}

/** Of a text without a telling word: about what others find. */
const UNKNOWN = 0.3;
/** Words so like each other speak of the same matter. */
const NEAR = 0.6;
/** First words of a text that count as its head. */
const HEADED_MOST = 10;

/**
 * The likeness of each word to the one that is nearest to it: 1 for the same stem, else by the table of meanings.
 * @param most words of `said` that are looked up
 * @param within words of `among` that they are looked up in
 */
export function findWords(said: WordList, most: number, among: WordList, within: number, headed = 0): Found {
  const n = Math.min(said.n, most);
  const m = Math.min(among.n, within);
  const head = Math.min(headed, HEADED_MOST, n);
  const found: Found = { mean: UNKNOWN, headed: UNKNOWN, best: 0, near: 0 };
  let sum = 0;
  let all = 0;
  for (let i = 0; i < n; i += 1) {
    const like = nearest(said.stem[i]!, said.row[i]!, among, m);
    const weight = said.weight[i]!;
    sum += weight * like;
    all += weight;
    if (weight * like > found.best) found.best = weight * like;
    if (like > NEAR) found.near += 1;
    if (i + 1 === head) found.headed = sum / all;
  }
  if (all > 0) found.mean = sum / all;
  return found;
}

function nearest(stem: number, row: number, among: WordList, m: number): number {
  for (let j = 0; j < m; j += 1) if (among.stem[j] === stem) return 1;
  let best = 0;
  if (row < 0) return best;
  for (let j = 0; j < m; j += 1) {
    const other = among.row[j]!;
    if (other < 0) continue;
    const like = wordLikeness(row, other);
    if (like > best) best = like;
  }
  return best;
}
