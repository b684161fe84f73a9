// Groups (all calls of one assistant turn plus all their results), the open round, and where a history may be cut.
// Knows readings only, so that it is the same for every format.
import { headCount } from '../sorted.js';
import type { Format, Reading } from './types.js';

export interface Group {
  /** Index of the first message of the group: the call message, in Responses the first item of the model's turn. */
  start: number;
  /** Exclusive: index behind the last message that carries a call or a result of the group. */
  end: number;
  /** Call ids in call order. An id may recur in another group: identity is (position, id). */
  ids: string[];
  /** Ids without a result so far. */
  missing: Set<string>;
}

/** A user message that a person sent: text or an attachment of its own, not only tool results (case 04). */
export function isGenuineUser(r: Reading): boolean {
  if (r.role !== 'user') return false;
  if (r.ownText.trim() !== '') return true;
  return r.parts.some((p) => p.kind === 'image' || p.kind === 'document');
}

/** Built message by message; every push costs what the message holds. */
export class Groups {
  readonly #joinsRuns: boolean;
  readonly #groups: Group[] = [];
  readonly #open = new Map<string, Group>();
  #count = 0;
  #last: Reading | undefined;
  /** Is the newest group's model turn still going on (Responses: item by item)? */
  #inRun = false;

  constructor(format: Format) {
    this.#joinsRuns = format === 'openai-responses';
  }

  get all(): readonly Group[] {
    return this.#groups;
  }

  get length(): number {
    return this.#count;
  }

  push(r: Reading): void {
    const index = this.#count++;
    this.#last = r;
    if (r.role === 'assistant') this.#assistant(r, index);
    else this.#inRun = false;
    for (const part of r.parts) {
      if (part.kind !== 'tool_result' || part.callId === undefined) continue;
      const group = this.#open.get(part.callId);
      if (group === undefined) continue;
      this.#open.delete(part.callId);
      group.missing.delete(part.callId);
      group.end = index + 1;
    }
  }

  #assistant(r: Reading, index: number): void {
    let group = this.#joinsRuns && this.#inRun ? this.#groups.at(-1) : undefined;
    if (group !== undefined) group.end = index + 1;
    for (const part of r.parts) {
      // In Responses a reasoning item belongs to the items that follow it: the run is one unit.
      const opens = part.kind === 'tool_call' || (this.#joinsRuns && part.kind === 'thinking');
      if (!opens) continue;
      if (group === undefined) {
        group = { start: index, end: index + 1, ids: [], missing: new Set() };
        this.#groups.push(group);
        this.#inRun = true;
      }
      if (part.callId === undefined) continue;
      group.ids.push(part.callId);
      group.missing.add(part.callId);
      this.#open.set(part.callId, group);
    }
  }

  /** The group that holds message `index`, or undefined. O(log n). */
  at(index: number): Group | undefined {
    const group = this.#groups[headCount(this.#groups.length, (i) => this.#groups[i]!.start <= index) - 1];
    return group !== undefined && index < group.end ? group : undefined;
  }

  /** May the history be cut so that message `index` is the first one kept? True where no group is split. */
  canCut(index: number): boolean {
    const group = this.at(index);
    return group === undefined || group.start === index;
  }

  /**
   * The open round: the newest group if its results are not all in, or if they are the newest message and still
   * unanswered. PV-A9: it is untouched, except for pre-send shaping.
   */
  open(): Group | undefined {
    const group = this.#groups.at(-1);
    if (group === undefined || (group.missing.size === 0 && group.ids.length === 0)) return undefined;
    if (group.missing.size > 0) return group;
    return group.end === this.#count ? group : undefined;
  }

  /** The newest message is a genuine user message and no round is open. */
  atBoundary(): boolean {
    return this.#last !== undefined && isGenuineUser(this.#last) && this.open() === undefined;
  }
}
