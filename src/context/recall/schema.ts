// The recall index as a file: tables, version, and what becomes of a damaged one. Knows SQLite and no question.

import { rmSync } from 'node:fs';
import { makePrivate } from '../../journal/private-file.js';
import { openSqlite, type Sqlite } from '../../sqlite.js';

/** Another version of words, sketches or tables: the file is made anew from the journals. */
const VERSION = 2;
const BUSY_MS = 250;
/** Pages that SQLite keeps, in KiB, and bytes of the file that are mapped: lookups are scattered all over it. */
const CACHE_KIB = 16 * 1024;
const MAPPED_BYTES = 1024 * 1024 * 1024;

/**
 * `words` holds no text and no positions: it answers which passages have a word, and nothing else is asked of it. A word's
 * counts stand in `passage.sketch`. Words that begin with a sign of private use are scopes: session, project, tenant, tool.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS scope (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, project TEXT NOT NULL, UNIQUE (tenant, project));
CREATE TABLE IF NOT EXISTS session (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL, format TEXT NOT NULL,
  seq INTEGER NOT NULL, hash TEXT NOT NULL, inputs INTEGER NOT NULL,
  passages INTEGER NOT NULL, words INTEGER NOT NULL, UNIQUE (tenant, session));
CREATE TABLE IF NOT EXISTS passage (
  id INTEGER PRIMARY KEY, sid INTEGER NOT NULL, ord INTEGER NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL,
  turn INTEGER NOT NULL, role TEXT NOT NULL, tool TEXT, handle TEXT NOT NULL, tokens INTEGER NOT NULL,
  chars INTEGER NOT NULL, words INTEGER NOT NULL, meaning TEXT NOT NULL, sketch TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS passage_place ON passage (sid, ord);
CREATE INDEX IF NOT EXISTS passage_handle ON passage (handle);
CREATE TABLE IF NOT EXISTS body (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  text, content = '', columnsize = 0, detail = none, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'");
`;

/** @param path ':memory:' for one that ends with the process */
export function openIndex(path: string): Sqlite {
  if (path === ':memory:') return prepared(openSqlite(path));
  makePrivate(path);
  try {
    return prepared(openSqlite(path, { timeout: BUSY_MS }));
  } catch (e) {
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test((e as { code?: string }).code ?? '')) throw e;
    return anew(path);
  }
}

function prepared(db: Sqlite): Sqlite {
  try {
    const version = db.pragma('user_version', { simple: true }) as number;
    if (version !== 0 && version !== VERSION)
      throw Object.assign(new Error('another version'), { code: 'SQLITE_CORRUPT' });
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('secure_delete = ON');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma(`mmap_size = ${MAPPED_BYTES}`);
    db.exec(SCHEMA);
    db.exec("INSERT INTO words (words, rank) VALUES ('secure-delete', 1)");
    db.pragma(`user_version = ${VERSION}`);
    return db;
  } catch (e) {
    db.close();
    throw e;
  }
}

/** The file is a cache: what is damaged goes, the journals fill the new one. */
function anew(path: string): Sqlite {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  makePrivate(path);
  return prepared(openSqlite(path, { timeout: BUSY_MS }));
}
