// Memory entries of all projects in one SQLite file: filed, superseded, found again. The wake-up asks an index for the
// heaviest, so its time does not follow what was filed (M-5). Faults are STORAGE, never an empty answer (M-6).

import type Database from 'better-sqlite3';
import { CuratedError } from '../errors.js';
import { sha256 } from '../hash.js';
import { OPEN_VAULT, type Vault } from '../journal/index.js';
import { makePrivate } from '../journal/private-file.js';
import { openSqlite, type Sqlite } from '../sqlite.js';
import { importanceAtIngest } from './entry-rules.js';
import { matchAny, scored } from './fts.js';
import { SealedDatabase } from './sealed-database.js';
import { type Entry, STORY_ENTRIES } from './story.js';

export interface ProjectKey {
  tenant: string;
  root: string;
}

export interface EntryHit {
  handle: string;
  score: number;
  text: string;
  wing: string | null;
  room: string | null;
}

/** Candidates that BM25 hands over to be scored, for each hit that is wanted. */
const WIDER = 4;
const BUSY_MS = 250;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS entry (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, root TEXT NOT NULL, name TEXT NOT NULL, handle TEXT NOT NULL,
  text TEXT NOT NULL, wing TEXT, room TEXT, source_file TEXT, importance REAL NOT NULL, filed_at INTEGER NOT NULL,
  supersedes TEXT, session TEXT, live INTEGER NOT NULL, UNIQUE (tenant, root, name));
CREATE INDEX IF NOT EXISTS heaviest ON entry (tenant, root, importance DESC, filed_at DESC, name DESC) WHERE live = 1;
CREATE INDEX IF NOT EXISTS of_wing ON entry (tenant, root, wing, importance DESC, filed_at DESC, name DESC) WHERE live = 1;
CREATE INDEX IF NOT EXISTS superseded ON entry (tenant, root, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX IF NOT EXISTS by_handle ON entry (handle);
CREATE INDEX IF NOT EXISTS of_session ON entry (tenant, session) WHERE session IS NOT NULL;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, tokenize = 'porter unicode61');
`;

interface Row {
  id: number;
  name: string;
  handle: string;
  text: string;
  wing: string | null;
  room: string | null;
  source_file: string | null;
  importance: number;
  filed_at: number;
}

export class EntryStore {
  readonly #path: string;
  readonly #vault: Vault;
  #sealed: SealedDatabase | undefined;
  #opened: Sqlite | undefined;
  readonly #statements = new Map<string, Database.Statement>();

  /**
   * @param path a file, made with the first use; ':memory:' for tests
   * @param vault one that seals keeps the database in memory, and on disk as a whole
   */
  constructor(path: string, vault: Vault = OPEN_VAULT) {
    this.#path = path;
    this.#vault = vault;
  }

  get #db(): Sqlite {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  #open(): Sqlite {
    if (!this.#vault.sealed || this.#path === ':memory:') return open(this.#path);
    this.#sealed = new SealedDatabase(this.#path, this.#vault);
    return prepared(this.#sealed.db);
  }

  /**
   * Files entries; one with a known id replaces it. Returns how many.
   * @param session whose entries they are: they leave when it is forgotten, and one that is known stays as it is, so that a
   * journal that is read again brings nothing back that was taken out
   */
  ingest(key: ProjectKey, entries: readonly Entry[], now: number, session?: string): number {
    return this.#write(() => {
      for (const e of entries) {
        if (session === undefined || !this.#known(key, e.id)) this.#file(key, e, now, session);
      }
      return entries.length;
    });
  }

  /** Takes entries out of every layer. Returns how many were live. */
  invalidate(key: ProjectKey, names: readonly string[]): number {
    return this.#write(() => names.reduce((n, name) => n + this.#retire(key, name), 0));
  }

  /** The heaviest live entries, at most 15, and whether there are more. */
  top(key: ProjectKey, wing?: string): { entries: Entry[]; more: boolean } {
    const where = wing === undefined ? '' : 'AND wing = @wing';
    const rows = this.#guard(
      () =>
        this.#sql(
          `SELECT * FROM entry WHERE live = 1 AND tenant = @tenant AND root = @root ${where}
             ORDER BY importance DESC, filed_at DESC, name DESC LIMIT ${STORY_ENTRIES + 1}`,
        ).all({ ...key, ...(wing === undefined ? {} : { wing }) }) as Row[],
    );
    return { entries: rows.slice(0, STORY_ENTRIES).map(entryOf), more: rows.length > STORY_ENTRIES };
  }

  /** The newest live entries of a project, at most `most`. */
  newest(key: ProjectKey, most: number): Entry[] {
    const sql = `SELECT * FROM entry WHERE live = 1 AND tenant = @tenant AND root = @root ORDER BY filed_at DESC, name DESC LIMIT @most`;
    return this.#guard(() => (this.#sql(sql).all({ ...key, most }) as Row[]).map(entryOf));
  }

  /** Live entries by words; without a query the heaviest (M-9). `root` absent: all projects of the tenant. */
  search(o: {
    tenant: string;
    root?: string | undefined;
    query: string;
    wing?: string | undefined;
    room?: string | undefined;
    k: number;
  }): EntryHit[] {
    const match = matchAny(o.query);
    const filters = (['root', 'wing', 'room'] as const).filter((f) => o[f] !== undefined);
    const where = ['e.live = 1', 'e.tenant = @tenant', ...filters.map((f) => `e.${f} = @${f}`)].join(' AND ');
    const values = { tenant: o.tenant, ...Object.fromEntries(filters.map((f) => [f, o[f]])) };
    const shown = (r: Row, score: number) => ({
      handle: r.handle,
      score,
      text: r.text,
      wing: r.wing,
      room: r.room,
    });
    return this.#guard(() => {
      if (match === undefined) {
        const sql = `SELECT * FROM entry e WHERE ${where} ORDER BY importance DESC, filed_at DESC, name DESC LIMIT ?`;
        return (this.#sql(sql).all(values, o.k) as Row[]).map((r) => shown(r, 0));
      }
      const sql = `SELECT e.*, bm25(words) AS bm25 FROM words JOIN entry e ON e.id = words.rowid
        WHERE words MATCH @match AND ${where} ORDER BY bm25 LIMIT ?`;
      const rows = this.#sql(sql).all({ ...values, match }, o.k * WIDER) as (Row & { bm25: number })[];
      return scored(o.query, rows)
        .slice(0, o.k)
        .map((r) => shown(r, r.score));
    });
  }

  /** The text behind a handle of this tenant. */
  byHandle(tenant: string, handle: string): string | undefined {
    const row = this.#guard(() =>
      this.#sql('SELECT text FROM entry WHERE handle = ? AND tenant = ? AND live = 1').get(handle, tenant),
    ) as { text: string } | undefined;
    return row?.text;
  }

  /** A session was forgotten: what it filed goes, from the log file too. Returns the roots of the projects that had some. */
  forget(tenant: string, session: string): string[] {
    const roots = this.#write(() => {
      const of = this.#sql('SELECT DISTINCT root FROM entry WHERE tenant = ? AND session = ?')
        .pluck()
        .all(tenant, session) as string[];
      const ids = this.#sql('SELECT id FROM entry WHERE tenant = ? AND session = ?')
        .pluck()
        .all(tenant, session);
      for (const id of ids) {
        this.#sql('DELETE FROM words WHERE rowid = ?').run(id);
        this.#sql('DELETE FROM entry WHERE id = ?').run(id);
      }
      return of;
    });
    this.#guard(() => this.#sql('PRAGMA wal_checkpoint(TRUNCATE)').all());
    return roots;
  }

  /** Statements are compiled once. */
  #sql(text: string): Database.Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  close(): void {
    this.#opened?.close();
  }

  #file(key: ProjectKey, e: Entry, now: number, session: string | undefined): void {
    const old = this.#sql('SELECT id FROM entry WHERE tenant = ? AND root = ? AND name = ?')
      .pluck()
      .get(key.tenant, key.root, e.id) as number | undefined;
    if (old !== undefined) this.#sql('DELETE FROM words WHERE rowid = ?').run(old);
    if (e.supersedes !== undefined && e.supersedes !== e.id) this.#retire(key, e.supersedes);
    const replaced = this.#sql(
      'SELECT 1 FROM entry WHERE tenant = ? AND root = ? AND supersedes = ? AND name <> ? AND live = 1',
    ).get(key.tenant, key.root, e.id, e.id);
    const live = replaced === undefined ? 1 : 0;
    const handle = handleOf(key, e);
    const { lastInsertRowid } = this.#sql(
      `INSERT OR REPLACE INTO entry (tenant, root, name, handle, text, wing, room, source_file, importance, filed_at, supersedes, session, live)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      ...[key.tenant, key.root, e.id, handle, e.text, e.wing ?? null, e.room ?? null, e.source_file ?? null],
      ...[importanceAtIngest(e), e.filed_at ?? now, e.supersedes ?? null, session ?? null, live],
    );
    if (live === 1) this.#sql('INSERT INTO words (rowid, text) VALUES (?, ?)').run(lastInsertRowid, e.text);
  }

  #known(key: ProjectKey, name: string): boolean {
    const sql = 'SELECT 1 FROM entry WHERE tenant = ? AND root = ? AND name = ?';
    return this.#sql(sql).get(key.tenant, key.root, name) !== undefined;
  }

  #retire(key: ProjectKey, name: string): number {
    const id = this.#sql('SELECT id FROM entry WHERE tenant = ? AND root = ? AND name = ? AND live = 1')
      .pluck()
      .get(key.tenant, key.root, name) as number | undefined;
    if (id === undefined) return 0;
    this.#sql('UPDATE entry SET live = 0 WHERE id = ?').run(id);
    this.#sql('DELETE FROM words WHERE rowid = ?').run(id);
    return 1;
  }

  #write<T>(work: () => T): T {
    return this.#guard(() => {
      const done = this.#db.transaction(work).immediate();
      this.#sealed?.save();
      return done;
    });
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (e) {
      if (e instanceof CuratedError) throw e;
      throw new CuratedError(
        'STORAGE',
        `the entries ${this.#path} are not available: ${(e as Error).message}`,
        {
          detail: { code: (e as { code?: string }).code },
          cause: e,
        },
      );
    }
  }
}

function open(path: string): Sqlite {
  if (path !== ':memory:') makePrivate(path);
  const db = openSqlite(path, { timeout: BUSY_MS });
  db.pragma('journal_mode = WAL');
  return prepared(db);
}

function prepared(db: Sqlite): Sqlite {
  db.pragma('synchronous = NORMAL');
  db.pragma('secure_delete = ON');
  db.exec(SCHEMA);
  db.exec("INSERT INTO words (words, rank) VALUES ('secure-delete', 1)");
  return db;
}

/** Handles of entries begin with `e`, those of sessions with `r`. */
export function handleOf(key: ProjectKey, e: Entry): string {
  const digest = sha256(JSON.stringify([key.tenant, key.root, e.id, e.text]));
  return `e${digest.slice(0, 16)}`;
}

function entryOf(r: Row): Entry {
  return {
    id: r.name,
    text: r.text,
    importance: r.importance,
    filed_at: r.filed_at,
    ...(r.wing === null ? {} : { wing: r.wing }),
    ...(r.room === null ? {} : { room: r.room }),
    ...(r.source_file === null ? {} : { source_file: r.source_file }),
  };
}
