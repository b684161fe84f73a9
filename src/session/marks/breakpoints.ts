// Cache marks of our own (curated.breakpoints: auto): where they go in a request. The host's own stay as they are. Anthropic
// takes at most four, which may move: at the stable boundary, on the static part, and along the tail. OpenAI's explicit
// breakpoints are part of their messages: they come with what changes anyway, and stay.

import { hasBreakpoints, takesBreakpoint } from '../../providers/blocks.js';
import { MARK_EVERY, marksOf, positionsOf } from '../../providers/marks.js';
import type { Part, Profile } from '../../providers/types.js';
import { isObject, str } from '../../providers/values.js';
import type { Rendering } from '../request/rendering.js';
import { sectionTokens } from '../request/sections.js';
import { SYSTEM } from '../request/static-form.js';
import type { SessionState } from '../state/state.js';
import type { PlacedMark } from './placed-mark.js';

/** Messages that are looked at for a block that may carry a mark. */
const REACH = 64;

/** What the next request carries. */
export interface Placement {
  /** Marks that hold for this request. */
  marks: PlacedMark[];
  /** Stored messages, -1 for the system prompt, that go out in blocks from now on. */
  inBlocks: number[];
}

/**
 * @param o.most marks of ours at most, Anthropic's bound for all marks aside
 * @param o.minTokens a shorter prefix is not cached: no mark is spent on it
 */
export function placeMarks(
  state: SessionState,
  rendering: Rendering,
  profile: Profile,
  o: { most: number; minTokens: number },
): Placement {
  const { minTokens } = o;
  if (state.format === 'anthropic') return anthropicMarks(state, rendering, profile.maxMarks, o);
  const none = { marks: [], inBlocks: [] };
  if (profile.modelClass === 'SH' || !hasBreakpoints(profile.model)) return none;
  return { marks: [], inBlocks: explicitMarks(state, rendering, minTokens) };
}

/** May the form of a message change? Only where no request carried it, or where it is announced as changed in any case. */
function isFree(state: SessionState, at: number): boolean {
  return at >= state.sent.messages || at >= state.dirtyFrom;
}

function anthropicMarks(
  state: SessionState,
  rendering: Rendering,
  maxMarks: number,
  { most, minTokens }: { most: number; minTokens: number },
): Placement {
  const { system, tools } = rendering.statics.given;
  const own = [...rendering.marks()];
  const ownFixed =
    system.countIn(state.system?.native.text ?? '') + tools.countIn(state.tools?.native.text ?? '');
  let free = Math.min(most, maxMarks - own.length - ownFixed);
  const inBlocks: number[] = [];
  if (free <= 0) return { marks: [], inBlocks };
  // A mark for an hour may not stand behind one for minutes (PV-A40), and ours are for minutes.
  const hour = own.findLast(({ index }) => hasHour(rendering, index))?.index ?? -1;
  const taken = new Set(own.map((m) => m.index));
  const placed = new Map<number, PlacedMark>();
  const put = (index: number): boolean => {
    if (index <= hour || taken.has(index) || placed.has(index)) return false;
    const mark = markable(state, rendering, index);
    if (mark === undefined) return false;
    if (mark.inBlock) inBlocks.push(mark.at);
    placed.set(index, { at: mark.at, path: mark.path });
    free -= 1;
    return true;
  };
  const tail = firstFrom(rendering.pieces.length - 1, put);
  const fixedTokens = sectionTokens(state, rendering).static;
  const fixedMark =
    free > 0 && hour < 0 && ownFixed === 0 && fixedTokens >= minTokens
      ? staticMark(state, rendering)
      : undefined;
  if (fixedMark !== undefined) {
    free -= 1;
    if (fixedMark.inBlock) inBlocks.push(SYSTEM);
  }
  // Behind the last edit nothing changes until the next one: what stands before it is read then.
  const edited = state.ledger.lastEdited();
  if (tail >= 0 && free > 0 && edited >= 0 && edited < state.messages.length) {
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
  const marks = [...placed].sort(([a], [b]) => a - b).map(([, mark]) => mark);
  return { marks: fixedMark === undefined ? marks : [fixedMark.mark, ...marks], inBlocks };
}

/** One mark behind all that stands before the messages: on the system prompt, or on the tools where that takes none. */
function staticMark(
  state: SessionState,
  rendering: Rendering,
): { mark: PlacedMark; inBlock: boolean } | undefined {
  const at = SYSTEM;
  const system: unknown = state.system?.native.value;
  if (typeof system === 'string' && system.trim() !== '') {
    const stands = state.inBlocks.includes(SYSTEM);
    if (stands || state.sent.requests === 0) return { mark: { at, path: ['system', 0] }, inBlock: !stands };
  } else if (Array.isArray(system)) {
    const last: unknown = system.at(-1);
    if (str(last, 'type') === 'text' && str(last, 'text')?.trim() !== '')
      return { mark: { at, path: ['system', system.length - 1] }, inBlock: false };
  }
  const last = rendering.statics.lastTool(state);
  return last < 0 ? undefined : { mark: { at, path: ['tools', last] }, inBlock: false };
}

/** The nearest message at or before `index` that takes a mark; -1 when none is near. */
function firstFrom(index: number, put: (index: number) => boolean): number {
  for (let i = index; i >= 0 && index - i < REACH; i -= 1) if (put(i)) return i;
  return -1;
}

/** The last block of a message that may carry a mark (PV-A39); a plain string becomes one where nobody has seen it yet. */
function markable(
  state: SessionState,
  rendering: Rendering,
  index: number,
): (PlacedMark & { inBlock: boolean }) | undefined {
  const piece = rendering.pieces[index];
  if (piece === undefined || piece.at < 0) return undefined;
  const { at, reading } = piece;
  const part = reading.parts.findLast(canCarry);
  if (part !== undefined) return { at, path: part.path, inBlock: false };
  const [only] = reading.parts;
  const plain = only?.kind === 'text' && only.path.length === 1 && (only.text ?? '').trim() !== '';
  if (!plain || reading.role === 'system' || !isFree(state, at)) return undefined;
  return { at, path: ['content', 0], inBlock: true };
}

function canCarry(part: Part): boolean {
  if (typeof part.path[part.path.length - 1] !== 'number') return false;
  if (part.kind === 'text') return (part.text ?? '').trim() !== '';
  return ['tool_call', 'tool_result', 'image', 'document'].includes(part.kind);
}

/**
 * Messages that get an explicit breakpoint and keep it: the end of the operator's text, and the last edited message when
 * it changes, since the next edit leaves what is before it. The newest message has one by itself (PV-C11).
 */
function explicitMarks(state: SessionState, rendering: Rendering, minTokens: number): number[] {
  const ours = new Set(state.inBlocks);
  // Only the latest three count: more of ours would take the host's own out of use.
  for (const { index } of rendering.marks()) if (!ours.has(rendering.pieces[index]!.at)) return [];
  const found = [systemEnd(state, rendering, minTokens), editedEnd(state, rendering)];
  return found.filter((at, i) => at !== undefined && !ours.has(at) && found.indexOf(at) === i) as number[];
}

function systemEnd(state: SessionState, rendering: Rendering, minTokens: number): number | undefined {
  const fixed = sectionTokens(state, rendering).static;
  if (state.sent.requests > 0) return undefined;
  let end = -1;
  while (rendering.pieces[end + 1]?.reading.role === 'system') end += 1;
  const piece = rendering.pieces[end];
  if (piece === undefined || !isObject(piece.native.value) || !takesBreakpoint(piece.native.value))
    return undefined;
  const tokens = fixed + (piece.at < 0 ? 0 : rendering.tokensBetween(-1, piece.at + 1));
  return tokens < minTokens ? undefined : piece.at;
}

function editedEnd(state: SessionState, rendering: Rendering): number | undefined {
  if (!Number.isFinite(state.dirtyFrom)) return undefined;
  const edited = Math.min(state.ledger.lastEdited(), state.messages.length - 1);
  if (edited < 0) return undefined;
  const takes = (index: number): boolean => {
    const piece = rendering.pieces[index];
    return piece !== undefined && piece.at >= state.dirtyFrom && takesBreakpoint(piece.native.value);
  };
  const start = rendering.ownIndexOf(edited);
  for (let i = start; i >= 0 && start - i < REACH; i -= 1) if (takes(i)) return rendering.pieces[i]!.at;
  for (let i = start + 1; i < start + REACH; i += 1) if (takes(i)) return rendering.pieces[i]!.at;
  return undefined;
}

function hasHour(rendering: Rendering, index: number): boolean {
  const piece = rendering.pieces[index]!;
  return marksOf(rendering.nativeOf(index), piece.reading).some((m) => m.ttl === '1h');
}
