// The batch that is being gathered: what came since the last one left.
import type { WriteOp } from './engine.js';
import type { Call } from './runner.js';

/** What has been gathered, and how much it is. */
export interface Gathered {
  readonly items: readonly (WriteOp | Call)[];
  readonly groups: number;
  readonly bytes: number;
  readonly records: number;
  /** Somebody waits for the disk. */
  readonly sync: boolean;
}

export class Gathering implements Gathered {
  items: (WriteOp | Call)[] = [];
  groups = 0;
  /** Of payload. */
  bytes = 0;
  records = 0;
  sync = false;

  /** One group of records and the blobs that it names. */
  addGroup(op: WriteOp, records: number, bytes: number): void {
    this.items.push(op);
    this.groups++;
    this.records += records;
    this.bytes += bytes;
  }

  add(item: WriteOp | Call, bytes = 0): void {
    this.items.push(item);
    this.bytes += bytes;
  }

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  /** What there is leaves; the next batch begins. */
  take(): Gathered {
    const { items, groups, bytes, records, sync } = this;
    this.items = [];
    this.groups = 0;
    this.bytes = 0;
    this.records = 0;
    this.sync = false;
    return { items, groups, bytes, records, sync };
  }
}
