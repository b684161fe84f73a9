// The SQLite file as such: opening, transactions with or without a sync, writing the log back, proving that a write arrives.
// Knows no journal beyond its schema.

import { CuratedError } from '../errors.js';
import { openSqlite } from '../sqlite.js';
import { LostCommit } from './engine.js';
import { fileIdentity, fileSize, makePrivate, proveRoom } from './private-file.js';
import { type Db, prepareSchema, storageError } from './sqlite-schema.js';
import { OPEN_VAULT, type Vault } from './vault.js';
import { vaultOf } from './vault-of-file.js';
import { scanWal } from './wal-scan.js';

export interface SqliteOptions {
  /** Epoch ms, for the header of a new file. */
  readonly now?: number;
  /** Log bytes above which a quiet moment, and a busy one, is used to write the log back. */
  readonly checkpointIdle?: number;
  readonly checkpointBusy?: number;
  /** Pages (4 KiB) the file may grow to; for tests of a full disk. */
  readonly maxPages?: number;
  /** The operator's key, 32 bytes: values of a new file are sealed, and a sealed one can be read. */
  readonly key?: Uint8Array | undefined;
}

const MIB = 1024 * 1024;
const PROBE_BYTES = 64 * 1024;

export class SqliteFile {
  readonly path: string;
  /** What was found when the file was opened, in words. */
  readonly notices: string[] = [];
  commits = 0;
  syncs = 0;
  checkpoints = 0;
  db!: Db;
  readonly #options: SqliteOptions;
  readonly #bind: (db: Db, file: SqliteFile) => void;
  /** How values lie in the file. */
  vault: Vault = OPEN_VAULT;
  #sql!: ReturnType<typeof statements>;
  #synchronous = '';
  /** Bytes that the disk must take before the file is opened anew. */
  #room = PROBE_BYTES;
  /** Of the file that was opened first: a process goes on writing to one that was moved or removed, and nobody would find it. */
  readonly #identity: string;

  /** `bind` is called with each new connection. Throws STORAGE with a message for people. */
  constructor(path: string, options: SqliteOptions, bind: (db: Db, file: SqliteFile) => void) {
    this.path = path;
    this.#options = options;
    this.#bind = bind;
    this.guard(() => {
      const wal = scanWal(`${path}-wal`);
      // SQLite would make a new file, and take the log away as one of another.
      if (wal !== undefined && wal.valid > 0 && fileSize(path) === 0)
        throw new CuratedError(
          'STORAGE',
          `the journal ${path} is gone or empty, and its log holds ${wal.valid} pages of it: put the file back, or move ${path}-wal and what else begins so to another place for a new journal`,
          { detail: { reason: 'gone' } },
        );
      makePrivate(path);
      if (wal !== undefined && wal.behind > 0) {
        this.notices.push(
          `the log of ${path} was cut behind ${wal.valid} sound frames: ${wal.behind} bytes of it are torn or damaged; ` +
            'sessions may have lost their newest records, which their clients are told by last_seq',
        );
      }
      this.#open();
    });
    this.#identity = fileIdentity(path);
  }

  /** Throws where the path leads to another file, or to none. */
  #checkPlace(): void {
    const found = fileIdentity(this.path);
    if (found === this.#identity) return;
    const what = found === '' ? 'is gone' : 'is another file';
    throw new CuratedError(
      'STORAGE',
      `the journal ${this.path} ${what}: its folder was moved or removed while the daemon runs; put it back, or stop and start the daemon`,
      { detail: { reason: 'moved' } },
    );
  }

  #open(): void {
    const db = openSqlite(this.path, { timeout: 5000 });
    try {
      db.pragma('journal_mode = WAL');
      db.pragma('wal_autocheckpoint = 0');
      db.pragma('secure_delete = ON');
      db.pragma('temp_store = MEMORY');
      db.pragma('cell_size_check = ON');
      if (this.#options.maxPages !== undefined) db.pragma(`max_page_count = ${this.#options.maxPages}`);
      db.pragma('synchronous = FULL');
      this.#synchronous = 'FULL';
      const fresh = prepareSchema(db, this.path, this.#options.now ?? 0);
      this.#sql = statements(db);
      this.vault = vaultOf(db, this.path, this.#options.key, fresh);
      this.#bind(db, this);
    } catch (e) {
      db.close();
      throw e;
    }
    this.db = db;
  }

  /**
   * Runs `fn` in a transaction; `sync` = it survives a power loss, with all that came before. An error of ours (not of SQLite) comes
   * through as it is, everything else as LostCommit; either way nothing of it is stored.
   */
  transact<T>(sync: boolean, fn: () => T): T {
    try {
      this.#checkPlace();
    } catch (e) {
      throw new LostCommit(e as CuratedError);
    }
    try {
      const level = sync ? 'FULL' : 'NORMAL';
      // Not by `pragma`, which makes an object each time (sqlite.ts).
      if (this.#synchronous !== level) this.db.exec(`PRAGMA synchronous = ${level}`);
      this.#synchronous = level;
      this.#sql.begin.run();
      const result = fn();
      this.#sql.commit.run();
      this.commits++;
      if (sync) this.syncs++;
      return result;
    } catch (e) {
      this.#rollback();
      throw e instanceof CuratedError ? e : new LostCommit(storageError(e, this.path));
    }
  }

  /** A change without meaning: a commit that changes nothing would sync nothing. */
  tick(): void {
    this.#sql.tick.run();
  }

  /** Number of the newest record of the redo log that is in the file; 0 when none ever was. */
  get redone(): number {
    const found = this.#sql.redone.get();
    return typeof found === 'number' ? found : 0;
  }

  /** To be called in the transaction that the record's content is written with. */
  redid(no: number): void {
    this.#sql.put.run('redo', no);
  }

  #rollback(): void {
    if (!this.db.inTransaction) return;
    try {
      this.db.exec('ROLLBACK');
    } catch {
      // SQLite rolled back by itself; the probe opens the file anew in any case.
    }
  }

  /** Opens the file anew and proves that a write arrives; throws when it does not. */
  probe(): void {
    // The connection there is can still be read from.
    this.#checkPlace();
    // Opening makes objects that stay as long as the process (sqlite.ts): a disk that is full for days is tried without. What is
    // written below is the log's pages at most, and a few more; mostly much less, so that each try which fails asks for twice the room.
    const room = Math.min(this.#room, this.logBytes + PROBE_BYTES);
    this.guard(() => proveRoom(this.path, room));
    this.#room = 2 * room;
    try {
      this.db.close();
    } catch {
      // What matters is what the new connection finds.
    }
    this.guard(() => {
      this.#open();
      // A failed fsync may have marked pages clean that never reached the disk, and a second one would lie. So what the log
      // holds is written once more, to the file itself, and synced there before anything new is accepted.
      this.checkpoint();
      this.transact(true, () => {
        this.#sql.put.run('probe', Buffer.alloc(PROBE_BYTES));
        this.#sql.unput.run('probe');
      });
      this.checkpoint();
    });
    this.#room = PROBE_BYTES;
  }

  /** Writes the log back when it is large for a quiet moment, or too large for any. */
  idle(busy: boolean): void {
    const limit = busy ? (this.#options.checkpointBusy ?? 32 * MIB) : (this.#options.checkpointIdle ?? MIB);
    if (this.logBytes >= limit) this.guard(() => this.checkpoint());
  }

  /** Writes the log back and empties it. A reader in another process may hold it; then it is done the next time. */
  checkpoint(): void {
    const [row] = this.#sql.checkpoint.all() as { busy: number }[];
    if (row?.busy === 0) this.checkpoints++;
  }

  get bytes(): number {
    return fileSize(this.path);
  }

  get logBytes(): number {
    return fileSize(`${this.path}-wal`);
  }

  close(): void {
    if (!this.db.open) return;
    try {
      this.checkpoint();
    } catch {
      // The log stays and is read at the next open.
    }
    this.db.close();
  }

  /** SQLite's errors as ours. */
  guard<T>(fn: () => T): T {
    try {
      return fn();
    } catch (e) {
      throw storageError(e, this.path);
    }
  }
}

function statements(db: Db) {
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    tick: db.prepare("UPDATE header SET value = value + 1 WHERE key = 'ticks'"),
    put: db.prepare('REPLACE INTO header (key, value) VALUES (?, ?)'),
    redone: db.prepare("SELECT value FROM header WHERE key = 'redo'").pluck(),
    unput: db.prepare('DELETE FROM header WHERE key = ?'),
    checkpoint: db.prepare('PRAGMA wal_checkpoint(TRUNCATE)'),
  };
}
