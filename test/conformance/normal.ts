// The comparison form of the checks: no cache_control, no host hints, keys sorted, a message's text as a block. Pure.
import { isObj, type Obj } from './types.js';

function textType(message: Obj): string {
  if (message['type'] !== 'message') return 'text';
  return message['role'] === 'assistant' ? 'output_text' : 'input_text';
}

function normalContent(message: Obj, content: unknown): unknown {
  return typeof content === 'string' ? [{ text: content, type: textType(message) }] : content;
}

function walk(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(walk);
  if (!isObj(v)) return v;
  const out: Obj = {};
  for (const k of Object.keys(v).sort()) {
    if (k === 'cache_control' || k.startsWith('_')) continue;
    const inner = k === 'content' && 'role' in v ? normalContent(v, v[k]) : v[k];
    if (inner !== undefined) out[k] = walk(inner);
  }
  return out;
}

/** Comparison text of a value: two values are "the same" for the checks iff these are equal. */
export function normal(v: unknown): string {
  return JSON.stringify(walk(v)) ?? 'undefined';
}

/** Comparison text of a system prompt, where a string and a list of one text block are the same. */
export function normalSystem(v: unknown): string {
  return normal(typeof v === 'string' ? [{ type: 'text', text: v }] : v);
}

/** Comparison text of a message's content as it stands in that message. */
export function normalContentOf(message: Obj, content: unknown): string {
  return normal(normalContent(message, content));
}

export function same(a: unknown, b: unknown): boolean {
  return normal(a) === normal(b);
}
