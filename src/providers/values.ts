// Small questions about parsed JSON values that every format asks. Total: nothing here throws.
import { hasLone, type Path, valueAt } from '../json/index.js';

export type Json = Record<string, unknown>;

export function isObject(v: unknown): v is Json {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

/** The own member as a string, or undefined. */
export function str(v: unknown, key: string): string | undefined {
  const x = isObject(v) && Object.hasOwn(v, key) ? v[key] : undefined;
  return typeof x === 'string' ? x : undefined;
}

/** The own member, or undefined. */
export function member(v: unknown, key: string): unknown {
  return isObject(v) && Object.hasOwn(v, key) ? v[key] : undefined;
}

/** Empty or white space only (PV-A17). */
export function blank(text: string): boolean {
  return !/\S/u.test(text);
}

export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Every lone surrogate becomes U+FFFD; all else stays. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** Cheap test of the JSON text: could any string in it hold a lone surrogate, literally or as an escape? */
function mayHoldLone(text: string): boolean {
  return (text.includes('\\') && /\\u[dD][89a-fA-F]/.test(text)) || hasLone(text);
}

export interface LoneString {
  path: Path;
  value: string;
  /** The offending string is the last step of the path (a key), not the value there. */
  isKey: boolean;
}

interface Step {
  v: unknown;
  step: string | number;
  up: Step | undefined;
}

function pathOf(at: Step): Path {
  const out: (string | number)[] = [];
  for (let s: Step = at; s.up !== undefined; s = s.up) out.push(s.step);
  return out.reverse();
}

/** All strings and keys with lone surrogates in a message; costs one scan of the text where there are none. */
export function loneStrings(text: string, value: unknown): LoneString[] {
  if (!mayHoldLone(text)) return [];
  const out: LoneString[] = [];
  const todo: Step[] = [{ v: value, step: 0, up: undefined }];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    const { v } = at;
    if (typeof v === 'string') {
      if (hasLone(v)) out.push({ path: pathOf(at), value: v, isKey: false });
    } else if (typeof v === 'object' && v !== null) {
      const keys = Object.keys(v);
      for (let i = keys.length - 1; i >= 0; i--) {
        const key = keys[i]!;
        const below: Step = { v: (v as Json)[key], step: Array.isArray(v) ? i : key, up: at };
        if (hasLone(key)) out.push({ path: pathOf(below), value: key, isKey: true });
        todo.push(below);
      }
    }
  }
  return out;
}

/** JSON.stringify that is total: '' for what is nested too deeply for it. */
export function jsonOf(v: unknown): string {
  try {
    return JSON.stringify(v) ?? '';
  } catch {
    return '';
  }
}

/** Items of the array at `path`, or []. */
export function itemsAt(value: unknown, path: Path): readonly unknown[] {
  const v = valueAt(value, path);
  return Array.isArray(v) ? v : [];
}
