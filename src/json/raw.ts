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

function write(given: unknown, depth: number): string | undefined {
  let v = given;
  if (typeof v === 'string') return JSON.stringify(v);
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
  for (const [key, value] of Object.entries(v as object)) {
    const text = write(value, depth + 1);
    if (text !== undefined) out += `${(out.length === 1 ? '' : ',') + JSON.stringify(key)}:${text}`;
  }
  return `${out}}`;
}
