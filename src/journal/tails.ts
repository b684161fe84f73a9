// Where the journals that are written to end, as their writer's queue knows it: what continues such an end cannot be refused, so it
// may be acknowledged before the engine has it. A cache: what it does not know waits for the engine.
import { CELLS, type PackedGroup } from './packed.js';

interface Tail {
  seq: number;
  hash: string;
  /** Batch with which the engine will have the newest records that nothing else holds; 0 when all are safe. */
  open: number;
}

/** Journals that are remembered at most. */
const MOST = 4096;

export class Tails {
  readonly #byKey = new Map<string, Tail>();
  /** Keys with records that only batch `no` brings, oldest first. */
  #opened: { no: number; k: string }[] = [];

  /** Continues what is known to be safe. */
  fits(k: string, group: PackedGroup): boolean {
    const tail = this.#byKey.get(k);
    return tail?.open === 0 && tail.seq === group.expectedSeq && tail.hash === group.prev;
  }

  /** All that was appended to `k` is safe. */
  isSafe(k: string): boolean {
    return this.#byKey.get(k)?.open === 0;
  }

  /** The group is safe already (`no` 0), or will be with batch `no`. */
  grew(k: string, { expectedSeq, cells }: PackedGroup, no: number): void {
    if (this.#byKey.size >= MOST && !this.#byKey.has(k)) this.#byKey.clear();
    const seq = expectedSeq + cells.length / CELLS;
    this.#byKey.set(k, { seq, hash: cells[cells.length - 2] as string, open: no });
    if (no > 0) this.#opened.push({ no, k });
  }

  /** The engine has all batches up to `no`. */
  done(no: number): void {
    let n = 0;
    for (; n < this.#opened.length && this.#opened[n]!.no <= no; n++) {
      const tail = this.#byKey.get(this.#opened[n]!.k);
      if (tail !== undefined && tail.open <= no) tail.open = 0;
    }
    if (n > 0) this.#opened.splice(0, n);
  }

  /** The journal ends elsewhere now, nobody knows where. */
  forget(k: string): void {
    this.#byKey.delete(k);
  }

  clear(): void {
    this.#byKey.clear();
  }
}
