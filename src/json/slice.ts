// Exact texts of parts of a frame that JSON.parse has accepted: no tree, no copies but the slices asked for.
import type { Path } from './path.js';
import { skipSpace, stringAt } from './tree.js';

/**
 * The exact text of each item of the array at `path`, white space around the items left out; undefined if there is
 * no array. `text` must be valid JSON (on anything else the answer is undefined or meaningless, never a throw or an
 * endless loop). Linear in the length of the text.
 */
export function sliceValues(text: string, path: Path): string[] | undefined {
  const at = find(text, path);
  if (at === undefined || text[at] !== '[') return undefined;
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
  const at = path.length === 0 ? undefined : find(text, path, true);
  return at === undefined ? undefined : text.slice(0, at) + json + text.slice(valueEnd(text, at));
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
  const [key, index, ...inside] = path;
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
  return inside.length === 0 ? item : sliceValue(item, inside);
}

function itemPlaces(text: string, key: string): Uint32Array {
  const at = find(text, [key]);
  if (at === undefined || text[at] !== '[') return new Uint32Array(0);
  const out: number[] = [];
  walkItems(text, at, (start, end) => {
    out.push(start, end);
  });
  return Uint32Array.from(out);
}

/** Index at which the value at `path` starts; of duplicate keys the last one counts, or none is found where each must be alone. */
function find(text: string, path: Path, alone = false): number | undefined {
  let at: number | undefined = skipSpace(text, 0);
  for (const step of path) {
    let found: number | undefined;
    if (typeof step === 'string') {
      if (text[at] !== '{') return undefined;
      let times = 0;
      walkMembers(text, at, (key, start) => {
        if (key() !== step) return;
        found = start;
        times += 1;
      });
      if (alone && times > 1) return undefined;
    } else {
      if (text[at] !== '[') return undefined;
      let i = 0;
      walkItems(text, at, (start) => {
        if (i++ === step) found = start;
      });
    }
    if (found === undefined) return undefined;
    at = found;
  }
  return at;
}

function walkItems(text: string, open: number, visit: (start: number, end: number) => void): void {
  let i = skipSpace(text, open + 1);
  while (i < text.length && text[i] !== ']') {
    const end = valueEnd(text, i);
    visit(i, end);
    i = skipSpace(text, end);
    if (text[i] !== ',') return;
    i = skipSpace(text, i + 1);
  }
}

function walkMembers(
  text: string,
  open: number,
  visit: (key: () => string | undefined, start: number) => void,
): void {
  let i = skipSpace(text, open + 1);
  while (text[i] === '"') {
    const keyStart = i;
    const keyEnd = quoteEnd(text, i);
    i = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (i >= text.length) return;
    visit(() => keyAt(text, keyStart, keyEnd), i);
    i = skipSpace(text, valueEnd(text, i));
    if (text[i] !== ',') return;
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
function quoteEnd(text: string, i: number): number {
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

function valueEnd(text: string, start: number): number {
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
