// The journal in one SQLite file, WAL mode. Synchronous; owned by one thread (workers/journal.ts) or by an offline command.
import { CuratedError } from '../errors.js';
import type { Engine, EngineStats, WriteOp } from './engine.js';
import { checkArchiveName, checkSeq, taken } from './memory-engine.js';
import { CELLS, type Cell, misfit, type PackedRecords } from './packed.js';
import { makePrivate, needsNew, removeFile } from './private-file.js';
import { quarantined } from './record.js';
import { Blobs } from './sqlite-blobs.js';
import { Events, READ_MAX } from './sqlite-events.js';
import { SqliteFile, type SqliteOptions } from './sqlite-file.js';
import { chainHead, type HeadRow, Heads, headOf } from './sqlite-heads.js';
import { type Db, storageError } from './sqlite-schema.js';
import {
  type CheckReport,
  keyText,
  type RewindResult,
  type SessionHead,
  type SessionKey,
  type Snapshot,
  type SweepOptions,
  type SweepResult,
} from './store.js';
import { SealedVault, type Vault } from './vault.js';

/** An index that lives in the same file (search), kept in the transactions that write and remove the records it is made from. */
export interface Feed {
  /** Records were appended to the journal with row number `session`; cells as in packed.ts. */
  append(session: number, firstSeq: number, cells: readonly Cell[]): void;
  /** A journal was copied up to `toSeq` (a fork, a rewind). */
  copy(from: number, to: number, toSeq: number): void;
  /** The journal is gone for good; nothing of it may stay. */
  remove(session: number): void;
}

/** Files up to this size are rewritten as a whole by `erase`, so that no slack keeps what was erased. */
const VACUUM_BYTES = 64 * 1024 * 1024;

export type { SqliteOptions };

export class SqliteEngine implements Engine {
  readonly #file: SqliteFile;
  readonly #feed: ((db: Db) => Feed) | undefined;
  #heads!: Heads;
  #blobs!: Blobs;
  #events!: Events;
  #index: Feed | undefined;

  /** Opens or creates the file (0600, its folder 0700). Throws STORAGE with a message for people. `feed` is called at each opening. */
  constructor(path: string, options: SqliteOptions = {}, feed?: (db: Db) => Feed) {
    this.#feed = feed;
    this.#file = new SqliteFile(path, options, (db, file) => this.#bind(db, file));
    for (const row of this.#heads.all())
      if (row instanceof CuratedError) this.#file.notices.push(row.message);
  }

  /** What the thread that owns this engine tells the one that asked for it. */
  get greeting(): { notices: readonly string[]; root?: Uint8Array } {
    const { notices, vault } = this.#file;
    return vault instanceof SealedVault ? { notices, root: vault.root } : { notices };
  }

  get notices(): readonly string[] {
    return this.#file.notices;
  }

  #bind(db: Db, { vault }: SqliteFile): void {
    this.#heads = new Heads(db, vault);
    this.#blobs = new Blobs(db, vault);
    this.#events = new Events(db, vault);
    this.#index = this.#feed?.(db);
  }

  commit(ops: readonly WriteOp[], sync: boolean, redo?: number): Map<number, Error> {
    const failed = new Map<number, Error>();
    for (;;) {
      try {
        this.#transact(sync, () => this.#write(ops, sync, failed, redo));
        return failed;
      } catch (e) {
        // One operation cannot be done, and may have left half of itself: the others go again without it.
        if (!(e instanceof Refused)) throw e;
        failed.set(e.index, e.why);
      }
    }
  }

  #transact<T>(sync: boolean, fn: () => T): T {
    this.#heads.trim();
    try {
      return this.#file.transact(sync, fn);
    } catch (e) {
      // Heads were changed in place; the disk alone knows now.
      this.#heads.clear();
      throw e;
    }
  }

  /** Number of the newest record of the redo log that the file has. */
  get redone(): number {
    return this.#file.redone;
  }

  /** How values lie in the file. */
  get vault(): Vault {
    return this.#file.vault;
  }

  #write(ops: readonly WriteOp[], sync: boolean, failed: Map<number, Error>, redo: number | undefined): void {
    const dirty = new Set<HeadRow>();
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i]!;
      if (failed.has(i)) continue;
      if (op.op === 'append') {
        try {
          const error = this.#append(op, dirty);
          if (error) failed.set(i, error);
        } catch (e) {
          throw e instanceof CuratedError ? new Refused(i, e) : e;
        }
        continue;
      }
      const row = this.#quietHead(op.key);
      if (!row) continue;
      if (op.op === 'meta') {
        row.meta = op.meta;
        dirty.add(row);
      } else this.#blobs.saveSnapshot(row.id, op.seq, op.hash, op.bytes);
    }
    for (const row of dirty) this.#heads.save(row);
    // A commit without a change would sync nothing.
    if (sync && dirty.size === 0) this.#file.tick();
    if (redo !== undefined) this.#file.redid(redo);
  }

  #append(op: WriteOp & { op: 'append' }, dirty: Set<HeadRow>): Error | undefined {
    const { group, blobs } = op;
    const { cells, key } = group;
    let row = this.#heads.get(key);
    const error = misfit(chainHead(row), group);
    if (error) return error;
    const ts = cells[0] as number;
    row ??= this.#heads.create(key, { seq: 0, hash: '', createdAt: ts, updatedAt: ts, meta: '{}' });
    if (blobs) for (const blob of blobs) this.#blobs.keep(row.id, key.tenant, blob);
    try {
      this.#events.append(row, cells);
    } catch (e) {
      if ((e as { code?: string }).code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw e;
      // The head and the records disagree.
      throw quarantined(key.session, row.seq + 1, 'is stored already, beyond the head');
    }
    this.#index?.append(row.id, row.seq + 1, cells);
    row.seq += cells.length / CELLS;
    row.hash = cells[cells.length - 2] as string;
    row.updatedAt = cells[cells.length - CELLS] as number;
    dirty.add(row);
    return undefined;
  }

  /** The head, or undefined also when its row is damaged. */
  #quietHead(key: SessionKey): HeadRow | undefined {
    try {
      return this.#heads.get(key);
    } catch (e) {
      if (e instanceof CuratedError) return undefined;
      throw e;
    }
  }

  probe(): void {
    this.#file.probe();
  }

  idle(busy: boolean): void {
    this.#file.idle(busy);
  }

  read(key: SessionKey, fromSeq: number, limit: number): PackedRecords {
    return this.#file.guard(() => {
      const row = this.#heads.get(key);
      return row
        ? this.#events.read(row, fromSeq, limit)
        : { firstSeq: Math.max(1, fromSeq), prev: '', cells: [] };
    });
  }

  blob(key: SessionKey, hash: string): Uint8Array | undefined {
    return this.#file.guard(() => this.#blobs.load(key.tenant, hash));
  }

  head(key: SessionKey): SessionHead | undefined {
    const row = this.#file.guard(() => this.#heads.get(key));
    return row && headOf(row);
  }

  heads(tenant?: string): SessionHead[] {
    const out: SessionHead[] = [];
    for (const row of this.#file.guard(() => [...this.#heads.all()])) {
      if (row instanceof CuratedError) continue;
      if (row.key.archive === undefined && (tenant === undefined || row.key.tenant === tenant))
        out.push(headOf(row));
    }
    return out;
  }

  loadSnapshot(key: SessionKey): Snapshot | undefined {
    return this.#file.guard(() => {
      const row = this.#heads.get(key);
      const snapshot = row && this.#blobs.loadSnapshot(row.id);
      if (!snapshot || snapshot.seq < 1 || snapshot.seq > row.seq) return undefined;
      return this.#events.stamp(row, snapshot.seq)?.hash === snapshot.hash ? snapshot : undefined;
    });
  }

  copy(from: SessionKey, toSeq: number, to: SessionKey, now = 0): void {
    this.#transact(true, () => {
      const source = this.#heads.need(from);
      checkSeq(source, toSeq);
      if (this.#heads.get(to)) throw taken(to);
      this.#cut(source, toSeq, to, now);
    });
  }

  rewind(key: SessionKey, toSeq: number, archive: string, now = 0): RewindResult {
    return this.#transact(true, () => {
      const source = this.#heads.need(key);
      checkSeq(source, toSeq);
      this.#freeArchive(key, archive);
      this.#heads.rename(source, archive);
      this.#cut(source, toSeq, key, now);
      return { archive, truncatedSeq: source.seq, kept: toSeq };
    });
  }

  restore(key: SessionKey, archive: string, archiveCurrentAs: string, now = 0): SessionHead {
    checkArchiveName(archive);
    return this.#transact(true, () => {
      const stored = this.#heads.need({ ...key, archive });
      const current = this.#heads.need(key);
      this.#freeArchive(key, archiveCurrentAs);
      this.#heads.rename(current, archiveCurrentAs);
      stored.updatedAt = Math.max(stored.updatedAt, now);
      this.#heads.rename(stored, undefined);
      return headOf(stored);
    });
  }

  archives(key: SessionKey): string[] {
    return this.#file.guard(() => this.#heads.archives(key));
  }

  #freeArchive(key: SessionKey, archive: string): void {
    checkArchiveName(archive);
    const to = { ...key, archive };
    if (this.#heads.get(to)) throw taken(to);
  }

  /** A new journal with the records of `source` up to `toSeq`. */
  #cut(source: HeadRow, toSeq: number, key: SessionKey, now: number): void {
    const stamp = this.#events.stamp(source, toSeq);
    if (!stamp) throw quarantined(source.key.session, toSeq, 'is missing');
    const { createdAt, meta } = source;
    const row = this.#heads.create(key, {
      seq: toSeq,
      hash: stamp.hash,
      createdAt,
      updatedAt: Math.max(stamp.ts, now),
      meta,
    });
    this.#events.copy(source, row, toSeq);
    this.#index?.copy(source.id, row.id, toSeq);
    this.#blobs.copyRefs(source.id, row.id);
  }

  erase(key: SessionKey): void {
    this.#transact(true, () => {
      for (const archive of [undefined, ...this.#heads.archives(key)]) {
        const row = this.#heads.get(archive === undefined ? key : { ...key, archive });
        if (row) this.#remove(row);
      }
      this.#blobs.dropUnnamed();
    });
    this.#file.guard(() => {
      // Deleted cells are zeroed (secure_delete), but slack inside rebuilt pages and the log may still hold their bytes.
      if (this.#file.bytes <= VACUUM_BYTES) this.#file.db.exec('VACUUM');
      this.#file.checkpoint();
    });
  }

  sweep(options: SweepOptions): SweepResult {
    const removed: SessionKey[] = [];
    const blobs = this.#transact(true, () => {
      if (options.retainDays > 0) {
        const limit = options.now - options.retainDays * 86_400_000;
        const open = new Set((options.open ?? []).map(liveText));
        for (const row of this.#heads.old(limit)) {
          if (row instanceof CuratedError || open.has(liveText(row.key))) continue;
          this.#remove(row);
          removed.push(row.key);
        }
      }
      return this.#blobs.dropUnnamed();
    });
    return { removed, blobs };
  }

  #remove(row: HeadRow): void {
    this.#events.remove(row);
    this.#index?.remove(row.id);
    this.#blobs.release(row.id);
    this.#heads.delete(row);
  }

  async backup(path: string): Promise<void> {
    needsNew(path);
    try {
      makePrivate(path);
      await this.#file.db.backup(path);
    } catch (e) {
      // What was begun here is no backup: the next try is not to find it in its way.
      removeFile(path);
      throw storageError(e, path, 'backup');
    }
  }

  check(): CheckReport {
    return this.#file.guard(() => {
      const found = this.#file.db.prepare('SELECT * FROM pragma_integrity_check').pluck().all() as string[];
      const structure = found.length === 1 && found[0] === 'ok' ? [] : found;
      const broken: CheckReport['broken'][number][] = [];
      let [sessions, archives] = [0, 0];
      for (const row of this.#heads.all()) {
        if (row instanceof CuratedError || row.key.archive === undefined) sessions++;
        else archives++;
        const fault = row instanceof CuratedError ? row : this.#firstFault(row);
        if (!fault) continue;
        const detail = (fault.detail ?? {}) as { session?: string; seq?: number };
        const key = row instanceof CuratedError ? { tenant: '', session: detail.session ?? '' } : row.key;
        broken.push({ key, seq: detail.seq ?? 0, reason: fault.message });
      }
      return { structure, broken, sessions, archives, events: this.#events.count() };
    });
  }

  #firstFault(row: HeadRow): CuratedError | undefined {
    try {
      for (let seq = 1; seq <= row.seq; seq += READ_MAX) this.read(row.key, seq, READ_MAX);
      return undefined;
    } catch (e) {
      return storageError(e, this.#file.path);
    }
  }

  stats(): EngineStats {
    const { bytes, logBytes, commits, syncs, checkpoints } = this.#file;
    return this.#file.guard(() => ({
      ...this.#heads.totals(),
      blobs: this.#blobs.count(),
      bytes: bytes + logBytes,
      logBytes,
      commits,
      syncs,
      checkpoints,
    }));
  }

  close(): void {
    this.#file.close();
  }
}

class Refused extends CuratedError {
  constructor(
    readonly index: number,
    readonly why: CuratedError,
  ) {
    super(why.kind, why.message);
  }
}

const liveText = ({ tenant, session }: SessionKey): string => keyText({ tenant, session });
