// The list of sessions in SQLite, with a bounded cache of the heads in use. A row carries its own checksum.

import { CuratedError } from '../errors.js';
import { type ChainHead, GENESIS, quarantined, sha256 } from './record.js';
import { type Db, MAX_SESSION_ID } from './sqlite-schema.js';
import { keyText, type SessionHead, type SessionKey } from './store.js';
import type { Vault } from './vault.js';

export interface HeadRow {
  id: number;
  key: SessionKey;
  seq: number;
  hash: string;
  createdAt: number;
  updatedAt: number;
  meta: string;
}

type Raw = [
  id: number,
  tenant: string,
  session: string,
  archive: string,
  seq: number,
  hash: string,
  created: number,
  updated: number,
  meta: string,
  sum: string,
];

const COLUMNS = 'id, tenant, session, archive, seq, lower(hex(hash)), created_at, updated_at, meta, sum';
const CACHE = 10_000;

export class Heads {
  readonly #cache = new Map<string, HeadRow>();
  readonly #find;
  readonly #all;
  readonly #old;
  readonly #archives;
  readonly #insert;
  readonly #update;
  readonly #delete;
  readonly #totals;

  constructor(
    readonly db: Db,
    readonly vault: Vault,
  ) {
    this.#find = db
      .prepare(`SELECT ${COLUMNS} FROM sessions WHERE tenant = ? AND session = ? AND archive = ?`)
      .raw();
    this.#all = db.prepare(`SELECT ${COLUMNS} FROM sessions`).raw();
    this.#old = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE updated_at < ?`).raw();
    this.#archives = db
      .prepare(
        "SELECT archive FROM sessions WHERE tenant = ? AND session = ? AND archive <> '' ORDER BY archive",
      )
      .pluck();
    this.#insert = db.prepare(
      'INSERT INTO sessions (tenant, session, archive, seq, hash, created_at, updated_at, meta, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#update = db.prepare(
      'UPDATE sessions SET archive = ?, seq = ?, hash = ?, updated_at = ?, meta = ?, sum = ? WHERE id = ?',
    );
    this.#delete = db.prepare('DELETE FROM sessions WHERE id = ?');
    this.#totals = db.prepare(
      "SELECT coalesce(sum(archive = ''), 0) AS sessions, coalesce(sum(archive <> ''), 0) AS archives, coalesce(sum(seq), 0) AS events FROM sessions",
    );
  }

  /** Throws the quarantine error when the row does not match its checksum. */
  get(key: SessionKey): HeadRow | undefined {
    const k = keyText(key);
    const known = this.#cache.get(k);
    if (known) return known;
    const raw = this.#find.get(key.tenant, key.session, key.archive ?? '') as Raw | undefined;
    if (!raw) return undefined;
    const row = this.#verified(raw);
    this.#remember(k, row);
    return row;
  }

  need(key: SessionKey): HeadRow {
    const row = this.get(key);
    if (row) return row;
    throw new CuratedError('UNKNOWN_SESSION', `there is no journal ${key.archive ?? key.session}`);
  }

  /** Every row, archives included; rows that are damaged come as their error. */
  all(): Generator<HeadRow | CuratedError> {
    return this.#read(this.#all.all() as Raw[]);
  }

  /** As `all`, of those that were last touched before `limit`. */
  old(limit: number): Generator<HeadRow | CuratedError> {
    return this.#read(this.#old.all(limit) as Raw[]);
  }

  *#read(rows: readonly Raw[]): Generator<HeadRow | CuratedError> {
    for (const raw of rows) {
      try {
        yield this.#verified(raw);
      } catch (e) {
        yield e as CuratedError;
      }
    }
  }

  archives(key: SessionKey): string[] {
    return this.#archives.all(key.tenant, key.session) as string[];
  }

  create(key: SessionKey, at: ChainHead & { createdAt: number; updatedAt: number; meta: string }): HeadRow {
    const row: HeadRow = { id: 0, key, ...at };
    const { tenant, session, archive } = key;
    const hash = this.#hidden(row);
    const sum = this.#sum(row);
    const args = [tenant, session, archive ?? '', row.seq, hash, row.createdAt, row.updatedAt, row.meta, sum];
    row.id = Number(this.#insert.run(...args).lastInsertRowid);
    if (row.id > MAX_SESSION_ID) throw new CuratedError('LIMIT', 'the journal holds too many sessions');
    this.#remember(keyText(key), row);
    return row;
  }

  /** Writes a row that was changed in place. */
  save(row: HeadRow): void {
    const hash = this.#hidden(row);
    this.#update.run(row.key.archive ?? '', row.seq, hash, row.updatedAt, row.meta, this.#sum(row), row.id);
  }

  /** Gives a journal another archive name (undefined = live). */
  rename(row: HeadRow, archive: string | undefined): void {
    this.#cache.delete(keyText(row.key));
    const { tenant, session } = row.key;
    row.key = archive === undefined ? { tenant, session } : { tenant, session, archive };
    this.save(row);
    this.#remember(keyText(row.key), row);
  }

  delete(row: HeadRow): void {
    this.#cache.delete(keyText(row.key));
    this.#delete.run(row.id);
  }

  /** Counted here and not in the records, of which there may be millions. */
  totals(): { sessions: number; archives: number; events: number } {
    return this.#totals.get() as { sessions: number; archives: number; events: number };
  }

  /** Forgets what was read: after a lost transaction the disk alone knows. */
  clear(): void {
    this.#cache.clear();
  }

  /** Keeps the cache small, the least recently opened first. Only between transactions: a row in use is changed in place. */
  trim(): void {
    let surplus = this.#cache.size - CACHE;
    if (surplus <= 0) return;
    for (const k of this.#cache.keys()) {
      this.#cache.delete(k);
      if (--surplus === 0) break;
    }
  }

  /** The chain's hash as it lies in the file. */
  #hidden(row: HeadRow): Buffer {
    return this.vault.hash(placeOf(row), Buffer.from(row.hash, 'hex'));
  }

  /** A checksum rests on the hash, and must not tell what the hash hides. */
  #sum(row: HeadRow): string {
    const sum = checksum(row);
    return this.vault.hash(`${placeOf(row)} sum`, Buffer.from(sum, 'hex')).toString('hex');
  }

  #verified(raw: Raw): HeadRow {
    const [id, tenant, session, archive, seq, stored, createdAt, updatedAt, meta, sum] = raw;
    const key = archive === '' ? { tenant, session } : { tenant, session, archive };
    const row = { id, key, seq, hash: stored, createdAt, updatedAt, meta };
    if (this.vault.sealed)
      row.hash = this.vault.hash(placeOf(row), Buffer.from(stored, 'hex')).toString('hex');
    if (this.#sum(row) !== sum) throw quarantined(session, seq, 'is listed in a row that is damaged');
    return row;
  }

  #remember(k: string, row: HeadRow): void {
    this.#cache.set(k, row);
  }
}

export function headOf(row: HeadRow): SessionHead {
  const { key, seq, hash, createdAt, updatedAt } = row;
  return { key, seq, hash, createdAt, updatedAt, meta: JSON.parse(row.meta) as Record<string, unknown> };
}

export const chainHead = (row: HeadRow | undefined): ChainHead => row ?? GENESIS;

/** Where the hash of a head belongs: nowhere else does it read as what it is. */
export const placeOf = ({ key, seq }: Pick<HeadRow, 'key' | 'seq'>): string => `head:${keyText(key)} ${seq}`;

/** 64 bits of sha256 over all that the row says. */
function checksum(row: HeadRow): string {
  const { tenant, session, archive } = row.key;
  const all = [tenant, session, archive ?? '', row.seq, row.hash, row.createdAt, row.updatedAt, row.meta];
  return sha256(JSON.stringify(all)).slice(0, 16);
}
