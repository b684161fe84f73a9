// JSON text that goes out as it stands. Foundation: knows no protocol and no provider.
import { fail } from '../errors.js';

/** A piece of JSON text which `writeJson` emits verbatim. The holder vouches that it is one valid JSON value. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** Deeper values than this are cycles or attacks; JSON.stringify would end in a RangeError of its own. */
const MAX_DEPTH = 1_000;

/**
 * JSON text of a value, as JSON.stringify writes it (no spaces, undefined members left out, undefined items null,
 * `toJSON` honoured), except that a RawJson anywhere inside stands as its own text.
 * Throws LIMIT for values nested deeper than 1,000 levels, cycles included.
 */
export function writeJson(v: unknown): string {
  return write(v, 0) ?? 'null';
}

/** Names of members, quoted and with their colon: the same few come again and again. */
const KEYS = new Map<string, string>();
const KEYS_KEPT = 2_000;

function quoted(key: string): string {
  let text = KEYS.get(key);
  if (text === undefined) {
    text = `${JSON.stringify(key)}:`;
    if (KEYS.size < KEYS_KEPT && key.length < 64) KEYS.set(key, text);
  }
  return text;
}

function write(given: unknown, depth: number): string | undefined {
  let v = given;
  // Integers and booleans are most of what an answer holds; writing them here costs a fraction of JSON.stringify.
  if (typeof v === 'number') return Number.isSafeInteger(v) && !Object.is(v, -0) ? `${v}` : JSON.stringify(v);
  if (typeof v === 'boolean') return v ? 'true' : 'false';
  if (typeof v !== 'object' || v === null) return JSON.stringify(v);
  if (v instanceof RawJson) return v.text;
  if (depth > MAX_DEPTH) fail('LIMIT', `a value is nested deeper than ${MAX_DEPTH} levels`);
  if ('toJSON' in v && typeof v.toJSON === 'function') {
    v = v.toJSON();
    if (typeof v !== 'object' || v === null) return JSON.stringify(v);
  }
  if (Array.isArray(v)) {
    let out = '[';
    for (let i = 0; i < v.length; i++) out += (i === 0 ? '' : ',') + (write(v[i], depth + 1) ?? 'null');
    return `${out}]`;
  }
  let out = '{';
  for (const key of Object.keys(v)) {
    const text = write((v as Record<string, unknown>)[key], depth + 1);
    if (text !== undefined) out += (out.length === 1 ? '' : ',') + quoted(key) + text;
  }
  return `${out}}`;
}
