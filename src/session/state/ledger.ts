// The ledger of substitutions: every journalled decision with its edits, by stored message. Knows no heuristic; what
// stands here is applied for ever, until the messages it stands on leave the history.

import type { LedgerEdit } from '../../curation/decisions.js';
import { pointer } from '../../json/index.js';
import type { EventType } from './events.js';

export interface Decision {
  /** seq of the event that took the decision; its identity. */
  readonly seq: number;
  readonly type: EventType;
  readonly edits: readonly LedgerEdit[];
  /** Taken by a daemon that only watches: part of the projection, never of the request. */
  readonly observed?: boolean;
  /** Repairs that it took back, since what they mended left the view: they stand again when it goes. */
  readonly repairs?: readonly Decision[];
}

/** The stored message that an edit touches, or stands before. */
export function positionOf(edit: LedgerEdit): number {
  return edit.op === 'insert' ? edit.before : edit.at;
}

/** Edits that are only good together: something of ours in place of messages, or a call and its result taken out. */
function isWhole({ type, edits }: Decision): boolean {
  if (edits.some((e) => e.op === 'insert')) return true;
  return type === 'memory.tool_result_cleared' && edits.some((e) => e.op === 'drop');
}

/** Changes remembered for readers that follow the ledger. */
const TOUCHES_KEPT = 4096;

/** Lists up to this length are read as fast as they are remembered. */
const FEW = 8;

const NONE: readonly LedgerEdit[] = [];

export class Ledger {
  readonly #decisions = new Map<number, Decision>();
  readonly #edits = new Map<number, LedgerEdit[]>();
  readonly #inserts = new Map<number, LedgerEdit[]>();
  readonly #observed = new Set<LedgerEdit>();
  /** Pointers of long lists of edits, as far as they were read: a list only grows, or another one takes its place. */
  readonly #named = new WeakMap<readonly LedgerEdit[], { read: number; paths: Set<string> }>();
  /** Number of drops by stored message. */
  readonly #drops = new Map<number, number>();
  /** The last stored message with an edit, once asked for; -1 when there is none. */
  #last: number | undefined = -1;
  /** Grows with every change; what reads the ledger remembers up to where it has read. */
  readonly #touches: number[] = [];
  #revision = 0;
  #revisionBase = 0;
  #turnedAt = 0;

  get size(): number {
    return this.#decisions.size;
  }

  decisions(): IterableIterator<Decision> {
    return this.#decisions.values();
  }

  get(seq: number): Decision | undefined {
    return this.#decisions.get(seq);
  }

  /** @param projected also what was only observed */
  editsOf(at: number, projected = false): readonly LedgerEdit[] {
    return this.#real(this.#edits.get(at), projected);
  }

  /** Does an edit name this JSON pointer of a stored message, one that was only observed included? */
  names(at: number, path: string): boolean {
    const edits = this.#edits.get(at);
    if (edits === undefined) return false;
    if (edits.length <= FEW) return edits.some((e) => 'path' in e && pointer(e.path) === path);
    let known = this.#named.get(edits);
    if (known === undefined) {
      known = { read: 0, paths: new Set() };
      this.#named.set(edits, known);
    }
    for (; known.read < edits.length; known.read += 1) {
      const e = edits[known.read]!;
      if ('path' in e) known.paths.add(pointer(e.path));
    }
    return known.paths.has(path);
  }

  insertsBefore(at: number, projected = false): readonly LedgerEdit[] {
    return this.#real(this.#inserts.get(at), projected);
  }

  #real(edits: readonly LedgerEdit[] | undefined, projected: boolean): readonly LedgerEdit[] {
    if (edits === undefined) return NONE;
    return projected || this.#observed.size === 0 ? edits : edits.filter((e) => !this.#observed.has(e));
  }

  /** Stored messages with at least one edit, ascending. */
  edited(): number[] {
    return [...this.#edits.keys()].sort((a, b) => a - b);
  }

  /** The last stored message with an edit, -1 when there is none. O(edited messages) after that one has lost its edits, else O(1). */
  lastEdited(): number {
    if (this.#last === undefined) {
      this.#last = -1;
      for (const at of this.#edits.keys()) if (at > this.#last) this.#last = at;
    }
    return this.#last;
  }

  /** Stored positions before which something of ours stands, ascending. */
  inserted(): number[] {
    return [...this.#inserts.keys()].sort((a, b) => a - b);
  }

  /** True if a decision took the message out of the view; or would have, where it was only observed. */
  isDropped(at: number): boolean {
    return this.#drops.has(at);
  }

  /** Stored messages that are out of the request, in no order. O(them). */
  dropped(): number[] {
    const all = [...this.#drops.keys()];
    return this.#observed.size === 0
      ? all
      : all.filter((at) => this.editsOf(at).some((e) => e.op === 'drop'));
  }

  add(decision: Decision): void {
    this.#decisions.set(decision.seq, decision);
    for (const edit of decision.edits) {
      if (decision.observed) this.#observed.add(edit);
      this.#link(edit);
    }
  }

  /**
   * Takes one decision back (a recall in place, a superseded durable block).
   * @returns the repairs in it: its own, and those that it had taken back
   */
  remove(seq: number): readonly Decision[] {
    const decision = this.#decisions.get(seq);
    if (decision === undefined) return [];
    this.#decisions.delete(seq);
    for (const edit of decision.edits) this.#unlink(edit);
    return [...(decision.type === 'session.repaired' ? [decision] : []), ...(decision.repairs ?? [])];
  }

  /**
   * What the view would get back without these decisions: their tokens, and the first position they touch.
   * @param tokensOf of a stored message as it came
   */
  weight(seqs: readonly number[], tokensOf: (at: number) => number): { tokens: number; first: number } {
    const edits = seqs.flatMap((seq) => this.#decisions.get(seq)?.edits ?? []);
    // A message that left by a run comes back with what else stands on it.
    const run = (at: number) => this.editsOf(at).reduce((sum, e) => sum + (e.delta ?? 0), tokensOf(at));
    return {
      tokens: edits.reduce(
        (sum, e) => sum + (e.op === 'drop' && e.delta === undefined ? run(e.at) : -(e.delta ?? 0)),
        0,
      ),
      first: Math.min(...edits.map(positionOf)),
    };
  }

  /** Takes back all that was only observed: the session is curated from now on, or no longer watched. */
  dropObserved(): number[] {
    const gone = [...this.#decisions.values()].filter((d) => d.observed).map((d) => d.seq);
    for (const seq of gone) this.remove(seq);
    return gone;
  }

  /** Decisions that touch a message at or behind `index`. */
  standingOn(index: number): number[] {
    return [...this.#decisions.values()]
      .filter((d) => d.edits.some((e) => positionOf(e) >= index))
      .map((d) => d.seq);
  }

  /**
   * Takes back what stands on messages at or behind `index`; the seqs of decisions that are gone altogether. A decision that
   * put something of ours in place of messages goes whole. Any other keeps what it did before `index`: each of its edits is
   * good on its own, and thinking that was voided by an earlier edit must not come back (PV-A26).
   */
  dropFrom(index: number): number[] {
    const gone: number[] = [];
    const back: Decision[] = [];
    for (const seq of this.standingOn(index)) {
      const decision = this.#decisions.get(seq)!;
      const kept = isWhole(decision) ? [] : decision.edits.filter((e) => positionOf(e) < index);
      if (kept.length === 0) {
        back.push(...this.remove(seq).filter((d) => d !== decision));
        gone.push(seq);
        continue;
      }
      // The edits that stay keep their place in the order: later ones on the same message still win.
      for (const edit of decision.edits) if (positionOf(edit) >= index) this.#unlink(edit);
      this.#decisions.set(seq, { ...decision, edits: kept });
    }
    for (const repair of back) if (repair.edits.every((e) => positionOf(e) < index)) this.add(repair);
    return gone;
  }

  /** Marks that messages from `at` on must be rendered anew for a reason of their own (remarked, diverged). */
  touch(at: number): void {
    this.#touch(at);
    this.#turnedAt = this.#revision;
  }

  /** The revision at which messages themselves changed last: what is older than that must not be patched by edits alone. */
  get turnedAt(): number {
    return this.#turnedAt;
  }

  /** Number of changes so far: a reader's mark for `touchedSince`. */
  get revision(): number {
    return this.#revision;
  }

  /** The first stored position whose rendering may have changed since `revision`; Infinity when none has. */
  touchedSince(revision: number): number {
    let from = Number.POSITIVE_INFINITY;
    for (let i = Math.max(0, revision - this.#revisionBase); i < this.#touches.length; i += 1) {
      from = Math.min(from, this.#touches[i]!);
    }
    return revision < this.#revisionBase ? 0 : from;
  }

  /** Positions that were touched since `revision`, repeats included; undefined when that is too long ago to tell. */
  touchesSince(revision: number): readonly number[] | undefined {
    if (revision < this.#revisionBase) return undefined;
    return this.#touches.slice(revision - this.#revisionBase);
  }

  #link(edit: LedgerEdit): void {
    const map = edit.op === 'insert' ? this.#inserts : this.#edits;
    const at = positionOf(edit);
    if (edit.op === 'drop') this.#drops.set(at, (this.#drops.get(at) ?? 0) + 1);
    if (edit.op !== 'insert' && this.#last !== undefined && at > this.#last) this.#last = at;
    const list = map.get(at);
    if (list === undefined) map.set(at, [edit]);
    else if (edit.op === 'insert' && edit.ahead) list.unshift(edit);
    else list.push(edit);
    this.#touch(at);
  }

  #unlink(edit: LedgerEdit): void {
    this.#observed.delete(edit);
    const map = edit.op === 'insert' ? this.#inserts : this.#edits;
    const at = positionOf(edit);
    const rest = (map.get(at) ?? []).filter((e) => e !== edit);
    if (rest.length === 0) map.delete(at);
    else map.set(at, rest);
    if (edit.op !== 'insert' && rest.length === 0 && at === this.#last) this.#last = undefined;
    if (edit.op === 'drop') {
      const left = (this.#drops.get(at) ?? 1) - 1;
      if (left === 0) this.#drops.delete(at);
      else this.#drops.set(at, left);
    }
    this.#touch(at);
  }

  #touch(at: number): void {
    this.#touches.push(at);
    this.#revision += 1;
    if (this.#touches.length <= TOUCHES_KEPT) return;
    // A reader that is further behind than this renders everything anew.
    this.#touches.splice(0, TOUCHES_KEPT / 2);
    this.#revisionBase += TOUCHES_KEPT / 2;
  }
}
