// The canonical form of a text that is known to be JSON: its own bytes in another order. No value is made of it, and next to
// nothing is allocated beside the form itself, since it is asked for of every message, and of many again after an edit.
import { canonicalValue, MANY_MEMBERS } from './canonical.js';
import { hasLone } from './lone.js';
import { quoteEnd, valueEnd } from './slice.js';
import { MAX_DEPTH, skipSpace } from './tree.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const OBJECT = 0x7b;

/** Spans that are kept for the next text. */
const SPANS_KEPT = 4_096;

/**
 * As `canonicalize`, of a text that must be valid JSON: of anything else the answer is meaningless, or a throw. Throws BAD_FRAME
 * where it is nested deeper than 1,000 levels. Linear in its length.
 */
export function canonicalText(text: string): string {
  // Lone surrogates are escaped in the canonical form, wherever they stand.
  const root = hasLone(text) ? undefined : new Outline(text).read();
  return root === undefined ? canonicalValue(JSON.parse(text)) : new Writer(text, isPlain(text)).write(root);
}

/** Where a value stands, with its key if it is a member. */
class Span {
  key = 0;
  keyEnd = 0;
  start = 0;
  end = 0;
  /** Items in their order, or members in the canonical one. */
  first: Span | undefined;
  next: Span | undefined;
}

/** Only one text is read at a time. */
const spans: Span[] = [];

/** Finds what stands where. */
class Outline {
  readonly #text: string;
  #used = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined for the few texts that are not sorted by their bytes: with escapes in keys, many members, or too deep. */
  read(): Span | undefined {
    const root = this.#span();
    return this.#value(root, skipSpace(this.#text, 0), 0) ? root : undefined;
  }

  #span(): Span {
    const i = this.#used++;
    const span = spans[i] ?? new Span();
    if (i < SPANS_KEPT) spans[i] = span;
    span.first = undefined;
    span.next = undefined;
    return span;
  }

  #value(span: Span, start: number, depth: number): boolean {
    const c = this.#text.charCodeAt(start);
    span.start = start;
    if (c === OBJECT || c === LIST) {
      if (depth >= MAX_DEPTH) return false;
      return c === OBJECT ? this.#members(span, depth) : this.#items(span, depth);
    }
    span.end = c === QUOTE ? quoteEnd(this.#text, start) : valueEnd(this.#text, start);
    return true;
  }

  #items(list: Span, depth: number): boolean {
    const text = this.#text;
    let last: Span | undefined;
    let i = skipSpace(text, list.start + 1);
    while (text.charCodeAt(i) !== LIST + 2) {
      const item = this.#span();
      if (!this.#value(item, i, depth + 1)) return false;
      if (last === undefined) list.first = item;
      else last.next = item;
      last = item;
      i = skipSpace(text, item.end);
      if (text.charCodeAt(i) === COMMA) i = skipSpace(text, i + 1);
    }
    list.end = i + 1;
    return true;
  }

  #members(object: Span, depth: number): boolean {
    const text = this.#text;
    let count = 0;
    let i = skipSpace(text, object.start + 1);
    while (text.charCodeAt(i) === QUOTE) {
      const member = this.#span();
      member.key = i;
      for (i += 1; text.charCodeAt(i) !== QUOTE; i += 1) if (text.charCodeAt(i) === BACKSLASH) return false;
      member.keyEnd = i + 1;
      i = skipSpace(text, skipSpace(text, i + 1) + 1);
      count += 1;
      if (count >= MANY_MEMBERS || !this.#value(member, i, depth + 1)) return false;
      this.#sortIn(object, member);
      i = skipSpace(text, member.end);
      if (text.charCodeAt(i) === COMMA) i = skipSpace(text, i + 1);
    }
    object.end = i + 1;
    return true;
  }

  /** Of members of one key the last one counts. */
  #sortIn(object: Span, member: Span): void {
    let before: Span | undefined;
    let at = object.first;
    let order = -1;
    while (at !== undefined) {
      order = this.#compare(at, member);
      if (order >= 0) break;
      before = at;
      at = at.next;
    }
    member.next = order === 0 ? at?.next : at;
    if (before === undefined) object.first = member;
    else before.next = member;
  }

  /** Keys by UTF-16 code units. */
  #compare(a: Span, b: Span): number {
    const text = this.#text;
    const length = Math.min(a.keyEnd - a.key, b.keyEnd - b.key) - 1;
    for (let i = 1; i < length; i += 1) {
      const d = text.charCodeAt(a.key + i) - text.charCodeAt(b.key + i);
      if (d !== 0) return d;
    }
    return a.keyEnd - a.key - (b.keyEnd - b.key);
  }
}

/** Writes spans one behind the other; what stands together in the text is taken in one slice. */
class Writer {
  readonly #text: string;
  /** All strings are spelled as the canonical form spells them. */
  readonly #isPlain: boolean;
  #out = '';
  #from = 0;
  #to = 0;

  constructor(text: string, plain: boolean) {
    this.#text = text;
    this.#isPlain = plain;
  }

  write(root: Span): string {
    this.#value(root);
    this.#flush();
    return this.#out;
  }

  #value(span: Span): void {
    const c = this.#text.charCodeAt(span.start);
    if (c === OBJECT || c === LIST) this.#children(span, c === OBJECT);
    else if (this.#isAsItStands(span.start, span.end, c)) this.#take(span.start, span.end);
    else {
      this.#flush();
      this.#out += canonicalValue(JSON.parse(this.#text.slice(span.start, span.end)));
    }
  }

  #children(span: Span, named: boolean): void {
    this.#take(span.start, span.start + 1);
    for (let child = span.first; child !== undefined; child = child.next) {
      if (child !== span.first) this.#sign(COMMA, ',');
      if (named) {
        this.#take(child.key, child.keyEnd);
        this.#sign(COLON, ':');
      }
      this.#value(child);
    }
    this.#take(span.end - 1, span.end);
  }

  #isAsItStands(start: number, end: number, c: number): boolean {
    if (c === QUOTE) return this.#isPlain || isPlain(this.#text.slice(start, end));
    return this.#isWord(start, end, c);
  }

  /** true, false, null, and numbers of few digits: a double holds them as they stand. */
  #isWord(start: number, end: number, c: number): boolean {
    if (c > 0x39) return true;
    return /^(?:0|-?[1-9][0-9]{0,14})$/.test(this.#text.slice(start, end));
  }

  #sign(code: number, sign: string): void {
    if (this.#text.charCodeAt(this.#to) === code) this.#to += 1;
    else {
      this.#flush();
      this.#out += sign;
    }
  }

  #take(from: number, to: number): void {
    if (from !== this.#to) {
      this.#flush();
      this.#from = from;
    }
    this.#to = to;
  }

  #flush(): void {
    if (this.#to > this.#from) this.#out += this.#text.slice(this.#from, this.#to);
    this.#from = this.#to;
  }
}

/** Is no string in the text spelled in a way that the canonical form may not use? Lone surrogates aside. */
function isPlain(text: string): boolean {
  return !(text.includes('\\') && /\\[u/]/.test(text));
}
