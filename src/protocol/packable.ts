// Values of ours as what the MessagePack encoder packs without surprise: Maps in order, arrays, scalars. Pure.
import { addExtension } from 'msgpackr';
import { fail } from '../errors.js';
import { RawJson } from '../json/raw.js';
import { type JsonNode, MAX_DEPTH, parseTree, stringAt } from '../json/tree.js';

const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** Stands for -0, which the encoder would write as the integer 0. */
class MinusZero {}
const MINUS_ZERO = new MinusZero();

interface Room {
  target: Uint8Array;
  position: number;
}
// No extension of the wire: nothing is returned, so that no type is written, only the nine bytes of the double.
addExtension({
  Class: MinusZero,
  type: 1,
  pack(_: MinusZero, room: (size: number) => Room) {
    const { target, position } = room(9);
    target.set([0xcb, 0x80, 0, 0, 0, 0, 0, 0, 0], position);
  },
} as unknown as Parameters<typeof addExtension>[0]);

/**
 * Same rules as `writeJson`: undefined members and functions are left out, as items they are null, numbers that JSON has not
 * are null, `toJSON` is honoured, a RawJson stands for its text. Integers beyond 2^53 inside a RawJson become 64-bit integers
 * where they fit. Throws LIMIT for values nested deeper than 1,000 levels, cycles included.
 */
export function packable(v: unknown): unknown {
  return value(v, 0) ?? null;
}

/** Undefined: nothing that JSON can say. */
function value(given: unknown, depth: number): unknown {
  let v = given;
  if (typeof v === 'object' && v !== null && 'toJSON' in v && typeof v.toJSON === 'function') v = v.toJSON();
  if (typeof v === 'number') return Number.isFinite(v) ? v : null;
  if (typeof v === 'string' || typeof v === 'boolean' || v === null) return v;
  if (typeof v === 'bigint') return fail('INTERNAL', 'a bigint cannot be sent');
  if (typeof v !== 'object') return undefined;
  if (v instanceof RawJson) return packableText(v.text);
  if (depth > MAX_DEPTH) fail('LIMIT', `a value is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(v)) return v.map((item) => value(item, depth + 1) ?? null);
  const out = new Map<string, unknown>();
  for (const [key, member] of Object.entries(v)) {
    const packed = value(member, depth + 1);
    if (packed !== undefined) out.set(key, packed);
  }
  return out;
}

/** The value of a JSON text, members in the order of the text. */
function packableText(text: string): unknown {
  return node(text, parseTree(text));
}

function node(text: string, n: JsonNode): unknown {
  switch (n.type) {
    case 'object': {
      const out = new Map<string, unknown>();
      for (const { key, value } of n.entries!) out.set(key, node(text, value));
      return out;
    }
    case 'array':
      return n.items!.map((item) => node(text, item));
    case 'string':
      return stringAt(text, n.start, n.end);
    case 'number':
      return number(text.slice(n.start, n.end));
    case 'null':
      return null;
    default:
      return n.type === 'true';
  }
}

/** A number beyond the doubles is null, as in the canonical form that hashes are taken over. */
function number(spelling: string): unknown {
  const value = Number(spelling);
  if (Object.is(value, -0)) return MINUS_ZERO;
  if (!Number.isFinite(value)) return null;
  if (Number.isSafeInteger(value) || String(value) === spelling || !/^-?[0-9]+$/.test(spelling)) return value;
  const big = BigInt(spelling);
  return big >= INT64_MIN && big <= UINT64_MAX ? big : value;
}
