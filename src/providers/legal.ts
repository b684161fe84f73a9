// PROVIDERS section 6 as data: which edit is legal for which model class, and under which conditions.
import type { ModelClass } from './types.js';

/**
 * 1 pairs and groups whole. 2 at a boundary, and all thinking after the edit point is gone for good. 3 not in the open
 * round, re-applied for ever. 4 no empty message, user text survives. 5 a genuine user message stays, head rules hold.
 * 6 R3 to R6. 7 the profile lists it, the prediction is checked. 8 as a new chain with full input. 9 the template
 * allows the roles. 10 still a JSON object. 11 once, at a session boundary, tools with calls in the history stay.
 */
export type Condition = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11;

interface Cell {
  /** 'yes', 'no', or the conditions under which it is allowed. */
  verdict: 'yes' | 'no' | readonly Condition[];
  /** Rule that shows the other way, or that applies. */
  see?: string;
}

const Y: Cell = { verdict: 'yes' };
const N: Cell = { verdict: 'no' };
const on = (...verdict: Condition[]): Cell => ({ verdict });
const row = (AF: Cell, AB: Cell, CC: Cell, RS: Cell, RC: Cell, SH: Cell): Record<ModelClass, Cell> => ({
  AF,
  AB,
  CC,
  RS,
  RC,
  SH,
});

export const LEGAL = {
  /** Shape or shrink the newest result or image before its first send. */
  'shape-pre-send': row(Y, Y, Y, Y, Y, Y),
  /** Clear an older result in place, or make it a pointer to a visible copy. */
  'clear-result': row(on(1), on(1, 2), on(1), on(1), on(8), on(1)),
  /** Clear or shorten an older call input. */
  'shorten-input': row(on(10), on(2, 10), on(10), on(10), on(8), on(10)),
  /** Remove an older pair, or one pair of a group. */
  'remove-pair': row(on(1, 4), on(1, 2, 4), on(1, 4), on(1, 4, 6), on(8), on(1, 4, 9)),
  /** Drop the oldest turns. */
  window: row(on(1, 5), on(1, 2, 5), on(1, 5), on(1, 5, 6), on(8), on(1, 5, 9)),
  /** Cut a turn out of the middle. */
  'cut-middle': row(on(1, 4, 5), on(1, 2, 4), on(1, 5), on(1, 6), N, on(1, 9)),
  /** Own summary in place of a prefix, tail kept. */
  'summarise-prefix': row(on(1, 5), on(1, 2, 5), on(1, 5), on(1, 5, 6), on(8), on(1, 5, 9)),
  /** Own summary in place of everything. */
  'summarise-all': row(on(5), on(5), on(5), on(5), on(8), on(5, 9)),
  /** The provider's compaction or context editing. */
  native: row(on(7), on(7), N, on(7), on(7), N),
  /** Remove all thinking or reasoning. */
  'remove-thinking': row(on(3), on(3), Y, on(6), on(8), Y),
  /** Remove the oldest thinking, a run from the start. */
  'remove-oldest-thinking': row(on(3), on(3), Y, on(6), on(8), Y),
  /** Remove a thinking block from the middle, or put one back. */
  'thinking-gap': row(on(3), N, Y, on(6), N, Y),
  /** Shorten or rewrite thinking. */
  'rewrite-thinking': row(N, N, N, N, N, N),
  /** Edit, merge or hoist `system` or operator text. */
  'edit-system': row(N, N, N, N, N, { verdict: 'no', see: 'PV-S3 from the first request on' }),
  /** Add, remove, reorder `tools` after turn 1. */
  'change-tools': row(on(11), { verdict: 'no', see: 'PV-A46' }, on(11), on(11), on(8), on(11)),
  /** `tool_addition`, `tool_removal`, `defer_loading`. */
  'defer-tools': row(on(7), on(7), N, on(7), on(7), N),
  /** Append to the newest user turn and keep it there. */
  'append-user': row(Y, Y, Y, Y, Y, Y),
  /** Append a reminder and delete it later. */
  'passing-reminder': row(Y, { verdict: 'no', see: 'PV-A14' }, Y, Y, on(8), on(9)),
  /** Re-encode, shrink or drop an older image. */
  'shrink-image': row(Y, on(2), Y, Y, on(8), Y),
  /** Move, add, remove cache marks. */
  'move-marks': row(Y, Y, Y, Y, N, N),
  /** Change the open round beyond pre-send, a paused turn, an opaque block. */
  'open-round': row(N, N, N, N, N, N),
  /** Switch the model. */
  'switch-model': row(Y, { verdict: 'yes', see: 'PV-A30' }, Y, on(6), on(8), Y),
} as const satisfies Record<string, Record<ModelClass, Cell>>;

export type EditKind = keyof typeof LEGAL;

/** What is known about the moment and the edit; a condition that is not named is not known. */
export type Situation = Readonly<Partial<Record<Condition, boolean>>>;

export interface Verdict {
  /** `if`: nothing speaks against it, but the conditions in `open` are not known to hold. */
  answer: 'yes' | 'no' | 'if';
  open: Condition[];
  broken: Condition[];
  see?: string;
}

/** Is this edit legal for this class of model in this situation? */
export function legal(edit: EditKind, modelClass: ModelClass, situation: Situation = {}): Verdict {
  const cell: Cell = LEGAL[edit][modelClass];
  const see = cell.see === undefined ? {} : { see: cell.see };
  if (typeof cell.verdict === 'string') return { answer: cell.verdict, open: [], broken: [], ...see };
  const broken = cell.verdict.filter((c) => situation[c] === false);
  const open = cell.verdict.filter((c) => situation[c] === undefined);
  return { answer: broken.length > 0 ? 'no' : open.length > 0 ? 'if' : 'yes', open, broken, ...see };
}
