// One cycle of condensing: what was asked, the exact messages it was asked for, and how it ended. Data only.

import type { ArchiveNote } from '../../curation/decisions.js';
import type { Summariser } from '../../summary/summariser.js';
import type { StoredMessage } from '../state/state.js';
import type { Range } from './range.js';

export type CycleKind = 'summary' | 'compaction';

export interface Cycle {
  kind: CycleKind;
  reason: string;
  /** Who wanted it: its result is applied at once, or (`background`) at a boundary when it pays. */
  origin: 'host' | 'gate' | 'error' | 'background';
  /** Fires when a call waits for it: it makes haste then, and its result is applied at once, whoever wanted it first. */
  hurry: AbortController;
  range: Range;
  /** Tokens of the view that the range stands for, about. */
  weight: number;
  /** The messages of the range as they were: the result is void when they are others by then. */
  messages: readonly StoredMessage[];
  /** Decision of the summary that this one builds on. */
  previous: number | undefined;
  /** Main requests so far when it began. */
  since: number;
  /** Set where not the session's own summariser is to be asked. */
  builtIn: boolean;
  summariser?: Summariser;
  /** What was decided in the first turn, found in `budget` tokens. */
  decided?: { budget: number; lines: readonly string[] };
  /** What is archived of the range once the summary stands (L5-9). */
  archive?: ArchiveNote;
  done: Promise<CycleEnd>;
  settle: (end: CycleEnd) => void;
}

/** Reason of a cycle whose summary people did not want. */
export const NOT_APPROVED = 'not approved';

/** Reason of a cycle whose range is not what it was when it began. */
export const CHANGED = 'the history has changed';

/** Reason of a cycle that a user asked for, and then wanted back what it builds on. */
export const TAKEN_BACK = 'taken back';

/** `skipped`: nothing to do or not possible now. `rejected`: people or checks said no. */
export type CycleEnd =
  | { ok: true }
  | { ok: false; how: 'skipped' | 'rejected' | 'failed' | 'timeout'; reason: string };

export function newCycle(
  o: Omit<Cycle, 'done' | 'settle' | 'messages' | 'hurry'> & { stored: readonly StoredMessage[] },
): Cycle {
  let settle!: (end: CycleEnd) => void;
  const done = new Promise<CycleEnd>((resolve) => {
    settle = resolve;
  });
  const { stored, ...rest } = o;
  const hurry = new AbortController();
  if (o.origin === 'gate' || o.origin === 'error') hurry.abort();
  return { ...rest, hurry, messages: stored.slice(o.range.from, o.range.to + 1), done, settle };
}

/** Are the messages of the range still the ones that the summary was made from? */
export function unchanged(
  cycle: Cycle,
  stored: readonly StoredMessage[],
  previous: number | undefined,
): boolean {
  if (previous !== cycle.previous) return false;
  return cycle.messages.every((m, i) => {
    const now = stored[cycle.range.from + i];
    return now === m || (now !== undefined && now.id === m.id && now.native.text === m.native.text);
  });
}
