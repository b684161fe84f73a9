// Everything that was said, as full text: one SQLite file that is derived from the journals and can be made anew from
// them. Knows rows and words; which events become rows is the feed's business.

import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { CuratedError } from '../../errors.js';
import { makePrivate } from '../../journal/private-file.js';
import { anyOf, scored } from '../fts.js';

/** Where a session's rows end: the event they were read up to, and what the journal said of it. */
export interface Position {
  seq: number;
  /** Chain hash of that event: another one means that the journal was rewound. */
  hash: string;
  format: string;
  /** Folder of the project, '' when none was named. */
  project: string;
  /** User inputs so far. */
  inputs: number;
}

export interface NewRow {
  seq: number;
  part: number;
  turn: number;
  role: string;
  tool: string | null;
  handle: string;
  tokens: number;
  text: string;
}

export interface Found {
  handle: string;
  score: number;
  session: string;
  turn: number;
  tool?: string;
  snippet: string;
  tokens: number;
  neighbours: { handle: string; snippet: string }[];
}

export interface RowPlace {
  session: string;
  seq: number;
  part: number;
}

export interface SearchOptions {
  tenant: string;
  /** Words of which a passage has some. */
  words: readonly string[];
  /** Words of which it must have one as well; empty = no such condition. */
  must: readonly string[];
  /** The query as it was asked, for the score. */
  query: string;
  session?: string | undefined;
  project?: string | undefined;
  tool?: string | undefined;
  k: number;
}

const VERSION = 1;
const BUSY_MS = 250;
/** Candidates by BM25 that are scored for each hit. */
const WIDER = 4;
/** Matches that one search ranks: a rank takes microseconds, and a common word is in most of what was ever said. */
const RANKED = 1000;
const NEIGHBOUR_CHARS = 160;
/** Characters of a candidate that its vector is made from. */
const SCORED_CHARS = 4000;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS session (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL, format TEXT NOT NULL,
  seq INTEGER NOT NULL, hash TEXT NOT NULL, inputs INTEGER NOT NULL, UNIQUE (tenant, session));
CREATE TABLE IF NOT EXISTS passage (
  id INTEGER PRIMARY KEY, sid INTEGER NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, turn INTEGER NOT NULL,
  role TEXT NOT NULL, tool TEXT, handle TEXT NOT NULL, tokens INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS passage_place ON passage (sid, id);
CREATE INDEX IF NOT EXISTS passage_handle ON passage (handle);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, tokenize = 'porter unicode61');
`;

interface HitRow {
  id: number;
  sid: number;
  session: string;
  turn: number;
  tool: string | null;
  handle: string;
  tokens: number;
  text: string;
  bm25: number;
}

export class RecallIndex {
  readonly #path: string;
  readonly #statements = new Map<string, Database.Statement>();
  #opened: Database.Database | undefined;

  /** @param path made with the first use; ':memory:' for tests. A damaged file, or one of another version, is made anew. */
  constructor(path: string) {
    this.#path = path;
  }

  positions(tenant: string): Map<string, Position> {
    const rows = this.#guard(() =>
      this.#sql('SELECT session, seq, hash, format, project, inputs FROM session WHERE tenant = ?').all(
        tenant,
      ),
    ) as (Position & { session: string })[];
    return new Map(rows.map(({ session, ...position }) => [session, position]));
  }

  position(tenant: string, session: string): Position | undefined {
    return this.#guard(() =>
      this.#sql(
        'SELECT seq, hash, format, project, inputs FROM session WHERE tenant = ? AND session = ?',
      ).get(tenant, session),
    ) as Position | undefined;
  }

  /** Rows and the place they reach to, in one step. */
  add(tenant: string, session: string, rows: readonly NewRow[], to: Position): void {
    this.#write(() => {
      this.#sql(
        `INSERT INTO session (tenant, session, project, format, seq, hash, inputs) VALUES (@tenant, @session, @project, @format, @seq, @hash, @inputs)
         ON CONFLICT (tenant, session) DO UPDATE SET project = @project, format = @format, seq = @seq, hash = @hash, inputs = @inputs`,
      ).run({ tenant, session, ...to });
      const sid = this.#sid(tenant, session)!;
      for (const r of rows) {
        const { lastInsertRowid } = this.#sql(
          'INSERT INTO passage (sid, seq, part, turn, role, tool, handle, tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ).run(sid, r.seq, r.part, r.turn, r.role, r.tool, r.handle, r.tokens);
        this.#sql('INSERT INTO words (rowid, text) VALUES (?, ?)').run(lastInsertRowid, r.text);
      }
    });
  }

  /** Takes a session out; no bytes of it stay, in the log file neither. */
  erase(tenant: string, session: string): void {
    this.#write(() => {
      const sid = this.#sid(tenant, session);
      if (sid === undefined) return;
      this.#sql('DELETE FROM words WHERE rowid IN (SELECT id FROM passage WHERE sid = ?)').run(sid);
      this.#sql('DELETE FROM passage WHERE sid = ?').run(sid);
      this.#sql('DELETE FROM session WHERE id = ?').run(sid);
    });
    this.#guard(() => this.#db.pragma('wal_checkpoint(TRUNCATE)'));
  }

  /** Best first. Rare words lead: common ones are asked only where the rare ones find too little. */
  search(o: SearchOptions): Found[] {
    return this.#guard(() => {
      const telling = o.must.length > 0 ? o.words : this.#telling(o.words);
      let match = expression(telling, o.must);
      let rows = this.#ranked(o, match);
      if (rows.length < o.k && telling.length < o.words.length) {
        match = expression(o.words, o.must);
        const known = new Set(rows.map((r) => r.id));
        rows = [...rows, ...this.#ranked(o, match).filter((r) => !known.has(r.id))];
      }
      return scored(o.query, rows)
        .slice(0, o.k)
        .map((r) => this.#found(r, match));
    });
  }

  /** The rarest words that together match no more than a search may rank; at least one. */
  #telling(words: readonly string[]): readonly string[] {
    const weighed = words.map((word) => {
      const sql = `SELECT count(*) AS n FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ${RANKED})`;
      return { word, n: (this.#sql(sql).get(anyOf([word])) as { n: number }).n };
    });
    let sum = 0;
    const rare = weighed
      .sort((a, b) => a.n - b.n)
      .filter(({ n }) => {
        sum += n;
        return sum <= RANKED;
      });
    return rare.some(({ n }) => n > 0) ? rare.map((r) => r.word) : words;
  }

  /** Candidates by BM25 among the newest matches: their number bounds the time, whatever the index holds. */
  #ranked(o: SearchOptions, match: string): HitRow[] {
    const sessions = ['tenant = @tenant'];
    if (o.session !== undefined) sessions.push('session = @session');
    if (o.project !== undefined) sessions.push('project = @project');
    // Ranked by ids alone: texts are fetched for what is left, not for all that match.
    const sql = `WITH newest AS (
        SELECT words.rowid AS id, words.rank AS bm25 FROM words JOIN passage p ON p.id = words.rowid
        WHERE words MATCH @match AND p.sid IN (SELECT id FROM session WHERE ${sessions.join(' AND ')})
          ${o.tool === undefined ? '' : 'AND p.tool = @tool'}
        ORDER BY words.rowid DESC LIMIT ${RANKED}),
      best AS (SELECT id, bm25 FROM newest ORDER BY bm25 LIMIT @limit)
      SELECT p.id, p.sid, s.session, p.turn, p.tool, p.handle, p.tokens, best.bm25,
        substr(words.text, 1, ${SCORED_CHARS}) AS text
      FROM best JOIN passage p ON p.id = best.id JOIN session s ON s.id = p.sid JOIN words ON words.rowid = best.id`;
    return this.#sql(sql).all({
      tenant: o.tenant,
      match,
      limit: o.k * WIDER,
      ...(o.session === undefined ? {} : { session: o.session }),
      ...(o.project === undefined ? {} : { project: o.project }),
      ...(o.tool === undefined ? {} : { tool: o.tool }),
    }) as HitRow[];
  }

  #found(r: HitRow & { score: number }, match: string): Found {
    const { snippet } = this.#sql(
      "SELECT snippet(words, 0, '', '', '…', 40) AS snippet FROM words WHERE words MATCH ? AND rowid = ?",
    ).get(match, r.id) as { snippet: string };
    return {
      handle: r.handle,
      score: r.score,
      session: r.session,
      turn: r.turn,
      ...(r.tool === null ? {} : { tool: r.tool }),
      snippet,
      tokens: r.tokens,
      neighbours: this.#neighbours(r),
    };
  }

  /** Texts of the newest n user messages of a session, oldest first. */
  requests(tenant: string, session: string, n: number): string[] {
    const rows = this.#guard(() =>
      this.#sql(
        `SELECT substr(words.text, 1, 400) AS text FROM passage p JOIN words ON words.rowid = p.id
         WHERE p.sid = (SELECT id FROM session WHERE tenant = ? AND session = ?) AND p.role = 'user' AND p.tool IS NULL
         ORDER BY p.id DESC LIMIT ?`,
      ).all(tenant, session, n),
    ) as { text: string }[];
    return rows.map((r) => r.text).reverse();
  }

  /** Where the passages of a handle stand, in this tenant alone. */
  places(tenant: string, handle: string): RowPlace[] {
    return this.#guard(() =>
      this.#sql(
        `SELECT s.session, p.seq, p.part FROM passage p JOIN session s ON s.id = p.sid
         WHERE p.handle = ? AND s.tenant = ?`,
      ).all(handle, tenant),
    ) as RowPlace[];
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
    this.#statements.clear();
  }

  #neighbours(r: HitRow): { handle: string; snippet: string }[] {
    const pick = (sql: string) =>
      this.#sql(
        `SELECT p.handle, substr(words.text, 1, ${NEIGHBOUR_CHARS}) AS snippet FROM passage p
         JOIN words ON words.rowid = p.id WHERE p.sid = ? AND ${sql} LIMIT 1`,
      ).get(r.sid, r.id) as { handle: string; snippet: string } | undefined;
    return this.#guard(() => [pick('p.id < ? ORDER BY p.id DESC'), pick('p.id > ? ORDER BY p.id')]).filter(
      (n) => n !== undefined,
    );
  }

  #sid(tenant: string, session: string): number | undefined {
    const row = this.#sql('SELECT id FROM session WHERE tenant = ? AND session = ?').get(tenant, session);
    return (row as { id: number } | undefined)?.id;
  }

  get #db(): Database.Database {
    this.#opened ??= open(this.#path);
    return this.#opened;
  }

  #sql(text: string): Database.Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #write(work: () => void): void {
    this.#guard(() => this.#db.transaction(work).immediate());
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (e) {
      if (e instanceof CuratedError) throw e;
      throw new CuratedError(
        'STORAGE',
        `the recall index ${this.#path} is not available: ${(e as Error).message}`,
        {
          detail: { code: (e as { code?: string }).code },
          cause: e,
        },
      );
    }
  }
}

function expression(words: readonly string[], must: readonly string[]): string {
  if (words.length === 0 || must.length === 0) return anyOf(words.length === 0 ? must : words);
  return `(${anyOf(words)}) AND (${anyOf(must)})`;
}

function open(path: string): Database.Database {
  if (path === ':memory:') return prepared(new Database(path));
  makePrivate(path);
  try {
    return prepared(new Database(path, { timeout: BUSY_MS }));
  } catch (e) {
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test((e as { code?: string }).code ?? '')) throw e;
    return anew(path);
  }
}

function prepared(db: Database.Database): Database.Database {
  try {
    const version = db.pragma('user_version', { simple: true }) as number;
    if (version !== 0 && version !== VERSION)
      throw Object.assign(new Error('another version'), { code: 'SQLITE_CORRUPT' });
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('secure_delete = ON');
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
function anew(path: string): Database.Database {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  makePrivate(path);
  return prepared(new Database(path, { timeout: BUSY_MS }));
}
