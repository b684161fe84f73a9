// JSON pointers (RFC 6901) into the session of a case. Pure.
import { isObj } from './types.js';

export function splitPointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new TypeError(`not a JSON pointer: ${pointer}`);
  return pointer
    .slice(1)
    .split('/')
    .map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function joinPointer(parts: readonly (string | number)[]): string {
  return parts.map((p) => `/${String(p).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a pointer, or undefined where there is none. */
export function at(root: unknown, pointer: string): unknown {
  let v = root;
  for (const key of splitPointer(pointer)) {
    if (Array.isArray(v)) v = /^\d+$/.test(key) ? v[Number(key)] : undefined;
    else if (isObj(v) && Object.hasOwn(v, key)) v = v[key];
    else return undefined;
  }
  return v;
}

/** The message index of a pointer into the list, or undefined for the static parts. */
export function messageIndex(pointer: string): number | undefined {
  const [head, index] = splitPointer(pointer);
  if (head !== 'messages' && head !== 'input') return undefined;
  return index !== undefined && /^\d+$/.test(index) ? Number(index) : undefined;
}
