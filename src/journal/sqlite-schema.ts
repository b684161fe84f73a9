// The SQLite file of a journal: its tables, its format number, and what may be wrong with a file that is to be opened.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CuratedError } from '../errors.js';
import type { Sqlite } from '../sqlite.js';

export type Db = Sqlite;

/** J-2: `schema_version` of the header; `user_version` of the file counts the same formats. */
export const SCHEMA_VERSION = '1';
export const FORMAT = 1;
/** 'cura', so that `file` and people can tell. */
export const APPLICATION_ID = 0x63757261;

/** `events.id` = session id * 2^28 + seq: one clustered range a session, no second index. */
export const SEQ_SPAN = 2 ** 28;
export const MAX_SESSION_ID = 2 ** 25 - 1;

const SCHEMA: readonly [name: string, sql: string][] = [
  ['header', 'CREATE TABLE header (key TEXT PRIMARY KEY, value) WITHOUT ROWID'],
  [
    'sessions',
    `CREATE TABLE sessions (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, session TEXT NOT NULL, archive TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, meta TEXT NOT NULL, sum TEXT NOT NULL, UNIQUE (tenant, session, archive))`,
  ],
  [
    'events',
    'CREATE TABLE events (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, type TEXT NOT NULL, ver INTEGER NOT NULL, turn INTEGER NOT NULL, observed INTEGER NOT NULL, hash BLOB NOT NULL, payload TEXT NOT NULL)',
  ],
  [
    'blobs',
    'CREATE TABLE blobs (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, hash BLOB NOT NULL, size INTEGER NOT NULL, deflated INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (tenant, hash))',
  ],
  [
    'refs',
    'CREATE TABLE refs (session INTEGER NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (session, blob)) WITHOUT ROWID',
  ],
  ['refs_of_blob', 'CREATE INDEX refs_of_blob ON refs (blob)'],
  [
    'snapshots',
    'CREATE TABLE snapshots (session INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash BLOB NOT NULL, sum BLOB NOT NULL, data BLOB NOT NULL)',
  ],
  // For people with the sqlite3 tool: the journal as one readable table.
  [
    'journal',
    `CREATE VIEW journal AS SELECT s.tenant, s.session, s.archive, e.id % ${SEQ_SPAN} AS seq, e.turn, strftime('%Y-%m-%dT%H:%M:%fZ', e.ts / 1000.0, 'unixepoch') AS at, e.type, e.ver, e.payload, lower(hex(e.hash)) AS hash FROM events e JOIN sessions s ON s.id = e.id / ${SEQ_SPAN}`,
  ],
];

/**
 * Creates the tables of a new file, or makes sure that the file is a journal of a format we know.
 * Returns whether it is new. Throws STORAGE with a message for people; never changes an old file.
 */
export function prepareSchema(db: Db, path: string, now: number): boolean {
  const format = db.pragma('user_version', { simple: true }) as number;
  const application = db.pragma('application_id', { simple: true }) as number;
  const objects = db.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'").all() as {
    name: string;
    sql: string;
  }[];
  if (objects.length === 0 && format === 0 && application === 0) {
    createSchema(db, now);
    return true;
  }
  if (application !== APPLICATION_ID) {
    throw new CuratedError('STORAGE', `${path} is not a journal of curated${RECOVERY}`);
  }
  if (format > FORMAT) {
    throw new CuratedError(
      'STORAGE',
      `${path} has journal format ${format}; this version reads formats up to ${FORMAT}. Use a newer curated.`,
      { detail: { format, known: FORMAT } },
    );
  }
  if (format < FORMAT) throw new CuratedError('STORAGE', `${path} has no known journal format${RECOVERY}`);
  const found = new Map(objects.map((o) => [o.name, o.sql]));
  for (const [name, sql] of SCHEMA) {
    // Byte for byte: a flipped bit in a declaration would change what the rows mean.
    if (found.get(name) !== sql) throw damaged(path, `table ${name} is not declared as it should be`);
  }
  const version = db.prepare("SELECT value FROM header WHERE key = 'schema_version'").pluck().get();
  if (version !== SCHEMA_VERSION) {
    throw new CuratedError('STORAGE', `${path} has schema_version ${String(version)}, not ${SCHEMA_VERSION}`);
  }
  // The list of sessions is small and all else hangs on it: a session that vanished must not go unnoticed.
  const faults = db.prepare("SELECT * FROM pragma_integrity_check('sessions')").pluck().all() as string[];
  if (faults.length !== 1 || faults[0] !== 'ok') throw damaged(path, faults.join('; '));
  return false;
}

function createSchema(db: Db, now: number): void {
  db.transaction(() => {
    for (const [, sql] of SCHEMA) db.exec(sql);
    const put = db.prepare('INSERT INTO header (key, value) VALUES (?, ?)');
    put.run('schema_version', SCHEMA_VERSION);
    put.run('created_at', now);
    put.run('ticks', 0);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${FORMAT}`);
  })();
}

const RECOVERY = "; run 'curated doctor' to check and recover it";

/** Structural damage of the file. */
export function damaged(path: string, what: string): CuratedError {
  return new CuratedError('STORAGE', `the journal ${path} is damaged (${what})${RECOVERY}`, {
    detail: { damaged: true },
  });
}

function isOfDisk(code: unknown): boolean {
  return typeof code === 'string' && code.startsWith('SQLITE_IOERR');
}

/** SQLite calls it an I/O error when its log's index finds no room. */
function isFull(path: string): boolean {
  try {
    return statfsSync(dirname(path)).bavail === 0;
  } catch {
    return false;
  }
}

/** SQLite's codes as our kinds. */
export function storageError(e: unknown, path: string, what = 'journal'): CuratedError {
  if (e instanceof CuratedError) return e;
  const code = (e as { code?: unknown }).code;
  const message = e instanceof Error ? e.message : String(e);
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || (isOfDisk(code) && isFull(path))) {
    return new CuratedError('STORAGE_FULL', `no space left for the ${what} ${path}`, { cause: e });
  }
  if (typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code)) return damaged(path, message);
  return new CuratedError('STORAGE', `the ${what} ${path} failed: ${message}`, {
    detail: { code: typeof code === 'string' ? code : undefined },
    cause: e,
  });
}
