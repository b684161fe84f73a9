// A journal engine in plain memory: for tests, for `fsync: none` trials, and as the state behind the simulated disk.
import { CuratedError, exists } from '../errors.js';
import type { Engine, EngineStats, WriteOp } from './engine.js';
import { CELLS, type Cell, misfit, type PackedGroup, type PackedRecords, verifyPacked } from './packed.js';
import {
  type Blob,
  type CheckReport,
  keyText,
  type RewindResult,
  type SessionHead,
  type SessionKey,
  type Snapshot,
  type SweepOptions,
  type SweepResult,
} from './store.js';

interface Journal {
  key: SessionKey;
  seq: number;
  hash: string;
  createdAt: number;
  updatedAt: number;
  meta: string;
  cells: Cell[];
  blobs: Set<string>;
  snapshot: Snapshot | undefined;
}

export class MemoryEngine implements Engine {
  readonly notices: readonly string[] = [];
  #journals = new Map<string, Journal>();
  /** By tenant, then by hash. */
  readonly #blobs = new Map<string, Map<string, Uint8Array>>();
  #commits = 0;
  #syncs = 0;

  commit(ops: readonly WriteOp[], sync: boolean): Map<number, Error> {
    const failed = new Map<number, Error>();
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i]!;
      if (op.op === 'append') {
        const error = this.#append(op.group, op.blobs ?? []);
        if (error) failed.set(i, error);
      } else {
        const journal = this.#journals.get(keyText(op.key));
        if (!journal) continue;
        if (op.op === 'meta') journal.meta = op.meta;
        else journal.snapshot = { seq: op.seq, hash: op.hash, bytes: op.bytes };
      }
    }
    this.#commits++;
    if (sync) this.#syncs++;
    return failed;
  }

  #append(group: PackedGroup, blobs: readonly Blob[]): Error | undefined {
    const k = keyText(group.key);
    const known = this.#journals.get(k);
    const error = misfit(known ?? { seq: 0, hash: '' }, group);
    if (error) return error;
    const { cells } = group;
    const journal = known ?? this.#create(group.key, cells[0] as number);
    for (const b of blobs) this.#keepBlob(journal, b);
    for (const cell of cells) journal.cells.push(cell);
    journal.seq += cells.length / CELLS;
    journal.hash = cells[cells.length - 2] as string;
    journal.updatedAt = cells[cells.length - CELLS] as number;
    return undefined;
  }

  #create(key: SessionKey, createdAt: number): Journal {
    const journal: Journal = {
      key,
      seq: 0,
      hash: '',
      createdAt,
      updatedAt: createdAt,
      meta: '{}',
      cells: [],
      blobs: new Set(),
      snapshot: undefined,
    };
    this.#journals.set(keyText(key), journal);
    return journal;
  }

  #keepBlob(journal: Journal, blob: Blob): void {
    const { tenant } = journal.key;
    let own = this.#blobs.get(tenant);
    if (!own) {
      own = new Map();
      this.#blobs.set(tenant, own);
    }
    if (!own.has(blob.hash)) own.set(blob.hash, blob.bytes.slice());
    journal.blobs.add(blob.hash);
  }

  /** Writes that make an empty engine equal to this one, a list a journal. */
  dump(): WriteOp[][] {
    return [...this.#journals.values()].map((j) => {
      const blobs = [...j.blobs].map((hash) => ({ hash, bytes: this.#blobs.get(j.key.tenant)!.get(hash)! }));
      const ops: WriteOp[] = [
        { op: 'append', group: { key: j.key, expectedSeq: 0, prev: '', cells: j.cells }, blobs },
        { op: 'meta', key: j.key, meta: j.meta },
      ];
      if (j.snapshot) ops.push({ op: 'snapshot', key: j.key, ...j.snapshot });
      return ops;
    });
  }

  probe(): void {}

  idle(): void {}

  read(key: SessionKey, fromSeq: number, limit: number): PackedRecords {
    const journal = this.#journals.get(keyText(key));
    const firstSeq = Math.max(1, fromSeq);
    if (!journal || firstSeq > journal.seq) return { firstSeq, prev: '', cells: [] };
    const start = (firstSeq - 1) * CELLS;
    const prev = firstSeq === 1 ? '' : (journal.cells[start - 2] as string);
    const packed = { firstSeq, prev, cells: journal.cells.slice(start, start + limit * CELLS) };
    verifyPacked(key, packed, journal);
    return packed;
  }

  blob(key: SessionKey, hash: string): Uint8Array | undefined {
    return this.#blobs.get(key.tenant)?.get(hash);
  }

  head(key: SessionKey): SessionHead | undefined {
    const journal = this.#journals.get(keyText(key));
    return journal && headOf(journal);
  }

  heads(tenant?: string): SessionHead[] {
    const live = [...this.#journals.values()].filter((j) => j.key.archive === undefined);
    return live.filter((j) => tenant === undefined || j.key.tenant === tenant).map(headOf);
  }

  loadSnapshot(key: SessionKey): Snapshot | undefined {
    const journal = this.#journals.get(keyText(key));
    const snapshot = journal?.snapshot;
    if (!snapshot || snapshot.seq < 1 || snapshot.seq > journal.seq) return undefined;
    return journal.cells[snapshot.seq * CELLS - 2] === snapshot.hash ? snapshot : undefined;
  }

  copy(from: SessionKey, toSeq: number, to: SessionKey, now = 0): void {
    const source = this.#need(from);
    if (this.#journals.has(keyText(to))) throw taken(to);
    checkSeq(source, toSeq);
    this.#put(cut(source, toSeq, to, now));
  }

  rewind(key: SessionKey, toSeq: number, archive: string, now = 0): RewindResult {
    const source = this.#need(key);
    checkSeq(source, toSeq);
    const old = this.#freeArchive(key, archive);
    this.#put({ ...source, key: old });
    this.#put(cut(source, toSeq, key, now));
    return { archive, truncatedSeq: source.seq, kept: toSeq };
  }

  restore(key: SessionKey, archive: string, archiveCurrentAs: string, now = 0): SessionHead {
    checkArchiveName(archive);
    const stored = this.#need({ ...key, archive });
    const current = this.#need(key);
    const old = this.#freeArchive(key, archiveCurrentAs);
    this.#put({ ...current, key: old });
    this.#journals.delete(keyText(stored.key));
    const live = { ...stored, key, updatedAt: Math.max(stored.updatedAt, now) };
    this.#put(live);
    return headOf(live);
  }

  archives(key: SessionKey): string[] {
    const own = [...this.#journals.values()].filter(
      (j) => j.key.tenant === key.tenant && j.key.session === key.session && j.key.archive !== undefined,
    );
    return own.map((j) => j.key.archive!).sort();
  }

  erase(key: SessionKey): void {
    for (const [k, j] of this.#journals) {
      if (j.key.tenant === key.tenant && j.key.session === key.session) this.#journals.delete(k);
    }
    this.#dropBlobs();
  }

  sweep(options: SweepOptions): SweepResult {
    const removed: SessionKey[] = [];
    if (options.retainDays > 0) {
      const limit = options.now - options.retainDays * 86_400_000;
      const open = new Set(
        (options.open ?? []).map((k) => keyText({ tenant: k.tenant, session: k.session })),
      );
      for (const [k, j] of this.#journals) {
        const { tenant, session } = j.key;
        if (j.updatedAt >= limit || open.has(keyText({ tenant, session }))) continue;
        this.#journals.delete(k);
        removed.push(j.key);
      }
    }
    return { removed, blobs: this.#dropBlobs() };
  }

  backup(): Promise<void> {
    return Promise.reject(new CuratedError('UNSUPPORTED', 'a journal in memory has no backup'));
  }

  check(): CheckReport {
    const broken: CheckReport['broken'][number][] = [];
    let events = 0;
    for (const j of this.#journals.values()) {
      events += j.seq;
      try {
        verifyPacked(j.key, { firstSeq: 1, prev: '', cells: j.cells }, j);
      } catch (e) {
        const { seq } = (e as CuratedError).detail as { seq: number };
        broken.push({ key: j.key, seq, reason: (e as Error).message });
      }
    }
    return { structure: [], broken, ...this.#numbers(), events };
  }

  stats(): EngineStats {
    let [events, blobs, bytes] = [0, 0, 0];
    for (const j of this.#journals.values()) events += j.seq;
    for (const own of this.#blobs.values()) {
      blobs += own.size;
      for (const b of own.values()) bytes += b.byteLength;
    }
    for (const j of this.#journals.values())
      for (const c of j.cells) bytes += typeof c === 'string' ? c.length : 8;
    return {
      ...this.#numbers(),
      events,
      blobs,
      bytes,
      logBytes: 0,
      commits: this.#commits,
      syncs: this.#syncs,
      checkpoints: 0,
    };
  }

  #numbers(): { sessions: number; archives: number } {
    let archives = 0;
    for (const j of this.#journals.values()) if (j.key.archive !== undefined) archives += 1;
    return { sessions: this.#journals.size - archives, archives };
  }

  close(): void {}

  #need(key: SessionKey): Journal {
    return this.#journals.get(keyText(key)) ?? unknown(key);
  }

  #put(journal: Journal): void {
    this.#journals.set(keyText(journal.key), journal);
  }

  #freeArchive(key: SessionKey, archive: string): SessionKey {
    checkArchiveName(archive);
    const to = { ...key, archive };
    if (this.#journals.has(keyText(to))) throw taken(to);
    return to;
  }

  /** Removes blobs that no journal of their tenant names. */
  #dropBlobs(): number {
    let dropped = 0;
    for (const [tenant, own] of this.#blobs) {
      const used = new Set<string>();
      for (const j of this.#journals.values()) {
        if (j.key.tenant === tenant) for (const hash of j.blobs) used.add(hash);
      }
      for (const hash of own.keys()) {
        if (used.has(hash)) continue;
        own.delete(hash);
        dropped++;
      }
    }
    return dropped;
  }
}

function headOf(j: Journal): SessionHead {
  const meta = JSON.parse(j.meta) as Record<string, unknown>;
  return { key: j.key, seq: j.seq, hash: j.hash, createdAt: j.createdAt, updatedAt: j.updatedAt, meta };
}

function cut(source: Journal, toSeq: number, key: SessionKey, now: number): Journal {
  const cells = source.cells.slice(0, toSeq * CELLS);
  return {
    ...source,
    key,
    seq: toSeq,
    hash: cells[cells.length - 2] as string,
    updatedAt: Math.max(cells[cells.length - CELLS] as number, now),
    cells,
    blobs: new Set(source.blobs),
    snapshot: undefined,
  };
}

/** Archive names become folder names in an export: no path separators, no dot names. */
export function checkArchiveName(name: string): void {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
    throw new CuratedError('BAD_TYPE', `'${name}' is no archive name`, { path: '/archive' });
  }
}

/** A seq that can be the end of a copy: 1 to the head's. */
export function checkSeq(head: { seq: number }, toSeq: number): void {
  if (!Number.isSafeInteger(toSeq) || toSeq < 1 || toSeq > head.seq) {
    throw new CuratedError('SEQ_GAP', `there is no record ${toSeq}`, { detail: { expected: head.seq } });
  }
}

export function taken(key: SessionKey): CuratedError {
  return exists(key.archive ?? key.session);
}

export function unknown(key: SessionKey): never {
  throw new CuratedError('UNKNOWN_SESSION', `there is no journal ${key.archive ?? key.session}`);
}
