// Agents that resend their whole history: where it still is what we stored, what is new, where it was edited. Pure.

import type { Native } from '../../json/native.js';
import type { StoredMessage } from '../state/state.js';

export interface Reconciled {
  /** Messages that are the same, cache marks aside. */
  common: number;
  /** Same content, other bytes: the host moved its cache marks (or wrote one text as a block). */
  remarked: { at: number; text: string }[];
  /** What follows the common part, to be kept. */
  rest: Native[];
  /** True when stored messages behind the common part are not in what was sent. */
  diverged: boolean;
}

export function reconcile(stored: readonly StoredMessage[], sent: readonly Native[]): Reconciled {
  const remarked: { at: number; text: string }[] = [];
  let at = 0;
  for (; at < stored.length && at < sent.length; at += 1) {
    const mine = stored[at]!.native;
    const theirs = sent[at]!;
    if (mine.text === theirs.text) continue;
    if (!same(mine.value, theirs.value)) break;
    remarked.push({ at, text: theirs.kept().text });
  }
  return { common: at, remarked, rest: sent.slice(at).map((m) => m.kept()), diverged: at < stored.length };
}

const MARKS = new Set(['cache_control', 'prompt_cache_breakpoint']);

/** Deep equality that cache marks, key order and number spelling don't touch. Depth is bounded by the decoder. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => same(item, b[i]));
  }
  const ka = Object.keys(a).filter((k) => !MARKS.has(k));
  const kb = Object.keys(b).filter((k) => !MARKS.has(k));
  if (ka.length !== kb.length) return false;
  return ka.every((k) => {
    if (!Object.hasOwn(b, k)) return false;
    const [x, y] = [(a as Record<string, unknown>)[k], (b as Record<string, unknown>)[k]];
    return same(x, y) || (k === 'content' && same(oneBlock(x), oneBlock(y)));
  });
}

/** A content string and its single text block say the same; hosts switch between them when they set a mark. */
function oneBlock(content: unknown): unknown {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
