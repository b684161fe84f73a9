// A strict JSON parser that keeps where everything stands, so that one value can be changed and no other byte.
// Linear and iterative: the depth of the input is a number, never our stack.
import { fail } from '../errors.js';

/** `start` and `end` are UTF-16 indexes into the text, `end` exclusive. */
export interface JsonNode {
  type: 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';
  start: number;
  end: number;
  /** Of an object: every member in the order of the text, duplicates included; `keyStart` is the key's quote. */
  entries?: { key: string; keyStart: number; value: JsonNode }[];
  /** Of an array. */
  items?: JsonNode[];
}

/** Default bound on nesting. Real requests stay below 40. */
export const MAX_DEPTH = 1_000;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/** Index of the first character at or after `i` that is no JSON white space. */
export function skipSpace(text: string, i: number): number {
  let at = i;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return at;
    at++;
  }
}

function bad(what: string, at: number): never {
  return fail('BAD_FRAME', `not JSON: ${what} at index ${at}`, { detail: { at } });
}

/** End (exclusive) of the string whose opening quote is at `start`, checked strictly. */
function stringEnd(text: string, start: number): number {
  let i = start + 1;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c === 0x22) return i + 1;
    if (c === 0x5c) {
      const e = text[i + 1];
      if (e === 'u') {
        if (!/^[0-9a-fA-F]{4}$/.test(text.slice(i + 2, i + 6))) bad('bad \\u escape', i);
        i += 6;
      } else {
        if (e === undefined || !'"\\/bfnrt'.includes(e)) bad('bad escape', i);
        i += 2;
      }
    } else if (c >= 0x20) i++;
    else bad(Number.isNaN(c) ? 'end of text in a string' : 'control character in a string', i);
  }
}

function scalar(text: string, i: number): JsonNode {
  const c = text[i];
  if (c === '"') return { type: 'string', start: i, end: stringEnd(text, i) };
  for (const word of ['true', 'false', 'null'] as const)
    if (text.startsWith(word, i)) return { type: word, start: i, end: i + word.length };
  NUMBER.lastIndex = i;
  const m = NUMBER.exec(text);
  if (m === null) bad(c === undefined ? 'end of text' : `unexpected ${JSON.stringify(c)}`, i);
  return { type: 'number', start: i, end: i + m[0].length };
}

/** The string value of the string literal in `[start, end)`. */
export function stringAt(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

/**
 * Parses exactly one JSON value (RFC 8259, nothing more lenient). Throws BAD_FRAME with `detail.at`, the UTF-16
 * index of the fault, also for nesting deeper than `maxDepth`.
 */
export function parseTree(text: string, o: { maxDepth?: number } = {}): JsonNode {
  const maxDepth = o.maxDepth ?? MAX_DEPTH;
  const stack: JsonNode[] = [];
  let i = skipSpace(text, 0);
  for (;;) {
    // A value is due at i.
    let node: JsonNode | undefined;
    const c = text.charCodeAt(i);
    if (c === 0x7b || c === 0x5b) {
      if (stack.length >= maxDepth) bad(`nesting deeper than ${maxDepth}`, i);
      const open: JsonNode =
        c === 0x7b
          ? { type: 'object', start: i, end: -1, entries: [] }
          : { type: 'array', start: i, end: -1, items: [] };
      attach(stack, open);
      i = skipSpace(text, i + 1);
      if (text.charCodeAt(i) === c + 2) {
        open.end = ++i;
        node = open;
      } else {
        stack.push(open);
        if (c === 0x7b) i = key(text, open, i);
        continue;
      }
    } else {
      node = scalar(text, i);
      attach(stack, node);
      i = node.end;
    }
    // A value has ended: close what ends with it.
    for (;;) {
      const top = stack.at(-1);
      i = skipSpace(text, i);
      if (top === undefined) {
        if (i !== text.length) bad('more text behind the value', i);
        return node;
      }
      const d = text.charCodeAt(i);
      if (d === 0x2c) {
        i = skipSpace(text, i + 1);
        if (top.type === 'object') i = key(text, top, i);
        break;
      }
      if (d !== (top.type === 'object' ? 0x7d : 0x5d)) bad('comma or closing bracket expected', i);
      top.end = ++i;
      node = top;
      stack.pop();
    }
  }
}

const UNSET: JsonNode = { type: 'null', start: -1, end: -1 };

function attach(stack: JsonNode[], node: JsonNode): void {
  const top = stack.at(-1);
  if (top === undefined) return;
  if (top.items !== undefined) top.items.push(node);
  else top.entries!.at(-1)!.value = node;
}

/** Reads `"key":` at `i`, opens the entry and gives the index of its value. */
function key(text: string, object: JsonNode, i: number): number {
  if (text.charCodeAt(i) !== 0x22) bad('key expected', i);
  const end = stringEnd(text, i);
  object.entries!.push({ key: stringAt(text, i, end), keyStart: i, value: UNSET });
  const colon = skipSpace(text, end);
  if (text.charCodeAt(colon) !== 0x3a) bad('colon expected', colon);
  return skipSpace(text, colon + 1);
}
