// A disk that lies as disks do, from a seed: unsynced writes are lost, torn at sectors and reordered by a power loss. Pure.
import { CuratedError } from '../../src/errors.js';

const SECTOR = 512;

type Change =
  | { readonly kind: 'write'; readonly at: number; readonly data: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

interface SimFile {
  /** What a power loss leaves for certain. */
  durable: Uint8Array;
  /** What the operating system shows. */
  cached: Uint8Array;
  /** Changes since the last sync, in order. */
  pending: Change[];
}

export interface SimFaults {
  /** Bytes of all files at most; a write beyond it is cut short and fails. */
  capacity?: number;
  /** Numbers of calls (from 1, writes and syncs alike) that fail with EIO. A failed sync loses what it should have kept. */
  eio?: ReadonlySet<number>;
  /** Number of the call during which the power goes; that call and all later ones throw PowerLoss. */
  powerLoss?: number;
}

export class PowerLoss extends Error {
  constructor() {
    super('the power is gone');
  }
}

/**
 * Files by name. Names are durable at once, except that a rename needs `syncFolder`; contents need `sync`.
 * Errors are those of the store: STORAGE_FULL and STORAGE.
 */
export class SimDisk {
  faults: SimFaults;
  calls = 0;
  #files = new Map<string, SimFile>();
  /** Renames since the last folder sync, in order: from, to, and what `to` was. */
  #renames: { from: string; to: string; before: SimFile | undefined }[] = [];

  constructor(faults: SimFaults = {}) {
    this.faults = faults;
  }

  /** True once a call was made during or after the power loss. */
  get dark(): boolean {
    return this.calls >= (this.faults.powerLoss ?? Number.POSITIVE_INFINITY);
  }

  size(name: string): number {
    return this.#files.get(name)?.cached.length ?? 0;
  }

  exists(name: string): boolean {
    return this.#files.has(name);
  }

  read(name: string): Uint8Array {
    return this.#files.get(name)?.cached ?? new Uint8Array(0);
  }

  /** Appends; a full disk takes what fits and then fails. */
  append(name: string, data: Uint8Array): void {
    const file = this.#file(name);
    const room = (this.faults.capacity ?? Number.POSITIVE_INFINITY) - this.#used();
    const fits = room >= data.length ? data : data.subarray(0, Math.max(0, room));
    // A write during which the power goes may have reached the cache in part.
    this.#call(() => this.#change(file, { kind: 'write', at: file.cached.length, data: fits }));
    this.#change(file, { kind: 'write', at: file.cached.length, data: fits });
    if (fits.length < data.length)
      throw new CuratedError('STORAGE_FULL', 'no space left on the simulated disk');
  }

  truncate(name: string, size: number): void {
    this.#call();
    const file = this.#file(name);
    if (size < file.cached.length) this.#change(file, { kind: 'truncate', size });
  }

  sync(name: string): void {
    const file = this.#file(name);
    this.#call(undefined, () => {
      // As Linux does: the pages count as clean from now on, and never get to the disk.
      file.pending = [];
    });
    file.durable = file.cached;
    file.pending = [];
  }

  rename(from: string, to: string): void {
    this.#call();
    const file = this.#file(from);
    this.#renames.push({ from, to, before: this.#files.get(to) });
    this.#files.delete(from);
    this.#files.set(to, file);
  }

  remove(name: string): void {
    this.#call();
    this.#files.delete(name);
  }

  syncFolder(): void {
    this.#call();
    this.#renames = [];
  }

  /** The disk after the process died and the machine did not: all that was written is there. */
  afterKill(): SimDisk {
    return this.#copy((file) => file.cached);
  }

  /** The disk after a power loss: synced bytes, and of the rest what the seed decides. */
  afterPowerLoss(random: () => number): SimDisk {
    const next = this.#copy((file) => survive(file, random));
    // Renames reach the disk in order, up to some point.
    const kept = Math.floor(random() * (this.#renames.length + 1));
    for (const { from, to, before } of this.#renames.slice(kept).reverse()) {
      const moved = next.#files.get(to);
      if (moved) next.#files.set(from, moved);
      if (before) next.#files.set(to, fresh(survive(before, random)));
      else next.#files.delete(to);
    }
    return next;
  }

  /** Flips one bit of what is on the disk. */
  flip(name: string, at: number, bit = 0): void {
    const file = this.#file(name);
    file.cached = file.cached.slice();
    file.cached[at]! ^= 1 << bit;
    file.durable = file.cached;
  }

  #copy(contents: (file: SimFile) => Uint8Array): SimDisk {
    const next = new SimDisk();
    for (const [name, file] of this.#files) next.#files.set(name, fresh(contents(file)));
    return next;
  }

  #file(name: string): SimFile {
    let file = this.#files.get(name);
    if (!file) {
      file = fresh(new Uint8Array(0));
      this.#files.set(name, file);
    }
    return file;
  }

  #used(): number {
    let used = 0;
    for (const file of this.#files.values()) used += file.cached.length;
    return used;
  }

  #change(file: SimFile, change: Change): void {
    file.pending.push(change);
    file.cached = applied(file.cached, change);
  }

  #call(onPowerLoss?: () => void, onEio?: () => void): void {
    this.calls++;
    const { powerLoss, eio } = this.faults;
    if (powerLoss !== undefined && this.calls >= powerLoss) {
      if (this.calls === powerLoss) onPowerLoss?.();
      throw new PowerLoss();
    }
    if (eio?.has(this.calls)) {
      onEio?.();
      throw new CuratedError('STORAGE', 'EIO on the simulated disk');
    }
  }
}

function fresh(bytes: Uint8Array): SimFile {
  return { durable: bytes, cached: bytes, pending: [] };
}

function applied(bytes: Uint8Array, change: Change): Uint8Array {
  if (change.kind === 'truncate') return bytes.slice(0, change.size);
  const { at, data } = change;
  const next = new Uint8Array(Math.max(bytes.length, at + data.length));
  next.set(bytes);
  next.set(data, at);
  return next;
}

/** Each pending change is lost, kept whole, or kept in some of its sectors; a hole reads as zeros. */
function survive(file: SimFile, random: () => number): Uint8Array {
  let bytes = file.durable;
  for (const change of file.pending) {
    const fate = random();
    if (fate < 0.35) continue;
    if (change.kind === 'truncate' || fate < 0.7) {
      bytes = applied(bytes, change);
      continue;
    }
    for (let from = 0; from < change.data.length; ) {
      const end = Math.min(change.data.length, from + SECTOR - ((change.at + from) % SECTOR));
      const cut = random() < 0.2 ? from + Math.floor(random() * (end - from)) : end;
      if (random() < 0.6)
        bytes = applied(bytes, {
          kind: 'write',
          at: change.at + from,
          data: change.data.subarray(from, cut),
        });
      from = end;
    }
  }
  return bytes;
}
