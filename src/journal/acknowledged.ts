// Which of the appends in a queue survive the process before the engine has them: they continue a journal whose end is known, and
// the redo log has them. Looks at each item of the queue once.
import type { WriteOp } from './engine.js';
import type { PackedGroup } from './packed.js';
import type { Call, Logged } from './runner.js';
import { keyText } from './store.js';
import { Tails } from './tails.js';

/** Where groups survive the process before the engine has them (redo-log.ts). */
export interface Redo {
  /** @returns the record that holds them; undefined where the engine must be waited for */
  write(groups: readonly PackedGroup[]): Written | undefined;
  /** The engine has all records up to `no`. */
  done(no: number): void;
  /** What is written from now on lies apart from what is there, which goes once the engine has it. */
  rotate(): void;
  /** Nothing is written any more, and the engine has it all. */
  close(): void;
}

export interface Written {
  /** Number of the record. */
  readonly no: number;
  /** Its groups as bytes (packed-bytes.ts), in a buffer of their own. */
  readonly bytes: Uint8Array;
}

/** Items of one tick that come from several agents at once. */
const CROWD = 4;

type Append = WriteOp & { op: 'append' };

export class Acknowledged {
  readonly redo: Redo;
  readonly #tails = new Tails();
  /** Items of the batch that is being gathered that were looked at. */
  #looked = 0;
  /** Newest record of the redo log that was written, and that the engine has if it is green. */
  #written = 0;
  #done = 0;
  /** Bytes of the records whose groups are being gathered. */
  readonly #bytes = new Map<number, Uint8Array>();

  constructor(redo: Redo) {
    this.redo = redo;
  }

  /** Number of the newest record; 0 for none. */
  get written(): number {
    return this.#written;
  }

  /**
   * Puts into the redo log what it can take of that which came since the last look.
   * @param batch number of the one that is being gathered
   * @param synced sessions of which somebody waits for the disk, who has nothing of a record beside it; undefined: of all
   * @param isBusy the engine has a batch under way: what comes meanwhile, and a crowd, share a commit, which costs less than a record
   * beside it and is not waited for much longer
   */
  look(
    items: readonly (WriteOp | Call)[],
    batch: number,
    synced: ReadonlySet<string | undefined>,
    isBusy: boolean,
  ): void {
    const shares = isBusy || items.length - this.#looked >= CROWD;
    let run: Append[] = [];
    for (; this.#looked < items.length; this.#looked++) {
      const item = items[this.#looked]!;
      if (item.op === 'append') {
        const k = keyText(item.group.key);
        const waits = shares || synced.has(k) || synced.has(undefined) || item.blobs !== undefined;
        const isSafe = !waits && this.#tails.fits(k, item.group);
        if (isSafe) run.push(item);
        this.#tails.grew(k, item.group, isSafe ? 0 : batch);
      } else if (item.op === 'call') {
        // A call may make another journal of one: what is before it and what is behind it are two records.
        this.#write(run, batch);
        run = [];
      }
    }
    this.#write(run, batch);
  }

  #write(ops: readonly Append[], batch: number): void {
    if (ops.length === 0) return;
    const written = this.redo.write(ops.map((op) => op.group));
    if (written === undefined) {
      for (const { group } of ops) this.#tails.grew(keyText(group.key), group, batch);
      return;
    }
    this.#written = written.no;
    this.#bytes.set(written.no, written.bytes);
    for (const op of ops) op.redo = written.no;
  }

  /** All that was appended to the session survives the process, as far as it was looked at. */
  isSafe(k: string): boolean {
    return this.#tails.isSafe(k);
  }

  /** The same, and all was looked at. */
  hasAll(items: readonly unknown[], k: string): boolean {
    return this.#looked === items.length && this.#tails.isSafe(k);
  }

  /** Nothing of what is being gathered is only there, or asks something: it may wait for more. */
  mayLinger(items: readonly (WriteOp | Call)[]): boolean {
    return items.every((item) => item.op !== 'call' && (item.op !== 'append' || item.redo !== undefined));
  }

  /**
   * The items, which are looked at, leave with their batch.
   * @returns them with the groups of each record in one piece, where its first stood: no other of their session's is before it
   */
  leave(items: readonly (WriteOp | Call)[]): (WriteOp | Call | Logged)[] {
    this.#looked = 0;
    const out: (WriteOp | Call | Logged)[] = [];
    for (const item of items) {
      const redo = item.op === 'append' ? item.redo : undefined;
      const bytes = redo === undefined ? undefined : this.#bytes.get(redo);
      if (redo === undefined) out.push(item);
      else if (bytes !== undefined) {
        this.#bytes.delete(redo);
        out.push({ op: 'logged', redo, bytes });
      }
    }
    return out;
  }

  /** The engine has all batches up to `no`, with all records up to `record`. @param owes it does not, once it can */
  settled(no: number, record: number, owes: boolean): void {
    this.#tails.done(no);
    this.#done = Math.max(this.#done, record);
    if (!owes && this.#done > 0) this.redo.done(this.#done);
  }

  /** The journal ends elsewhere now: a record was lost, or it became another one. */
  changed(k: string): void {
    this.#tails.forget(k);
  }

  /** The engine is gone, and what is gathered with it; the next one begins with what the redo log has. */
  gone(): void {
    this.#tails.clear();
    this.#looked = 0;
    this.#bytes.clear();
    this.#done = this.#written;
  }
}
