// Everything that was said, to be found by its words: one SQLite file that is derived from the journals and can be made anew
// from them. Knows rows and words; which events become rows is the feed's business.

import { IndexDb } from './index-db.js';
import { meaningOf } from './meaning.js';
import type { Found, NewRow, Position, RowPlace, SearchOptions } from './rows.js';
import { scopesOf, toolWord } from './scope.js';
import { Searcher } from './searcher.js';
import { sketchOf } from './sketch.js';
import { wordsIn } from './words.js';

interface SessionRow {
  id: number;
  project: string;
  passages: number;
}

export class RecallIndex {
  readonly #db: IndexDb;
  readonly #searcher: Searcher;

  /** @param path made with the first use; ':memory:' for tests. A damaged file, or one of another version, is made anew. */
  constructor(path: string) {
    this.#db = new IndexDb(path);
    this.#searcher = new Searcher(this.#db);
  }

  positions(tenant: string): Map<string, Position> {
    const rows = this.#db.guard(() =>
      this.#db
        .sql('SELECT session, seq, hash, format, project, inputs FROM session WHERE tenant = ?')
        .all(tenant),
    ) as (Position & { session: string })[];
    return new Map(rows.map(({ session, ...position }) => [session, position]));
  }

  position(tenant: string, session: string): Position | undefined {
    return this.#db.guard(() =>
      this.#db
        .sql('SELECT seq, hash, format, project, inputs FROM session WHERE tenant = ? AND session = ?')
        .get(tenant, session),
    ) as Position | undefined;
  }

  /** Rows and the place they reach to, in one step. */
  add(tenant: string, session: string, rows: readonly NewRow[], to: Position): void {
    this.#db.write(() => {
      const before = this.#session(tenant, session);
      if (before !== undefined && before.project !== to.project && before.passages > 0)
        this.#retag(before.id, tenant, to.project);
      this.#db
        .sql(
          `INSERT INTO session (tenant, session, project, format, seq, hash, inputs, passages, words)
         VALUES (@tenant, @session, @project, @format, @seq, @hash, @inputs, 0, 0)
         ON CONFLICT (tenant, session) DO UPDATE SET project = @project, format = @format, seq = @seq, hash = @hash, inputs = @inputs`,
        )
        .run({ tenant, session, ...to });
      const { id: sid, passages } = this.#session(tenant, session)!;
      const scopes = scopesOf(this.#db, sid, tenant, to.project);
      let sum = 0;
      rows.forEach((r, i) => {
        const words = wordsIn(r.text);
        sum += words.length;
        const { lastInsertRowid: id } = this.#db
          .sql(
            `INSERT INTO passage (sid, ord, seq, part, turn, role, tool, handle, tokens, chars, words, meaning, sketch)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            sid,
            passages + i,
            r.seq,
            r.part,
            r.turn,
            r.role,
            r.tool,
            r.handle,
            r.tokens,
            r.text.length,
            words.length,
            meaningOf(r.text),
            sketchOf(words),
          );
        this.#db.sql('INSERT INTO body (id, text) VALUES (?, ?)').run(id, r.text);
        this.#db.sql('INSERT INTO words (rowid, text) VALUES (?, ?)').run(id, indexed(words, scopes, r.tool));
      });
      this.#db
        .sql('UPDATE session SET passages = passages + ?, words = words + ? WHERE id = ?')
        .run(rows.length, sum, sid);
    });
  }

  /** Takes a session out; no bytes of it stay, in the log file neither. */
  erase(tenant: string, session: string): void {
    this.#db.write(() => {
      const row = this.#session(tenant, session);
      if (row === undefined) return;
      const scopes = scopesOf(this.#db, row.id, tenant, row.project);
      for (const { id, tool, text } of this.#texts(row.id)) this.#unindex(id, text, scopes, tool);
      this.#db.sql('DELETE FROM body WHERE id IN (SELECT id FROM passage WHERE sid = ?)').run(row.id);
      this.#db.sql('DELETE FROM passage WHERE sid = ?').run(row.id);
      this.#db.sql('DELETE FROM session WHERE id = ?').run(row.id);
    });
    this.#db.guard(() => this.#db.sql('PRAGMA wal_checkpoint(TRUNCATE)').all());
  }

  /** Best first. */
  search(o: SearchOptions): Found[] {
    return this.#searcher.search(o);
  }

  /** Texts of the newest n user messages of a session, oldest first. */
  requests(tenant: string, session: string, n: number): string[] {
    const rows = this.#db.guard(() =>
      this.#db
        .sql(
          `SELECT substr(body.text, 1, 400) AS text FROM passage p JOIN body ON body.id = p.id
         WHERE p.sid = (SELECT id FROM session WHERE tenant = ? AND session = ?) AND p.role = 'user' AND p.tool IS NULL
         ORDER BY p.ord DESC LIMIT ?`,
        )
        .all(tenant, session, n),
    ) as { text: string }[];
    return rows.map((r) => r.text).reverse();
  }

  /** Where the passages of a handle stand, in this tenant alone. */
  places(tenant: string, handle: string): RowPlace[] {
    return this.#db.guard(() =>
      this.#db
        .sql(
          `SELECT s.session, p.seq, p.part FROM passage p JOIN session s ON s.id = p.sid
         WHERE p.handle = ? AND s.tenant = ?`,
        )
        .all(handle, tenant),
    ) as RowPlace[];
  }

  /** Housekeeping in a quiet moment: fewer and larger parts of the word lists. @returns true when there may be more to do */
  tidy(): boolean {
    return this.#db.guard(() => {
      const changes = () => (this.#db.sql('SELECT total_changes() AS n').get() as { n: number }).n;
      const before = changes();
      this.#db.db.exec("INSERT INTO words (words, rank) VALUES ('merge', 200)");
      // The command itself counts as one or two changes; more means that pages were written.
      return changes() - before > 2;
    });
  }

  close(): void {
    this.#db.close();
  }

  /**
   * The session belongs to another project from now on, with all it said. Its passages get new ids: SQLite's word lists lose
   * later ones where an id is taken out and put in again within one transaction.
   */
  #retag(sid: number, tenant: string, project: string): void {
    const { project: old } = this.#db.sql('SELECT project FROM session WHERE id = ?').get(sid) as SessionRow;
    const [from, to] = [scopesOf(this.#db, sid, tenant, old), scopesOf(this.#db, sid, tenant, project)];
    const texts = this.#texts(sid);
    for (const { id, tool, text } of texts) this.#unindex(id, text, from, tool);
    let next = this.#db.sql('SELECT max(id) FROM passage', 'pluck').get() as number;
    for (const { id, tool, text } of texts) {
      next += 1;
      this.#db.sql('UPDATE passage SET id = ? WHERE id = ?').run(next, id);
      this.#db.sql('UPDATE body SET id = ? WHERE id = ?').run(next, id);
      this.#db
        .sql('INSERT INTO words (rowid, text) VALUES (?, ?)')
        .run(next, indexed(wordsIn(text), to, tool));
    }
  }

  #unindex(id: number, text: string, scopes: string, tool: string | null): void {
    this.#db
      .sql("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)")
      .run(id, indexed(wordsIn(text), scopes, tool));
  }

  #texts(sid: number): { id: number; tool: string | null; text: string }[] {
    return this.#db
      .sql(
        'SELECT p.id, p.tool, body.text FROM passage p JOIN body ON body.id = p.id WHERE p.sid = ? ORDER BY p.id',
      )
      .all(sid) as { id: number; tool: string | null; text: string }[];
  }

  #session(tenant: string, session: string): SessionRow | undefined {
    return this.#db
      .sql('SELECT id, project, passages FROM session WHERE tenant = ? AND session = ?')
      .get(tenant, session) as SessionRow | undefined;
  }
}

/** A passage as the word lists take it. */
function indexed(words: readonly string[], scopes: string, tool: string | null): string {
  return `${[...new Set(words)].join(' ')} ${scopes}${tool === null ? '' : ` ${toolWord(tool)}`}`;
}
