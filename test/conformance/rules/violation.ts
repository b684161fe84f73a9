// What a rule answers, and small helpers that the rule files share. Pure.
import { arr, isObj, type Obj } from '../types.js';

export interface Violation {
  /** Rule id of PROVIDERS.md, e.g. `PV-A1`; HINT for a host's hint that leaked. */
  rule: string;
  /** JSON pointer into the request. */
  path: string;
  message: string;
}

export function blank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/** Blocks of a message with their pointers; none for a string content. */
export function blocksOf(m: Obj, path: string): { block: Obj; path: string }[] {
  return arr(m['content']).flatMap((b, i) => (isObj(b) ? [{ block: b, path: `${path}/content/${i}` }] : []));
}

export function typeOf(b: Obj): string {
  return typeof b['type'] === 'string' ? b['type'] : '';
}

export function parsesToObject(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    return isObj(JSON.parse(text));
  } catch {
    return false;
  }
}
