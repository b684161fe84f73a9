// RFC 8785 (JSON Canonicalization Scheme): the text that hashes are taken over.
import { fail } from '../errors.js';
import { MAX_DEPTH } from './tree.js';

/**
 * Canonical form of one JSON text: keys sorted by UTF-16 code units, numbers as IEEE doubles in ECMAScript spelling,
 * no white space. Beyond the RFC, so that every text has a form: a lone surrogate stays as its `\udxxx` escape, and a
 * number beyond the doubles is `null`, as in JSON.stringify. Of duplicate keys the last one counts.
 * Throws BAD_FRAME if the text is not JSON or nested deeper than 1,000 levels.
 */
export function canonicalize(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (e) {
    fail('BAD_FRAME', 'not JSON', { cause: e });
  }
  return canonicalValue(value);
}

/** Canonical form of a parsed JSON value. */
export function canonicalValue(value: unknown): string {
  return write(value, 0);
}

function write(v: unknown, depth: number): string {
  if (typeof v !== 'object' || v === null) return JSON.stringify(v) ?? 'null';
  if (depth >= MAX_DEPTH) fail('BAD_FRAME', `nesting deeper than ${MAX_DEPTH}`);
  if (Array.isArray(v)) {
    let out = '';
    for (const item of v) out += `${out === '' ? '' : ','}${write(item, depth + 1)}`;
    return `[${out}]`;
  }
  const object = v as Record<string, unknown>;
  let out = '';
  for (const key of sortedKeys(object))
    out += `${out === '' ? '' : ','}${memberName(key)}${write(object[key], depth + 1)}`;
  return `{${out}}`;
}

/** `"key":` of names that came lately: messages are made of few. */
const members = new Map<string, string>();
const MEMBERS_MOST = 512;
/** A longer name is data. */
const NAME_CHARS = 32;

function memberName(key: string): string {
  let text = members.get(key);
  if (text === undefined) {
    text = `${JSON.stringify(key)}:`;
    if (key.length > NAME_CHARS) return text;
    if (members.size >= MEMBERS_MOST) members.clear();
    members.set(key, text);
  }
  return text;
}

/** From so many keys on the engine's own sort is faster. */
export const MANY_MEMBERS = 25;

/** Keys by UTF-16 code units, as `<` compares them. Most objects have few, and many have them in order. */
function sortedKeys(object: Record<string, unknown>): string[] {
  const keys = Object.keys(object);
  if (keys.length >= MANY_MEMBERS) return keys.sort();
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i]!;
    let j = i;
    for (; j > 0 && key < keys[j - 1]!; j -= 1) keys[j] = keys[j - 1]!;
    keys[j] = key;
  }
  return keys;
}
