// A question to the recall index: candidates by their words, scored with what stands around them, the best with their texts.
// What it costs does not follow what the index holds.

import { candidates, type Range } from './candidates.js';
import type { IndexDb } from './index-db.js';
import { cosine, meaningOf } from './meaning.js';
import { type Asked, asksOfSelf, bm25, NEAR, ranked, type Scored } from './ranking.js';
import type { Found, SearchOptions } from './rows.js';
import { scopeWord, sessionWord, toolWord } from './scope.js';
import { hashOf } from './sketch.js';
import { snippetOf } from './snippet.js';
import { wordsAsked } from './words.js';

/** Passages that are scored, and places of the word lists that are read to choose them: what a search costs. For each hit, and at least. */
const SCORED = { each: 4, least: 128 };
const PLACES = { each: 8, least: 1500 };
/** Best passages whose surroundings are looked at. */
const SURROUNDED = 600;
const NEIGHBOUR_CHARS = 160;

/** Cells of a row, in this order: a row as an array costs half of one as an object. */
const PASSAGE = 'id, sid, ord, tokens, chars, words, tool, meaning, sketch, role';
type PassageRow = [number, number, number, number, number, number, string | null, string, string, string];

interface Passage extends Scored {
  tokens: number;
  tool: string | null;
}

export class Searcher {
  readonly #db: IndexDb;

  constructor(db: IndexDb) {
    this.#db = db;
  }

  /** Best first. What it costs does not follow what the index holds. */
  search(o: SearchOptions): Found[] {
    return this.#db.guard(() => {
      const asked = wordsAsked(o.query);
      const must = wordsAsked(o.must);
      const words = asked.length > 0 ? asked : must;
      const scope = this.#scopeOf(o);
      if (words.length === 0 || scope === undefined) return [];
      const within = [...scope.words.map(quoted), ...(must.length === 0 ? [] : [`(${anyOf(must)})`])];
      const chosen = candidates(
        words,
        (all, from, limit) => this.#find([...all.map(quoted), ...within].join(' AND '), from, limit),
        scope,
        {
          places: Math.max(PLACES.least, o.k * PLACES.each),
          most: Math.max(SCORED.least, o.k * SCORED.each),
        },
      );
      const weights = chosen.words.map(({ word, weight }) => ({ hash: hashOf(word), weight }));
      const passages = this.#score(o, chosen.ids, weights, scope.meanWords);
      const total = weights.reduce((sum, w) => sum + w.weight, 0);
      return withinBudget(ranked(passages, total, o.budget !== undefined, asksOfSelf(o.query)), o.budget)
        .slice(0, o.k)
        .map((p) => this.#found(p, words));
    });
  }

  /** Passages with all of the words, newest first. */
  #find(match: string, from: number, limit: number): number[] {
    const sql = 'SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? ORDER BY rowid DESC LIMIT ?';
    return this.#db.sql(sql, 'pluck').all(match, from, limit) as number[];
  }

  /** Scores of the candidates; where a budget is to be filled, also of what stands around the best of them. */
  #score(o: SearchOptions, ids: readonly number[], asked: readonly Asked[], meanWords: number): Passage[] {
    const query = meaningOf(o.query);
    const out = new Map<number, Passage>();
    const take = ([id, sid, ord, tokens, chars, words, tool, meaning, sketch, role]: PassageRow) => {
      if (o.tool !== undefined && o.tool !== tool) return;
      const { own, covered } = bm25(sketch, words, asked, meanWords);
      out.set(id, {
        id,
        sid,
        ord,
        tokens,
        tool,
        chars,
        own,
        covered,
        meaning: cosine(query, meaning),
        typed: role === 'user' && tool === null,
      });
    };
    const one = this.#db.sql(`SELECT ${PASSAGE} FROM passage WHERE id = ?`, 'raw');
    for (const id of ids) take(one.get(id) as PassageRow);
    // A condition holds for a passage, not for its neighbours.
    if (o.budget === undefined || o.must !== '' || o.tool !== undefined) return [...out.values()];
    const around = this.#db.sql(
      `SELECT ${PASSAGE} FROM passage WHERE sid = ? AND ord BETWEEN ? AND ?`,
      'raw',
    );
    const best = [...out.values()].sort((a, b) => b.own - a.own).slice(0, SURROUNDED);
    for (const p of best)
      for (const row of around.all(p.sid, p.ord - NEAR.length, p.ord + NEAR.length) as PassageRow[])
        if (!out.has(row[0])) take(row);
    return [...out.values()];
  }

  #found(p: Passage & { score: number }, words: readonly string[]): Found {
    const row = this.#db
      .sql(
        `SELECT p.handle, p.turn, s.session, body.text FROM passage p JOIN session s ON s.id = p.sid JOIN body ON body.id = p.id
         WHERE p.id = ?`,
      )
      .get(p.id) as { handle: string; turn: number; session: string; text: string };
    return {
      handle: row.handle,
      score: Math.round(p.score * 1000) / 1000,
      session: row.session,
      turn: row.turn,
      ...(p.tool === null ? {} : { tool: p.tool }),
      snippet: snippetOf(row.text, words),
      tokens: p.tokens,
      neighbours: this.#neighbours(p),
    };
  }

  #neighbours(p: Passage): Found['neighbours'] {
    return this.#db
      .sql(
        `SELECT p.handle, substr(body.text, 1, ${NEIGHBOUR_CHARS}) AS snippet FROM passage p JOIN body ON body.id = p.id
         WHERE p.sid = ? AND p.ord IN (?, ?) ORDER BY p.ord`,
      )
      .all(p.sid, p.ord - 1, p.ord + 1) as Found['neighbours'];
  }

  /** Words that all passages of the scope have, and its size; undefined for a scope that has none. */
  #scopeOf(o: SearchOptions): (Range & { words: string[]; meanWords: number }) | undefined {
    const where = ['tenant = @tenant'];
    if (o.session !== undefined) where.push('session = @session');
    if (o.project !== undefined) where.push('project = @project');
    const fields = { tenant: o.tenant, session: o.session, project: o.project };
    const size = this.#db
      .sql(
        `SELECT sum(passages) AS passages, sum(words) AS words, min(id) AS sid FROM session WHERE ${where.join(' AND ')}`,
      )
      .get(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))) as {
      passages: number | null;
      words: number;
      sid: number;
    };
    if (!size.passages) return undefined;
    const words = [
      o.session === undefined ? undefined : sessionWord(size.sid),
      o.project === undefined ? undefined : scopeWord(this.#db, o.tenant, o.project),
      o.session === undefined && o.project === undefined && this.#tenants() > 1
        ? scopeWord(this.#db, o.tenant, '')
        : undefined,
      o.tool === undefined ? undefined : toolWord(o.tool),
    ].filter((w) => w !== undefined);
    const ends = (
      o.session === undefined
        ? this.#db
            .sql('SELECT (SELECT min(id) FROM passage) AS first, (SELECT max(id) FROM passage) AS last')
            .get()
        : this.#db
            .sql(
              `SELECT (SELECT id FROM passage WHERE sid = @sid ORDER BY ord LIMIT 1) AS first,
               (SELECT id FROM passage WHERE sid = @sid ORDER BY ord DESC LIMIT 1) AS last`,
            )
            .get({ sid: size.sid })
    ) as { first: number; last: number };
    return { ...ends, words, passages: size.passages, meanWords: size.words / size.passages };
  }

  #tenants(): number {
    return (this.#db.sql("SELECT count(*) AS n FROM scope WHERE project = ''").get() as { n: number }).n;
  }
}

/** Without a budget all; with one those that fit, best first. */
function withinBudget<T extends Passage & { score: number }>(
  passages: readonly T[],
  budget: number | undefined,
): T[] {
  let left = budget ?? Number.POSITIVE_INFINITY;
  return passages.filter((p) => {
    if (p.score === 0 || p.tokens > left) return false;
    left -= p.tokens;
    return true;
  });
}

function quoted(word: string): string {
  return `"${word}"`;
}

function anyOf(words: readonly string[]): string {
  return words.map(quoted).join(' OR ');
}
