// Cache marks of our own (curated.breakpoints: auto): where they go in a request. At most four with the host's own, which
// stay as they are; never on the static part. One stands at the stable boundary, the others follow the tail.

import { MARK_EVERY, marksOf, positionsOf } from '../providers/marks.js';
import type { Part } from '../providers/types.js';
import type { PlacedMark } from './placed-mark.js';
import type { Rendering } from './rendering.js';
import type { SessionState } from './state.js';

/** Messages that are looked at for a block that may carry a mark. */
const REACH = 64;

/** Marks for the next request; empty where the format has none or the host has used them up. */
export function placeMarks(state: SessionState, rendering: Rendering, most: number): PlacedMark[] {
  if (state.format !== 'anthropic') return [];
  const fixed = `${state.system?.native.text ?? ''}${state.tools?.native.text ?? ''}`;
  const own = [...rendering.marks()];
  let free = most - own.length - count(fixed, '"cache_control"');
  if (free <= 0) return [];
  // A mark for an hour may not stand behind one for minutes (PV-A40), and ours are for minutes.
  const hour = own.findLast(({ index }) => hasHour(rendering, index))?.index ?? -1;
  const taken = new Set(own.map((m) => m.index));
  const placed = new Map<number, PlacedMark>();
  const put = (index: number): boolean => {
    if (index <= hour || taken.has(index) || placed.has(index)) return false;
    const mark = markable(rendering, index);
    if (mark === undefined) return false;
    placed.set(index, mark);
    free -= 1;
    return true;
  };
  const tail = firstFrom(rendering.pieces.length - 1, put);
  if (tail < 0) return [];
  // Behind the last edit nothing changes until the next one: what stands before it is read then.
  const edited = state.ledger.lastEdited();
  if (free > 0 && edited >= 0 && edited < state.messages.length) {
    firstFrom(Math.min(rendering.ownIndexOf(edited), tail - 1), put);
  }
  let positions = 0;
  for (let i = tail; i > 0 && free > 0; i -= 1) {
    positions += positionsOf(rendering.pieces[i]!.reading);
    if (positions < MARK_EVERY) continue;
    const at = firstFrom(i - 1, put);
    if (at < 0) break;
    i = at + 1;
    positions = 0;
  }
  return [...placed].sort(([a], [b]) => a - b).map(([, mark]) => mark);
}

/** The nearest message at or before `index` that takes a mark; -1 when none is near. */
function firstFrom(index: number, put: (index: number) => boolean): number {
  for (let i = index; i >= 0 && index - i < REACH; i -= 1) if (put(i)) return i;
  return -1;
}

/** The last block of a message that may carry a mark (PV-A39). A content that is a plain string stays one. */
function markable(rendering: Rendering, index: number): PlacedMark | undefined {
  const piece = rendering.pieces[index];
  if (piece === undefined || piece.at < 0) return undefined;
  const part = piece.reading.parts.findLast(canCarry);
  return part === undefined ? undefined : { at: piece.at, path: part.path };
}

function canCarry(part: Part): boolean {
  if (typeof part.path[part.path.length - 1] !== 'number') return false;
  if (part.kind === 'text') return (part.text ?? '').trim() !== '';
  return ['tool_call', 'tool_result', 'image', 'document'].includes(part.kind);
}

function hasHour(rendering: Rendering, index: number): boolean {
  const piece = rendering.pieces[index]!;
  return marksOf(rendering.nativeOf(index), piece.reading).some((m) => m.ttl === '1h');
}

function count(text: string, needle: string): number {
  return text.split(needle).length - 1;
}
