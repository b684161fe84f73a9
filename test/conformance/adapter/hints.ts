// Takes the host's hints (`_usage`, `_px`, `_model`) out of messages and gives them in the form the product takes. Pure.

import { joinPointer } from '../paths.js';
import { isObj, type Obj } from '../types.js';

export interface MessageHint {
  /** Index in the call. */
  message: number;
  usage?: unknown;
  model?: string;
  media?: { path: string; width: number; height: number }[];
}

/** A copy without keys that begin with `_`; the arguments of calls keep theirs. */
export function strip(v: unknown): unknown {
  if (Array.isArray(v)) return v.map(strip);
  if (!isObj(v)) return v;
  const out: Obj = {};
  for (const [k, x] of Object.entries(v)) if (!k.startsWith('_')) out[k] = k === 'input' ? x : strip(x);
  return out;
}

function media(v: unknown, path: (string | number)[], into: NonNullable<MessageHint['media']>): void {
  if (Array.isArray(v)) {
    v.forEach((x, i) => {
      media(x, [...path, i], into);
    });
  } else if (isObj(v)) {
    const px = v['_px'];
    if (Array.isArray(px))
      into.push({ path: joinPointer(path), width: Number(px[0]), height: Number(px[1]) });
    for (const [k, x] of Object.entries(v)) if (typeof x === 'object') media(x, [...path, k], into);
  }
}

/** The hints of a list of messages; empty when it has none. */
export function hintsOf(messages: readonly Obj[]): MessageHint[] {
  return messages.flatMap((m, message) => {
    const found: NonNullable<MessageHint['media']> = [];
    media(m, [], found);
    const hint: MessageHint = { message };
    if (m['_usage'] !== undefined) hint.usage = m['_usage'];
    if (typeof m['_model'] === 'string') hint.model = m['_model'];
    if (found.length > 0) hint.media = found;
    return Object.keys(hint).length > 1 ? [hint] : [];
  });
}
