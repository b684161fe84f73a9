// Frames of curated.v1.json: finds where values stand, and leaves what is inside them to JSON.parse. Pure.
import { fail } from '../errors.js';
import { Native } from '../json/native.js';
import { type JsonNode, parseTree } from '../json/tree.js';
import { isPoison, join, type Piece } from './piece.js';

const SPACE = ' \n\r\t';

function bad(what: string, at: number): never {
  return fail('BAD_FRAME', `not JSON: ${what} at index ${at}`, { detail: { at } });
}

function skipSpace(text: string, from: number): number {
  let i = from;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return i;
    i++;
  }
}

/** End of the string that opens at `i`. Jumps from quote to quote: most of a frame is inside long strings. */
function stringEnd(text: string, i: number): number {
  let from = i + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) bad('end of text in a string', text.length);
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** End of the value that starts at `start`; only brackets and strings are looked at. */
function valueEnd(text: string, start: number, maxDepth: number): number {
  let depth = 0;
  let i = start;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      i = stringEnd(text, i);
      if (depth === 0) return i;
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxDepth) bad(`nesting deeper than ${maxDepth}`, i);
      i++;
    } else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return i;
      i++;
      if (--depth === 0) return i;
    } else if (Number.isNaN(c)) {
      if (depth > 0 || i === start) bad('end of text', i);
      return i;
    } else if (depth === 0 && (c === 0x2c || c <= 0x20)) return i;
    else i++;
  }
}

/** A text of its own, so that a kept message does not keep the whole frame it was sliced from. */
function detach(slice: string, frame: string): string {
  return frame.length > 4_096 && slice.length * 2 < frame.length ? Buffer.from(slice).toString() : slice;
}

/** A slice of a frame that is read when somebody asks for its value. */
class Unread extends Native {
  constructor(
    text: string,
    readonly frame: string,
    readonly start: number,
  ) {
    super(text);
  }

  override get value(): unknown {
    try {
      return super.value;
    } catch (cause) {
      return notJson(cause, this.start);
    }
  }

  override kept(): Native {
    return new Native(detach(this.text, this.frame), this.value);
  }
}

/** The end of a piece that is found by reading it. */
const OPEN = -1;

export class JsonPiece implements Piece {
  readonly kind: 'object' | 'array' | 'scalar';
  #end: number;
  #members: Map<string, Piece> | undefined;
  #items: Piece[] | undefined;

  private constructor(
    readonly frame: string,
    readonly start: number,
    end: number,
    readonly maxDepth: number,
    /** 0: the message, 1: params, 2: a param. */
    readonly level: number,
  ) {
    const c = frame.charCodeAt(start);
    this.kind = c === 0x7b ? 'object' : c === 0x5b ? 'array' : 'scalar';
    this.#end = end;
    if (end !== OPEN) return;
    if (this.kind === 'object') this.#members = this.#readMembers();
    else this.#items = this.#readItems();
  }

  /** The one value of a frame. That it ends where the frame ends is found out when it is read. */
  static of(frame: string, maxDepth: number): JsonPiece {
    const start = skipSpace(frame, 0);
    let end = frame.length;
    while (end > start && SPACE.includes(frame[end - 1]!)) end--;
    if (start === end) bad('an empty frame', start);
    return new JsonPiece(frame, start, end, maxDepth, 0);
  }

  get text(): string {
    return this.frame.slice(this.start, this.#end);
  }

  members(each?: (key: string, piece: Piece) => void): Map<string, Piece> {
    if (this.#members === undefined) this.#members = this.#readMembers(each);
    else if (each !== undefined) for (const [key, piece] of this.#members) each(key, piece);
    return this.#members;
  }

  items(): Piece[] {
    this.#items ??= this.#readItems();
    return this.#items;
  }

  #readMembers(each?: (key: string, piece: Piece) => void): Map<string, Piece> {
    const out = new Map<string, Piece>();
    const { frame } = this;
    let i = skipSpace(frame, this.start + 1);
    if (frame.charCodeAt(i) === 0x7d) return this.#closed(out, i);
    for (;;) {
      if (frame.charCodeAt(i) !== 0x22) bad('key expected', i);
      const keyEnd = stringEnd(frame, i);
      const key = keyOf(frame.slice(i, keyEnd), i);
      if (out.has(key))
        fail('BAD_FRAME', `the key ${JSON.stringify(key)} stands twice`, {
          path: join(this.level === 0 ? '' : '/params', key),
          detail: { at: i },
        });
      i = skipSpace(frame, keyEnd);
      if (frame.charCodeAt(i) !== 0x3a) bad('colon expected', i);
      const piece = this.#pieceAt(skipSpace(frame, i + 1));
      each?.(key, piece);
      out.set(key, piece);
      i = skipSpace(frame, piece.#end);
      const c = frame.charCodeAt(i);
      if (c === 0x7d) return this.#closed(out, i);
      if (c !== 0x2c) bad('comma or } expected', i);
      i = skipSpace(frame, i + 1);
    }
  }

  #readItems(): Piece[] {
    const out: Piece[] = [];
    const { frame } = this;
    let i = skipSpace(frame, this.start + 1);
    if (frame.charCodeAt(i) === 0x5d) return this.#closed(out, i);
    for (;;) {
      const piece = this.#pieceAt(i);
      out.push(piece);
      i = skipSpace(frame, piece.#end);
      const c = frame.charCodeAt(i);
      if (c === 0x5d) return this.#closed(out, i);
      if (c !== 0x2c) bad('comma or ] expected', i);
      i = skipSpace(frame, i + 1);
    }
  }

  plain(path: string): unknown {
    if (this.kind !== 'scalar') {
      const { text } = this;
      checkTree(text, parseTree(text, { maxDepth: this.maxDepth }), path, true);
      return JSON.parse(text);
    }
    const value = parse(this.text, this.start);
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
      fail('BAD_TYPE', `${path}: the number is too large`, { path });
    return value;
  }

  lenient(path: string): unknown {
    const { text } = this;
    if (this.kind !== 'scalar') checkTree(text, parseTree(text, { maxDepth: this.maxDepth }), path, false);
    return parse(text, this.start);
  }

  native(): Native {
    const text = detach(this.text, this.frame);
    return new Native(text, parse(text, this.start));
  }

  unread(): Native {
    return new Unread(this.text, this.frame, this.start);
  }

  /**
   * The value at `i`. Params, and lists in them, are read at once, so that a long history is gone through a single time.
   */
  #pieceAt(i: number): JsonPiece {
    const { frame, maxDepth, level } = this;
    const c = frame.charCodeAt(i);
    const atOnce = (level === 0 && c === 0x7b) || (level === 1 && c === 0x5b);
    // The bound is one of the whole frame, which has brought us `level + 1` deep.
    const end = atOnce ? OPEN : valueEnd(frame, i, maxDepth - level - 1);
    if (end === i) bad('value expected', i);
    return new JsonPiece(frame, i, end, maxDepth, level + 1);
  }

  /** `valueEnd` counts brackets without their kinds, so that the end must be compared where it is known. */
  #closed<T>(out: T, i: number): T {
    if (this.#end === OPEN) this.#end = i + 1;
    if (i + 1 !== this.#end) bad('the value ends too early', i);
    return out;
  }
}

/** A key without a sign that needs to be read. */
const PLAIN_KEY = /^"\w+"$/;

function keyOf(text: string, at: number): string {
  return PLAIN_KEY.test(text) ? text.slice(1, -1) : (parse(text, at) as string);
}

function parse(text: string, at: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return notJson(cause, at);
  }
}

function notJson(cause: unknown, at: number): never {
  return fail('BAD_FRAME', `not JSON: ${(cause as Error).message}`, { detail: { at }, cause });
}

function checkTree(text: string, node: JsonNode, path: string, numbers: boolean): void {
  if (node.entries !== undefined) {
    const seen = new Set<string>();
    for (const { key, keyStart, value } of node.entries) {
      const at = join(path, key);
      if (isPoison(key)) fail('UNKNOWN_FIELD', `${at}: no field has this name`, { path: at });
      if (seen.has(key))
        fail('BAD_FRAME', `the key ${JSON.stringify(key)} stands twice`, {
          path: at,
          detail: { at: keyStart },
        });
      seen.add(key);
      checkTree(text, value, at, numbers);
    }
  } else if (node.items !== undefined) {
    for (let i = 0; i < node.items.length; i++) checkTree(text, node.items[i]!, join(path, i), numbers);
  } else if (numbers && node.type === 'number' && !Number.isFinite(Number(text.slice(node.start, node.end))))
    fail('BAD_TYPE', `${path}: the number is too large`, { path });
}
