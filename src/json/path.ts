// Paths into JSON values: keys and indexes, and their JSON Pointer spelling.
import type { JsonNode } from './tree.js';

/** A string names a member of an object, a number an item of an array. `[]` is the value itself. */
export type Path = readonly (string | number)[];

/** RFC 6901 text of a path; `''` for `[]`. */
export function pointer(path: Path): string {
  let out = '';
  for (const p of path) {
    if (typeof p === 'number' || (!p.includes('/') && !p.includes('~'))) out += `/${p}`;
    else out += `/${p.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return out;
}

/**
 * The node at `path`, or undefined. Of duplicate keys the last one counts, as for JSON.parse.
 */
export function locate(_text: string, root: JsonNode, path: Path): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of path) {
    node = child(node, step);
    if (node === undefined) return undefined;
  }
  return node;
}

/** The member or item `step` of a node. */
export function child(node: JsonNode, step: string | number): JsonNode | undefined {
  if (typeof step === 'number') return node.items?.[step];
  return node.entries?.findLast((e) => e.key === step)?.value;
}

/** The value at `path` in a parsed value, or undefined; never throws, and follows own members only. */
export function valueAt(value: unknown, path: Path): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    if (Array.isArray(at) !== (typeof step === 'number') || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}
