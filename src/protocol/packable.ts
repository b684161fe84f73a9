// Values of ours as what the MessagePack encoder packs without surprise: Maps in order, arrays, scalars. Pure.
import { fail } from '../errors.js';
import { RawJson } from '../json/raw.js';
import { type JsonNode, parseTree, stringAt } from '../json/tree.js';

const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/**
 * Same rules as `writeJson`: undefined members are left out, undefined items are null, numbers that JSON has not are
 * null, a RawJson stands for its text. Integers beyond 2^53 inside a RawJson become 64-bit integers where they fit.
 */
export function packable(v: unknown): unknown {
  if (typeof v === 'number') return Number.isFinite(v) ? v : null;
  if (typeof v === 'string' || typeof v === 'boolean' || v === null) return v;
  if (typeof v !== 'object') return v === undefined ? null : fail('INTERNAL', `a ${typeof v} cannot be sent`);
  if (v instanceof RawJson) return packableText(v.text);
  if (Array.isArray(v)) return v.map(packable);
  const out = new Map<string, unknown>();
  for (const [key, value] of Object.entries(v)) if (value !== undefined) out.set(key, packable(value));
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

function number(spelling: string): number | bigint {
  const value = Number(spelling);
  if (Number.isSafeInteger(value) || String(value) === spelling || !/^-?[0-9]+$/.test(spelling)) return value;
  const big = BigInt(spelling);
  return big >= INT64_MIN && big <= UINT64_MAX ? big : value;
}
