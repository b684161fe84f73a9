// Exact texts of parts of a frame that JSON.parse has accepted: no tree, no copies but the slices asked for.
import type { Path } from './path.js';
import { skipSpace, stringAt } from './tree.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;

/**
 * The exact text of each item of the array at `path`, white space around the items left out; undefined if there is
 * no array. `text` must be valid JSON (on anything else the answer is undefined or meaningless, never a throw or an
 * endless loop). Linear in the length of the text.
 */
export function sliceValues(text: string, path: Path): string[] | undefined {
  const at = find(text, path);
  if (at === undefined || text.charCodeAt(at) !== LIST) return undefined;
  const out: string[] = [];
  walkItems(text, at, (start, end) => {
    out.push(text.slice(start, end));
  });
  return out;
}

/** The exact text of the value at `path`, or undefined. Same conditions as `sliceValues`. */
export function sliceValue(text: string, path: Path): string | undefined {
  const at = find(text, path);
  return at === undefined ? undefined : text.slice(at, valueEnd(text, at));
}

/**
 * The text with `json` in place of the value at `path`: what `applyEdits` makes of one `set`, without a tree of the whole.
 * Undefined where the value is not there, or a key of the path stands twice beside itself: those are for `applyEdits`.
 * Same conditions as `sliceValues`.
 */
export function withValue(text: string, path: Path, json: string): string | undefined {
  const at = placeOf(text, path);
  return at === undefined ? undefined : text.slice(0, at) + json + text.slice(valueEnd(text, at));
}

/** Was one scalar put at the place of a value, and nothing else done? What `withValue` gives of it, without making it. */
export function isWithScalar(text: string, path: Path, json: string, made: string): boolean {
  const first = json.charCodeAt(0);
  const at = first === OBJECT || first === LIST ? undefined : placeOf(text, path);
  return at !== undefined && isPut(text, at, valueEnd(text, at), json, made);
}

/** Is `made` the text with `json` in place of what stands in `[start, end)`? */
export function isPut(text: string, start: number, end: number, json: string, made: string): boolean {
  return (
    made.length === text.length - (end - start) + json.length &&
    made.startsWith(json, start) &&
    made.startsWith(text.slice(0, start)) &&
    made.endsWith(text.slice(end))
  );
}

/** Where a value inside the text starts whose path has no key that stands twice beside itself. */
function placeOf(text: string, path: Path): number | undefined {
  return path.length === 0 ? undefined : find(text, path, true);
}

/** Items before this one are found as fast by walking to them. */
const NEAR = 8;
/** Start and end of each item of the list `key` in a text, one pair after the other. */
const PLACES = new WeakMap<object, { key: string; places: Uint32Array }>();

/**
 * As `sliceValue`, of a text whose values are asked for one after the other: an item far behind in a list costs a walk to it
 * only once. O(text) at first, then O(value).
 */
export function sliceIn(held: { readonly text: string }, path: Path): string | undefined {
  const key = path[0];
  const index = path[1];
  const { text } = held;
  if (typeof key !== 'string' || typeof index !== 'number' || index < NEAR) return sliceValue(text, path);
  let known = PLACES.get(held);
  if (known?.key !== key) {
    known = { key, places: itemPlaces(text, key) };
    PLACES.set(held, known);
  }
  const { places } = known;
  if (index * 2 >= places.length) return undefined;
  const item = text.slice(places[index * 2]!, places[index * 2 + 1]!);
  return path.length === 2 ? item : sliceValue(item, path.slice(2));
}

function itemPlaces(text: string, key: string): Uint32Array {
  const at = find(text, [key]);
  if (at === undefined || text.charCodeAt(at) !== LIST) return new Uint32Array(0);
  const out: number[] = [];
  walkItems(text, at, (start, end) => {
    out.push(start, end);
  });
  return Uint32Array.from(out);
}

/** Where the value at `path` starts; of duplicate keys the last one counts, or none is found where each must be alone. */
function find(text: string, path: Path, alone = false): number | undefined {
  let at = skipSpace(text, 0);
  for (const step of path) {
    at = typeof step === 'string' ? memberAt(text, at, step, alone) : itemAt(text, at, step);
    if (at < 0) return undefined;
  }
  return at;
}

/** Start of item `index` of the list that opens at `open`; -1 where there is none. */
function itemAt(text: string, open: number, index: number): number {
  if (text.charCodeAt(open) !== LIST) return -1;
  let i = skipSpace(text, open + 1);
  for (let left = index; i < text.length && text.charCodeAt(i) !== LIST_END; left--) {
    if (left === 0) return i;
    i = skipSpace(text, valueEnd(text, i));
    if (text.charCodeAt(i) !== COMMA) return -1;
    i = skipSpace(text, i + 1);
  }
  return -1;
}

/** Start of the value that the object which opens at `open` has under a name; -1 where there is none. */
function memberAt(text: string, open: number, name: string, alone: boolean): number {
  if (text.charCodeAt(open) !== OBJECT) return -1;
  let found = -1;
  let i = skipSpace(text, open + 1);
  while (text.charCodeAt(i) === QUOTE) {
    const key = i;
    const keyEnd = quoteEnd(text, key);
    i = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (i >= text.length) break;
    if (isNamed(text, key, keyEnd, name)) {
      if (alone && found >= 0) return -1;
      found = i;
    }
    i = skipSpace(text, valueEnd(text, i));
    if (text.charCodeAt(i) !== COMMA) break;
    i = skipSpace(text, i + 1);
  }
  return found;
}

/** Does the string in `[start, end)` say `name`? Escapes only make it longer, and are seldom in a key: mostly nothing is copied. */
function isNamed(text: string, start: number, end: number, name: string): boolean {
  const longer = end - start - 2 - name.length;
  if (longer < 0) return false;
  if (longer === 0) return text.startsWith(name, start + 1) && !name.includes('\\');
  for (let i = start + 1; i < end - 1; i++)
    if (text.charCodeAt(i) === BACKSLASH) return keyAt(text, start, end) === name;
  return false;
}

function walkItems(text: string, open: number, visit: (start: number, end: number) => void): void {
  let i = skipSpace(text, open + 1);
  while (i < text.length && text.charCodeAt(i) !== LIST_END) {
    const end = valueEnd(text, i);
    visit(i, end);
    i = skipSpace(text, end);
    if (text.charCodeAt(i) !== COMMA) return;
    i = skipSpace(text, i + 1);
  }
}

/** Undefined where the text is no JSON: no step of a path is like it. */
function keyAt(text: string, start: number, end: number): string | undefined {
  try {
    return stringAt(text, start, end);
  } catch {
    return undefined;
  }
}

/** End of the string that opens at `i`: jumps from quote to quote, since the text is known to be valid. */
export function quoteEnd(text: string, i: number): number {
  let from = i + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c && quote - 1 - slashes > i) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** End (exclusive) of the value that starts at `start` of a valid text. */
export function valueEnd(text: string, start: number): number {
  let depth = 0;
  let i = start;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    if (c === 0x22) i = quoteEnd(text, i);
    else if (c === 0x7b || c === 0x5b) {
      depth++;
      i++;
      continue;
    } else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return i;
      depth--;
      i++;
    } else if (depth > 0) {
      i++;
      continue;
    } else if (c === 0x2c || c === 0x3a || c <= 0x20) return i;
    else {
      i++;
      continue;
    }
    if (depth === 0) return i;
  }
  return i;
}
