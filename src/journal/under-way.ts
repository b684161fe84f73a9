// Batches that the engine has and has not answered yet, in the order of their numbers.
import type { Gathered } from './gathering.js';
import type { PackedGroup } from './packed.js';

/** Without its items: the engine has a copy of them, and theirs would be kept for as long as it works. */
export interface Sent extends Omit<Gathered, 'items'> {
  readonly no: number;
  /** Groups that are lost where the engine is. */
  readonly unlogged: readonly Unlogged[];
  /** Milliseconds, monotonic. */
  readonly at: number;
  /** Number of the newest record in the redo log when it left; 0 for none. */
  readonly redo: number;
}

/** Where a group would stand that the redo log does not have. */
export type Unlogged = Pick<PackedGroup, 'key' | 'expectedSeq'>;

export function unloggedOf(items: Gathered['items']): Unlogged[] {
  const out: Unlogged[] = [];
  for (const item of items) {
    if (item.op !== 'append' || item.redo !== undefined) continue;
    const { key, expectedSeq } = item.group;
    out.push({ key, expectedSeq });
  }
  return out;
}

export class UnderWay {
  readonly #sent: Sent[] = [];
  /** Of all of them together. */
  groups = 0;
  bytes = 0;

  get isEmpty(): boolean {
    return this.#sent.length === 0;
  }

  push(sent: Sent): void {
    this.#sent.push(sent);
    this.groups += sent.groups;
    this.bytes += sent.bytes;
  }

  /** Those with numbers up to `no`, which are there no more. */
  upTo(no: number): Sent[] {
    let count = 0;
    while (count < this.#sent.length && this.#sent[count]!.no <= no) {
      this.groups -= this.#sent[count]!.groups;
      this.bytes -= this.#sent[count]!.bytes;
      count++;
    }
    return this.#sent.splice(0, count);
  }
}
