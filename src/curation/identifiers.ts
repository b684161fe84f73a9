// Identifiers in text: names that a later call may need word for word (paths, ids, symbols, URLs). Pure, linear.

import type { Part } from '../providers/types.js';

/** What a character of a run says of it. */
const IN_RUN = 1;
/** A digit or a separator: the run is no plain word. */
const MARK = 2;
const LOWER = 4;
const UPPER = 8;

/** By character code, for the ASCII characters that identifiers are made of; what is longer than 80 is data, not a name. */
const CLASSES = classes();

function classes(): Uint8Array {
  const table = new Uint8Array(128);
  for (const c of '0123456789_./:@-') table[c.charCodeAt(0)] = IN_RUN | MARK;
  for (const c of 'abcdefghijklmnopqrstuvwxyz') {
    table[c.charCodeAt(0)] = IN_RUN | LOWER;
    table[c.toUpperCase().charCodeAt(0)] = IN_RUN | UPPER;
  }
  return table;
}
const SHORTEST = 6;
const LONGEST = 80;
/** Text beyond this is not searched: a dump of megabytes names nothing in particular. */
const SEARCHED = 400_000;

/** Where an identifier stands in a text: how often, and where first (0 = at its start, 1 = at its end). */
export interface Occurrence {
  count: number;
  place: number;
}

/**
 * Calls back with each identifier of a text, as often as it stands there: six to eighty characters in a row with a digit,
 * a separator or a change of case in them. One pass over the characters; nothing is made of what is no identifier.
 */
function eachIdentifier(text: string, found: (run: string, at: number) => void): void {
  const end = Math.min(text.length, SEARCHED);
  let i = 0;
  while (i < end) {
    const start = i;
    let named = false;
    let before = 0;
    for (; i < end; i += 1) {
      const code = text.charCodeAt(i);
      const kind = code < 128 ? CLASSES[code]! : 0;
      if (kind === 0) break;
      if ((kind & MARK) !== 0 || (kind === (IN_RUN | UPPER) && (before & LOWER) !== 0)) named = true;
      before = kind;
    }
    const length = i - start;
    if (named && length >= SHORTEST && length <= LONGEST) found(text.slice(start, i), start);
    i += 1;
  }
}

/** @param wanted those that somebody asks for; absent: all */
export function identifiersIn(text: string, wanted?: (run: string) => boolean): Map<string, Occurrence> {
  const found = new Map<string, Occurrence>();
  const length = Math.min(text.length, SEARCHED);
  eachIdentifier(text, (run, at) => {
    const seen = found.get(run);
    if (seen !== undefined) seen.count += 1;
    else if (wanted === undefined || wanted(run)) found.set(run, { count: 1, place: at / length });
  });
  return found;
}

/** Names in a part: of its text, of a call in what its arguments say. */
export function namesIn(part: Part): ReadonlyMap<string, Occurrence> {
  return part.names ?? identifiersIn(textOf(part));
}

/** Calls back with each of them, at least once; nothing is made where nobody has looked for them. */
export function eachNameIn(part: Part, found: (run: string) => void): void {
  if (part.names === undefined) eachIdentifier(textOf(part), found);
  else for (const run of part.names.keys()) found(run);
}

function textOf(part: Part): string {
  return part.kind === 'tool_call' ? leavesOf(part.args).join('\n') : (part.text ?? '');
}

/** All strings and numbers inside a value, as text: what a call's arguments say. Iterative: depth is the host's. */
export function leavesOf(value: unknown): string[] {
  const out: string[] = [];
  const todo: unknown[] = [value];
  for (let v = todo.pop(); v !== undefined || todo.length > 0; v = todo.pop()) {
    if (typeof v === 'string') out.push(v);
    else if (typeof v === 'number') out.push(String(v));
    else if (typeof v === 'object' && v !== null) for (const x of Object.values(v)) todo.push(x);
  }
  return out;
}

/** Longer pieces of a name are two tokens. */
const LONG_PIECE = 8;

/** Tokens that an identifier costs in a list, about: pieces of words, numbers and signs. Needs no tokenizer. */
export function identifierCost(run: string): number {
  let cost = 0;
  let i = 0;
  while (i < run.length) {
    const from = i;
    const first = kindAt(run, i);
    i += 1;
    if (first === DIGIT) {
      // Three digits are a token.
      while (i < from + 3 && kindAt(run, i) === DIGIT) i += 1;
    } else if (first === CAPITAL && kindAt(run, i) === SMALL) {
      while (kindAt(run, i) === SMALL) i += 1;
    } else {
      while (i < run.length && kindAt(run, i) === first) i += 1;
    }
    cost += i - from > LONG_PIECE ? 2 : 1;
  }
  return Math.max(1, cost);
}

const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;
const SIGN = 4;

/** 0 behind the end. */
function kindAt(run: string, at: number): number {
  const code = run.charCodeAt(at);
  if (code >= 97 && code <= 122) return SMALL;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code >= 65 && code <= 90) return CAPITAL;
  return code >= 0 ? SIGN : 0;
}
