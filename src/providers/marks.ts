// Cache marks: where they stand, texts without them for comparison, and how far a read looks back from one (PV-A42).
import { applyEdits, type Path, type TextEdit, valueAt } from '../json/index.js';
import type { Native, Reading } from './types.js';
import { isObject, member, str } from './values.js';

const KEYS = ['cache_control', 'prompt_cache_breakpoint'] as const;

/** Positions that a read looks back from a mark, the mark's own included. */
export const LOOK_BACK = 20;
/** Positions between two marks in a long turn, so that no read falls behind. */
export const MARK_EVERY = 15;

export interface Mark {
  path: Path;
  key: (typeof KEYS)[number];
  ttl: '5m' | '1h';
}

/** The marks of a message in order. */
export function marksOf(message: Native, reading: Reading): Mark[] {
  const out: Mark[] = [];
  for (const path of reading.marks) {
    const block = valueAt(message.value, path);
    for (const key of KEYS) {
      const control = member(block, key);
      if (isObject(control)) out.push({ path, key, ttl: str(control, 'ttl') === '1h' ? '1h' : '5m' });
    }
  }
  return out;
}

/** Edits that take a message's marks out. */
export function unmark(marks: readonly Mark[]): TextEdit[] {
  return marks.map((m) => ({ op: 'remove', path: [...m.path, m.key] }));
}

/** The message's text without marks: marks are not hashed by the provider, so they are no difference. */
export function withoutMarks(message: Native, reading: Reading): string {
  return reading.marks.length === 0
    ? message.text
    : applyEdits(message.text, unmark(marksOf(message, reading)));
}

/** Positions that a message takes in a look-back: its blocks, a run of parallel calls or of results being one. */
export function positionsOf(reading: Reading): number {
  let positions = 0;
  let last: string | undefined;
  for (const { kind } of reading.parts) {
    const runs = kind === 'tool_call' || kind === 'tool_result';
    if (!runs || kind !== last) positions++;
    last = kind;
  }
  return positions;
}

/** Does a read at a mark see an entry that was written `distance` positions before it? */
export function sees(distance: number): boolean {
  return distance >= 0 && distance < LOOK_BACK;
}
