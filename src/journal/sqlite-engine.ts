// The journal in one SQLite file, WAL mode. Synchronous; owned by one thread (workers/journal.ts) or by an offline command.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { CuratedError } from '../errors.js';
import type { Engine, EngineStats, WriteOp } from './engine.js';
import { checkArchiveName, checkSeq, taken } from './memory-engine.js';
import { CELLS, type Cell, misfit, type PackedRecords, verifyPacked } from './packed.js';
import { quarantined } from './record.js';
import { Blobs } from './sqlite-blobs.js';
import { chainHead, type HeadRow, Heads, headOf } from './sqlite-heads.js';
import { type Db, prepareSchema, SEQ_SPAN, storageError } from './sqlite-schema.js';
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
import { scanWal } from './wal-scan.js';

export interface SqliteOptions {
  /** Epoch ms, for the header of a new file. */
  readonly now?: number;
  /** Log bytes above which a quiet moment, and a busy one, is used to write the log back. */
  readonly checkpointIdle?: number;
  readonly checkpointBusy?: number;
  /** Pages (4 KiB) the file may grow to; for tests of a full disk. */
  readonly maxPages?: number;
}

const MIB = 1024 * 1024;
/** Files up to this size are rewritten as a whole by `erase`, so that no slack keeps what was erased. */
const VACUUM_BYTES = 64 * MIB;
const PROBE_BYTES = 64 * 1024;
/** Records of one `read`, at most. */
const READ_MAX = 4096;

/** id, then the cells of a record without its hash. */
type EventRow = [id: number, ...cells: Cell[]];

export class SqliteEngine implements Engine {
  readonly notices: string[] = [];
  readonly #path: string;
  readonly #options: SqliteOptions;
  #db!: Db;
  #heads!: Heads;
  #blobs!: Blobs;
  #sql!: ReturnType<typeof statements>;
  #synchronous = '';
  #commits = 0;
  #syncs = 0;
  #checkpoints = 0;

  /** Opens or creates the file (0600, its folder 0700). Throws STORAGE with a message for people. */
  constructor(path: string, options: SqliteOptions = {}) {
    this.#path = path;
    this.#options = options;
    try {
      makePrivate(path);
      const wal = scanWal(`${path}-wal`);
      if (wal !== undefined && wal.behind > 0) {
        this.notices.push(
          `the log of ${path} was cut behind ${wal.valid} sound frames: ${wal.behind} bytes of it are torn or damaged; ` +
            'sessions may have lost their newest records, which their clients are told by last_seq',
        );
      }
      this.#open();
    } catch (e) {
      throw storageError(e, path);
    }
  }

  #open(): void {
    const db = new Database(this.#path, { timeout: 5000 });
    try {
      db.pragma('journal_mode = WAL');
      db.pragma('wal_autocheckpoint = 0');
      db.pragma('secure_delete = ON');
      db.pragma('temp_store = MEMORY');
      db.pragma('cell_size_check = ON');
      if (this.#options.maxPages !== undefined) db.pragma(`max_page_count = ${this.#options.maxPages}`);
      db.pragma('synchronous = FULL');
      this.#synchronous = 'FULL';
      prepareSchema(db, this.#path, this.#options.now ?? 0);
    } catch (e) {
      db.close();
      throw e;
    }
    this.#db = db;
    this.#heads = new Heads(db);
    for (const row of this.#heads.all()) {
      if (row instanceof CuratedError && !this.notices.includes(row.message)) this.notices.push(row.message);
    }
    this.#blobs = new Blobs(db);
    this.#sql = statements(db);
  }

  commit(ops: readonly WriteOp[], sync: boolean): Map<number, Error> {
    const failed = new Map<number, Error>();
    for (;;) {
      try {
        this.#prepare(sync ? 'FULL' : 'NORMAL');
        this.#sql.begin.run();
        this.#write(ops, sync, failed);
        this.#sql.commit.run();
        this.#commits++;
        if (sync) this.#syncs++;
        return failed;
      } catch (e) {
        this.#rollback();
        // A row that is already there: that session's head and records disagree. The others go again without it.
        if (e instanceof RowConflict) failed.set(e.index, e.error);
        else throw storageError(e, this.#path);
      }
    }
  }

  #write(ops: readonly WriteOp[], sync: boolean, failed: Map<number, Error>): void {
    const dirty = new Set<HeadRow>();
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i]!;
      if (failed.has(i)) continue;
      if (op.op === 'append') {
        const error = this.#append(op, i, dirty);
        if (error) failed.set(i, error);
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
    if (sync && dirty.size === 0) this.#sql.tick.run();
  }

  #append(op: WriteOp & { op: 'append' }, index: number, dirty: Set<HeadRow>): Error | undefined {
    const { group, blobs } = op;
    const { cells, key } = group;
    let row: HeadRow | undefined;
    try {
      row = this.#heads.get(key);
    } catch (e) {
      if (e instanceof CuratedError) return e;
      throw e;
    }
    const error = misfit(chainHead(row), group);
    if (error) return error;
    const ts = cells[0] as number;
    row ??= this.#heads.create(key, { seq: 0, hash: '', createdAt: ts, updatedAt: ts, meta: '{}' });
    if (blobs) for (const blob of blobs) this.#blobs.keep(row.id, key.tenant, blob);
    const base = row.id * SEQ_SPAN + row.seq + 1;
    const insert = this.#sql.insert;
    try {
      for (let c = 0, n = 0; c < cells.length; c += CELLS, n++) {
        const hash = Buffer.from(cells[c + 5] as string, 'hex');
        insert.run(
          base + n,
          cells[c],
          cells[c + 1],
          cells[c + 2],
          cells[c + 3],
          cells[c + 4],
          hash,
          cells[c + 6],
        );
      }
    } catch (e) {
      if ((e as { code?: string }).code !== 'SQLITE_CONSTRAINT_PRIMARYKEY') throw e;
      throw new RowConflict(
        index,
        quarantined(key.session, row.seq + 1, 'is stored already, beyond the head'),
      );
    }
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

  /** What precedes each transaction. */
  #prepare(level: 'FULL' | 'NORMAL'): void {
    this.#heads.trim();
    if (this.#synchronous === level) return;
    this.#db.pragma(`synchronous = ${level}`);
    this.#synchronous = level;
  }

  #rollback(): void {
    // Heads were changed in place; the disk alone knows now.
    this.#heads.clear();
    if (!this.#db.inTransaction) return;
    try {
      this.#db.exec('ROLLBACK');
    } catch {
      // SQLite rolled back by itself; the probe opens the file anew in any case.
    }
  }

  /** A transaction of its own, synced. */
  #change<T>(fn: () => T): T {
    try {
      this.#prepare('FULL');
      this.#sql.begin.run();
      const result = fn();
      this.#sql.commit.run();
      this.#commits++;
      this.#syncs++;
      return result;
    } catch (e) {
      this.#rollback();
      throw storageError(e, this.#path);
    }
  }

  probe(): void {
    try {
      this.#db.close();
    } catch {
      // What matters is what the new connection finds.
    }
    try {
      this.#open();
      this.#prepare('FULL');
      // A failed fsync may have marked pages clean that never reached the disk, and a second one would lie. So what the log
      // holds is written once more, to the file itself, and synced there before anything new is accepted.
      this.#checkpoint();
      this.#change(() => {
        this.#sql.put.run('probe', Buffer.alloc(PROBE_BYTES));
        this.#sql.unput.run('probe');
      });
      this.#checkpoint();
    } catch (e) {
      throw storageError(e, this.#path);
    }
  }

  idle(busy: boolean): void {
    const limit = busy ? (this.#options.checkpointBusy ?? 32 * MIB) : (this.#options.checkpointIdle ?? MIB);
    if (fileSize(`${this.#path}-wal`) < limit) return;
    try {
      this.#checkpoint();
    } catch (e) {
      throw storageError(e, this.#path);
    }
  }

  /** Writes the log back and empties it. A reader in another process may hold it; then it is done the next time. */
  #checkpoint(): void {
    const [row] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (row?.busy === 0) this.#checkpoints++;
  }

  read(key: SessionKey, fromSeq: number, limit: number): PackedRecords {
    const firstSeq = Math.max(1, fromSeq);
    const row = this.#guard(() => this.#heads.get(key));
    if (!row || firstSeq > row.seq) return { firstSeq, prev: '', cells: [] };
    const count = Math.min(limit, READ_MAX, row.seq - firstSeq + 1);
    const base = row.id * SEQ_SPAN;
    const first = base + firstSeq;
    const last = first + count - 1;
    const { prev, rows, hash, beyond } = this.#guard(() => ({
      prev: firstSeq === 1 ? '' : (this.#sql.hashAt.get(first - 1) as string | undefined),
      rows: this.#sql.range.all(first, last) as EventRow[],
      hash: this.#sql.hashAt.get(last) as string | undefined,
      beyond: firstSeq + count - 1 === row.seq && this.#sql.hashAt.get(last + 1) !== undefined,
    }));
    if (prev === undefined) throw quarantined(key.session, firstSeq - 1, 'is missing');
    if (beyond) throw quarantined(key.session, row.seq + 1, 'is stored beyond the head');
    const cells: Cell[] = new Array(count * CELLS);
    let c = 0;
    for (let i = 0; i < count; i++) {
      const r = rows[i];
      if (r === undefined || r[0] !== first + i) throw quarantined(key.session, firstSeq + i, 'is missing');
      for (let k = 1; k < CELLS - 1; k++) cells[c++] = r[k]!;
      cells[c++] = '';
      cells[c++] = r[CELLS - 1]!;
    }
    // The last hash vouches for all: each covers the one before. The others are computed, not fetched.
    cells[cells.length - 2] = hash!;
    const packed = { firstSeq, prev, cells };
    try {
      verifyPacked(key, packed, row);
    } catch {
      // Which record it is takes all the stored hashes.
      const hashes = this.#guard(() => this.#sql.hashes.all(first, last) as string[]);
      for (let i = 0; i < count; i++) cells[i * CELLS + 5] = hashes[i]!;
      verifyPacked(key, packed, row);
    }
    return packed;
  }

  blob(key: SessionKey, hash: string): Uint8Array | undefined {
    return this.#guard(() => this.#blobs.load(key.tenant, hash));
  }

  blobs(key: SessionKey, hashes: readonly string[]): Map<string, Uint8Array> {
    const out = new Map<string, Uint8Array>();
    for (const hash of hashes) {
      const bytes = this.blob(key, hash);
      if (bytes) out.set(hash, bytes);
    }
    return out;
  }

  head(key: SessionKey): SessionHead | undefined {
    const row = this.#guard(() => this.#heads.get(key));
    return row && headOf(row);
  }

  heads(tenant?: string): SessionHead[] {
    const out: SessionHead[] = [];
    for (const row of this.#guard(() => [...this.#heads.all()])) {
      if (row instanceof CuratedError) continue;
      if (row.key.archive === undefined && (tenant === undefined || row.key.tenant === tenant))
        out.push(headOf(row));
    }
    return out;
  }

  loadSnapshot(key: SessionKey): Snapshot | undefined {
    return this.#guard(() => {
      const row = this.#heads.get(key);
      const snapshot = row && this.#blobs.loadSnapshot(row.id);
      if (!snapshot || snapshot.seq < 1 || snapshot.seq > row.seq) return undefined;
      return this.#sql.hashAt.get(row.id * SEQ_SPAN + snapshot.seq) === snapshot.hash ? snapshot : undefined;
    });
  }

  copy(from: SessionKey, toSeq: number, to: SessionKey): void {
    this.#change(() => {
      const source = this.#heads.need(from);
      checkSeq(source, toSeq);
      if (this.#heads.get(to)) throw taken(to);
      this.#cut(source, toSeq, to);
    });
  }

  rewind(key: SessionKey, toSeq: number, archive: string): RewindResult {
    return this.#change(() => {
      const source = this.#heads.need(key);
      checkSeq(source, toSeq);
      this.#freeArchive(key, archive);
      this.#heads.rename(source, archive);
      this.#cut(source, toSeq, key);
      return { archive, truncatedSeq: source.seq, kept: toSeq };
    });
  }

  restore(key: SessionKey, archive: string, archiveCurrentAs: string): SessionHead {
    checkArchiveName(archive);
    return this.#change(() => {
      const stored = this.#heads.need({ ...key, archive });
      const current = this.#heads.need(key);
      this.#freeArchive(key, archiveCurrentAs);
      this.#heads.rename(current, archiveCurrentAs);
      this.#heads.rename(stored, undefined);
      return headOf(stored);
    });
  }

  archives(key: SessionKey): string[] {
    return this.#guard(() => this.#heads.archives(key));
  }

  #freeArchive(key: SessionKey, archive: string): void {
    checkArchiveName(archive);
    const to = { ...key, archive };
    if (this.#heads.get(to)) throw taken(to);
  }

  /** A new journal with the records of `source` up to `toSeq`. */
  #cut(source: HeadRow, toSeq: number, key: SessionKey): void {
    const from = source.id * SEQ_SPAN;
    const [hash, updatedAt] = this.#sql.stampAt.get(from + toSeq) as [string, number];
    const { createdAt, meta } = source;
    const row = this.#heads.create(key, { seq: toSeq, hash, createdAt, updatedAt, meta });
    this.#sql.copyEvents.run((row.id - source.id) * SEQ_SPAN, from + 1, from + toSeq);
    this.#blobs.copyRefs(source.id, row.id);
  }

  erase(key: SessionKey): void {
    this.#change(() => {
      for (const archive of [undefined, ...this.#heads.archives(key)]) {
        const row = this.#heads.get(archive === undefined ? key : { ...key, archive });
        if (row) this.#remove(row);
      }
      this.#blobs.dropUnnamed();
    });
    this.#guard(() => {
      // Deleted cells are zeroed (secure_delete), but slack inside rebuilt pages and the log may still hold their bytes.
      if (fileSize(this.#path) <= VACUUM_BYTES) this.#db.exec('VACUUM');
      this.#checkpoint();
    });
  }

  sweep(options: SweepOptions): SweepResult {
    const removed: SessionKey[] = [];
    const blobs = this.#change(() => {
      if (options.retainDays > 0) {
        const limit = options.now - options.retainDays * 86_400_000;
        const open = new Set((options.open ?? []).map(liveText));
        for (const row of this.#heads.all()) {
          if (row instanceof CuratedError || row.updatedAt >= limit || open.has(liveText(row.key))) continue;
          this.#remove(row);
          removed.push(row.key);
        }
      }
      return this.#blobs.dropUnnamed();
    });
    return { removed, blobs };
  }

  #remove(row: HeadRow): void {
    this.#sql.deleteEvents.run(row.id * SEQ_SPAN + 1, (row.id + 1) * SEQ_SPAN - 1);
    this.#blobs.release(row.id);
    this.#heads.delete(row);
  }

  async backup(path: string): Promise<void> {
    if (existsSync(path)) throw new CuratedError('STORAGE', `${path} exists already`);
    try {
      makePrivate(path);
      await this.#db.backup(path);
    } catch (e) {
      throw storageError(e, path);
    }
  }

  check(): CheckReport {
    return this.#guard(() => {
      const found = this.#db.prepare('SELECT * FROM pragma_integrity_check').pluck().all() as string[];
      const structure = found.length === 1 && found[0] === 'ok' ? [] : found;
      const broken: CheckReport['broken'][number][] = [];
      let sessions = 0;
      for (const row of this.#heads.all()) {
        sessions++;
        const fault = row instanceof CuratedError ? row : this.#firstFault(row);
        if (!fault) continue;
        const detail = (fault.detail ?? {}) as { session?: string; seq?: number };
        const key = row instanceof CuratedError ? { tenant: '', session: detail.session ?? '' } : row.key;
        broken.push({ key, seq: detail.seq ?? 0, reason: fault.message });
      }
      return { structure, broken, sessions, events: this.#sql.countEvents.get() as number };
    });
  }

  #firstFault(row: HeadRow): CuratedError | undefined {
    try {
      for (let seq = 1; seq <= row.seq; seq += READ_MAX) this.read(row.key, seq, READ_MAX);
      return undefined;
    } catch (e) {
      return storageError(e, this.#path);
    }
  }

  stats(): EngineStats {
    return this.#guard(() => {
      const logBytes = fileSize(`${this.#path}-wal`);
      return {
        sessions: this.#heads.count(),
        events: this.#sql.countEvents.get() as number,
        blobs: this.#blobs.count(),
        bytes: fileSize(this.#path) + logBytes,
        logBytes,
        commits: this.#commits,
        syncs: this.#syncs,
        checkpoints: this.#checkpoints,
      };
    });
  }

  close(): void {
    if (!this.#db.open) return;
    try {
      this.#checkpoint();
    } catch {
      // The log stays and is read at the next open.
    }
    this.#db.close();
  }

  #guard<T>(fn: () => T): T {
    try {
      return fn();
    } catch (e) {
      throw storageError(e, this.#path);
    }
  }
}

class RowConflict extends Error {
  constructor(
    readonly index: number,
    readonly error: CuratedError,
  ) {
    super(error.message);
  }
}

function statements(db: Db) {
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    tick: db.prepare("UPDATE header SET value = value + 1 WHERE key = 'ticks'"),
    put: db.prepare('REPLACE INTO header (key, value) VALUES (?, ?)'),
    unput: db.prepare('DELETE FROM header WHERE key = ?'),
    insert: db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
    range: db
      .prepare(
        'SELECT id, ts, type, ver, turn, observed, payload FROM events WHERE id BETWEEN ? AND ? ORDER BY id',
      )
      .raw(),
    hashes: db.prepare('SELECT lower(hex(hash)) FROM events WHERE id BETWEEN ? AND ? ORDER BY id').pluck(),
    hashAt: db.prepare('SELECT lower(hex(hash)) FROM events WHERE id = ?').pluck(),
    stampAt: db.prepare('SELECT lower(hex(hash)), ts FROM events WHERE id = ?').raw(),
    copyEvents: db.prepare(
      'INSERT INTO events SELECT id + ?, ts, type, ver, turn, observed, hash, payload FROM events WHERE id BETWEEN ? AND ? ORDER BY id',
    ),
    deleteEvents: db.prepare('DELETE FROM events WHERE id BETWEEN ? AND ?'),
    countEvents: db.prepare('SELECT count(*) FROM events').pluck(),
  };
}

function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

const liveText = ({ tenant, session }: SessionKey): string => keyText({ tenant, session });
