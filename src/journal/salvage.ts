// What of a damaged journal is still as it was written: of each session the records from the first on whose chain holds and
// whose texts are there. Reads the old file, writes a new one, changes nothing.

import { CuratedError } from '../errors.js';
import { openSqlite } from '../sqlite.js';
import { references } from './blobs.js';
import { CELLS, type Cell, type PackedRecords } from './packed.js';
import { needsNew, removeFile } from './private-file.js';
import type { Payload } from './record.js';
import { Blobs } from './sqlite-blobs.js';
import { SqliteEngine } from './sqlite-engine.js';
import { Events } from './sqlite-events.js';
import { type HeadRow, placeOf } from './sqlite-heads.js';
import { type Db, SEQ_SPAN, storageError } from './sqlite-schema.js';
import type { Blob, SessionKey } from './store.js';
import type { Vault } from './vault.js';
import { vaultOf } from './vault-of-file.js';

export interface Salvaged {
  readonly key: SessionKey;
  /** Records that are sound, from the first on. */
  readonly kept: number;
  /** Records that there were, as far as the list of sessions tells. */
  readonly of: number;
  /** Why not all; absent where all are. */
  readonly reason?: string;
}

export interface Salvage {
  readonly sessions: Salvaged[];
  /** What could not be read at all. */
  readonly faults: string[];
}

interface Listed {
  row: HeadRow;
  meta: string;
  seq: number;
  hash: string;
}

/** Records that are read at once, while all is well. */
const PAGE = 512;

/** Takes the sound records of a session in order: `cells` of whole records with the texts that they name first. */
type Take = (at: Listed, firstSeq: number, prev: string, cells: Cell[], blobs: Blob[]) => void;

/** Looks only. @param db open for reading; `vault`: what it is sealed with */
export function salvageable(db: Db, vault: Vault): Salvage {
  return walk(db, vault, () => undefined);
}

/**
 * Writes what is sound of `from` to the new file `to`. Throws STORAGE when `to` exists or nothing of `from` can be read; a full disk
 * is STORAGE_FULL. A sealed file needs its key. @param next key of the new one, sealed with the same by default
 */
export function salvage(from: string, to: string, key?: Uint8Array, next = key): Salvage {
  needsNew(to);
  let db: Db;
  try {
    db = openSqlite(from, { readonly: true, fileMustExist: true });
  } catch (e) {
    throw storageError(e, from);
  }
  let engine: SqliteEngine;
  let vault: Vault;
  let isCut = false;
  try {
    vault = vaultOf(db, from, key, false);
    engine = new SqliteEngine(to, { now: Date.now(), key: next });
  } catch (e) {
    db.close();
    removeFile(to);
    throw storageError(e, from);
  }
  try {
    return walk(db, vault, ({ row, meta }, firstSeq, prev, cells, blobs) => {
      const { key } = row;
      const failed = engine.commit(
        [
          { op: 'append', group: { key, expectedSeq: firstSeq - 1, prev, cells }, blobs },
          { op: 'meta', key, meta },
        ],
        true,
      );
      for (const error of failed.values()) throw error;
    });
  } catch (e) {
    isCut = true;
    throw storageError(e, from);
  } finally {
    db.close();
    engine.close();
    // What was begun here is no journal to go on with: the next try is not to find it in its way.
    if (isCut) removeFile(to);
  }
}

function walk(db: Db, vault: Vault, take: Take): Salvage {
  const faults: string[] = [];
  const sessions: Salvaged[] = [];
  for (const listed of list(db, vault, faults)) sessions.push(one(db, vault, listed, take));
  return { sessions, faults };
}

/** The list of sessions, as far as it can be read; names are believed, records are verified. */
function list(db: Db, vault: Vault, faults: string[]): Listed[] {
  const found: Listed[] = [];
  try {
    const rows = db
      .prepare(
        'SELECT id, tenant, session, archive, seq, lower(hex(hash)), created_at, updated_at, meta FROM sessions',
      )
      .raw()
      .iterate() as Iterable<[number, string, string, string, number, string, number, number, string]>;
    for (const [id, tenant, session, archive, seq, hash, createdAt, updatedAt, meta] of rows) {
      const key = archive === '' ? { tenant, session } : { tenant, session, archive };
      // Read without a head: where the records end, they say themselves.
      const row = { id, key, seq: SEQ_SPAN - 2, hash: '', createdAt, updatedAt, meta };
      const plain = vault.hash(placeOf({ key, seq }), Buffer.from(hash, 'hex')).toString('hex');
      found.push({ row, meta: isJson(meta) ? meta : '{}', seq, hash: plain });
    }
  } catch (e) {
    faults.push(`the list of sessions: ${(e as Error).message}`);
  }
  return found;
}

function one(db: Db, vault: Vault, listed: Listed, take: Take): Salvaged {
  const { row } = listed;
  let kept = 0;
  let hash = '';
  let reason: string | undefined;
  try {
    const events = new Events(db, vault);
    const blobs = new Blobs(db, vault);
    for (let size = PAGE; ; ) {
      const page = attempt(() => events.read(row, kept + 1, size));
      if (page instanceof Error) {
        if (size === 1) {
          reason = page.message;
          break;
        }
        size = 1;
        continue;
      }
      const texts = attempt(() => textsOf(blobs, row.key, page));
      if (texts instanceof Error) {
        if (size === 1) {
          reason = texts.message;
          break;
        }
        size = 1;
        continue;
      }
      take(listed, kept + 1, page.prev, page.cells, texts);
      kept += page.cells.length / CELLS;
      hash = page.cells[page.cells.length - 2] as string;
    }
  } catch (e) {
    if (e instanceof CuratedError && e.kind === 'STORAGE_FULL') throw e;
    reason = (e as Error).message;
  }
  // The read behind the last record fails in any case: that is the end where the list says so.
  if (kept === listed.seq && hash === listed.hash) return { key: row.key, kept, of: listed.seq };
  return {
    key: row.key,
    kept,
    of: listed.seq,
    reason: reason ?? 'its last record is not the one it ended with',
  };
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (e) {
    return e as Error;
  }
}

function textsOf(blobs: Blobs, key: SessionKey, page: PackedRecords): Blob[] {
  const wanted = new Set<string>();
  for (let i = 6; i < page.cells.length; i += CELLS)
    for (const hash of references(JSON.parse(page.cells[i] as string) as Payload)) wanted.add(hash);
  return [...wanted].map((hash) => {
    const bytes = blobs.load(key.tenant, hash);
    if (bytes === undefined) throw new CuratedError('STORAGE', `the text ${hash} is not in the journal`);
    return { hash, bytes };
  });
}

function isJson(text: unknown): text is string {
  try {
    return typeof text === 'string' && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
