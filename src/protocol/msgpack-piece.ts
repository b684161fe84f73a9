// Frames of curated.v1.msgpack after the scan: Maps in the order of the wire, read without trust. Pure.
import { fail } from '../errors.js';
import { Native } from '../json/native.js';
import { isPoison, join, type Piece } from './piece.js';
import { asBuffer } from './utf8.js';

export class MsgpackPiece implements Piece {
  readonly kind: 'object' | 'array' | 'scalar';

  constructor(readonly value: unknown) {
    this.kind = value instanceof Map ? 'object' : Array.isArray(value) ? 'array' : 'scalar';
  }

  members(each?: (key: string, piece: Piece) => void): Map<string, Piece> {
    const out = new Map<string, Piece>();
    for (const [key, value] of this.value as Map<string, unknown>) {
      const piece = new MsgpackPiece(value);
      each?.(key, piece);
      out.set(key, piece);
    }
    return out;
  }

  items(): Piece[] {
    return (this.value as unknown[]).map((value) => new MsgpackPiece(value));
  }

  plain(path: string): unknown {
    return plain(this.value, path, true);
  }

  lenient(path: string): unknown {
    return plain(this.value, path, false);
  }

  native(path: string): Native {
    return new Native(jsonText(this.value, path));
  }

  unread(path: string): Native {
    return this.native(path);
  }
}

function refuse(path: string, what: string): never {
  return fail('BAD_TYPE', `${path}: ${what}`, { path });
}

/** A value of the decoder as plain objects, arrays and scalars; texts are copied out of the frame. */
function plain(value: unknown, path: string, numbers: boolean): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') {
    if (numbers && !Number.isFinite(value)) refuse(path, 'not a number that JSON has');
    return value;
  }
  // As JSON.parse reads it. Where a number of ours belongs, the schema refuses what is not safe.
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map((item, i) => plain(item, join(path, i), numbers));
  if (value instanceof Uint8Array) return asBuffer(value).toString('utf8');
  if (!(value instanceof Map)) return refuse(path, 'a value that JSON has not');
  const out: Record<string, unknown> = {};
  for (const [key, item] of value) {
    const at = join(path, String(key));
    if (typeof key !== 'string') refuse(at, 'a key of a map is no string');
    if (isPoison(key)) fail('UNKNOWN_FIELD', `${at}: no field has this name`, { path: at });
    out[key] = plain(item, at, numbers);
  }
  return out;
}

/** JSON text of a value of the decoder, in the order of its Maps. */
export function jsonText(value: unknown, path: string): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(path, 'not a number that JSON has');
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) {
    let out = '[';
    for (let i = 0; i < value.length; i++) out += (i === 0 ? '' : ',') + jsonText(value[i], join(path, i));
    return `${out}]`;
  }
  if (value instanceof Uint8Array) return JSON.stringify(asBuffer(value).toString('utf8'));
  if (!(value instanceof Map)) return refuse(path, 'a value that JSON has not');
  let out = '{';
  for (const [key, item] of value) {
    if (typeof key !== 'string') refuse(path, 'a key of a map is no string');
    out += `${(out.length === 1 ? '' : ',') + JSON.stringify(key)}:${jsonText(item, join(path, key))}`;
  }
  return `${out}}`;
}

/** Number of entries in all Maps of a decoded value. */
export function countEntries(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countEntries(item), 0);
  if (!(value instanceof Map)) return 0;
  let sum = value.size;
  for (const item of value.values()) if (typeof item === 'object' && item !== null) sum += countEntries(item);
  return sum;
}
