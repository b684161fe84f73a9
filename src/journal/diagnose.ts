// What is wrong with a journal's file, found without changing a byte of it. For the offline commands; knows no daemon.
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CuratedError } from '../errors.js';
import { openSqlite } from '../sqlite.js';
import { salvageable } from './salvage.js';
import { APPLICATION_ID, type Db, FORMAT } from './sqlite-schema.js';
import type { Vault } from './vault.js';
import { vaultOf } from './vault-of-file.js';
import { scanWal } from './wal-scan.js';

/**
 * `absent`: none yet. `damaged`: some of it can be salvaged, or nothing. `foreign`: no journal of ours. `newer`: of a later
 * version. `locked`: another program has it. `disk`: its disk is full, or fails. `closed`: it cannot be read or written by us.
 * `sealed`: it is encrypted, and the key is missing or another's; or it is not, and a key is given.
 */
export type FileState =
  | 'absent'
  | 'sound'
  | 'damaged'
  | 'foreign'
  | 'newer'
  | 'locked'
  | 'disk'
  | 'closed'
  | 'sealed';

export interface Diagnosis {
  state: FileState;
  /** In words, for people; several where several things are wrong. */
  faults: string[];
  sessions: number;
  /** Journals that rewinds put aside. */
  archives: number;
  events: number;
}

export interface DiagnoseOptions {
  /** The operator's key of an encrypted file. */
  key?: Uint8Array | undefined;
  /** As of fs; for tests of files that are not ours to write. */
  access?: (path: string, mode: number) => void;
}

const MAGIC = 'SQLite format 3\0';
const BUSY_MS = 500;

export function diagnose(path: string, o: DiagnoseOptions = {}): Diagnosis {
  const found = (state: FileState, ...faults: string[]): Diagnosis => ({
    state,
    faults,
    sessions: 0,
    archives: 0,
    events: 0,
  });
  let stat: ReturnType<typeof statSync>;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch (e) {
    return found('closed', `it cannot be looked at (${(e as NodeJS.ErrnoException).code})`);
  }
  if (stat === undefined) return found('absent');
  if (!stat.isFile()) return found('foreign', 'it is no file');
  const access = o.access ?? accessSync;
  try {
    access(path, constants.R_OK | constants.W_OK);
    access(dirname(path), constants.W_OK);
  } catch (e) {
    return found('closed', `it cannot be written (${(e as NodeJS.ErrnoException).code})`);
  }
  if (stat.size === 0) return found('sound');
  const header = headerOf(path);
  if (header.magic !== MAGIC) return found('damaged', 'its first bytes are not those of a SQLite file');
  const faults: string[] = [];
  const wanted = header.pages * header.pageSize;
  if (stat.size < wanted) faults.push(`it is truncated: ${stat.size} bytes of ${wanted}`);
  const wal = scanWal(`${path}-wal`);
  if (wal !== undefined && wal.behind > 0)
    faults.push(`${wal.behind} bytes of its log are torn or damaged, behind ${wal.valid} sound frames`);
  let db: Db | undefined;
  try {
    db = openSqlite(path, { readonly: true, timeout: BUSY_MS });
    return inside(db, path, o.key, faults);
  } catch (e) {
    const code = String((e as { code?: unknown }).code);
    if (code.startsWith('SQLITE_BUSY')) return found('locked', 'another program has it open and locked');
    if (/^SQLITE_(IOERR|FULL)/.test(code)) return found('disk', (e as Error).message);
    return found('damaged', ...faults, (e as Error).message);
  } finally {
    db?.close();
  }
}

function inside(db: Db, path: string, key: Uint8Array | undefined, faults: string[]): Diagnosis {
  const application = db.pragma('application_id', { simple: true }) as number;
  const format = db.pragma('user_version', { simple: true }) as number;
  const none = { sessions: 0, archives: 0, events: 0 };
  if (application !== APPLICATION_ID)
    return { state: 'foreign', faults: ['it is no journal of curated'], ...none };
  if (format > FORMAT)
    return {
      state: 'newer',
      faults: [`it has journal format ${format}, and this version reads up to ${FORMAT}`],
      ...none,
    };
  faults.push(...structureOf(db));
  let vault: Vault;
  try {
    vault = vaultOf(db, path, key, false);
  } catch (e) {
    if (!(e instanceof CuratedError) || e.kind !== 'CONFIG') throw e;
    return { state: 'sealed', faults: [e.message], ...none };
  }
  const found = salvageable(db, vault);
  for (const s of found.sessions)
    if (s.reason !== undefined) {
      const { session, archive } = s.key;
      faults.push(`session ${session}${archive === undefined ? '' : ` (archive ${archive})`}: ${s.reason}`);
    }
  const archives = found.sessions.filter((s) => s.key.archive !== undefined).length;
  faults.push(...found.faults);
  const events = found.sessions.reduce((sum, s) => sum + s.kept, 0);
  return {
    state: faults.length === 0 ? 'sound' : 'damaged',
    faults,
    sessions: found.sessions.length - archives,
    archives,
    events,
  };
}

/** What the engine finds wrong with its own pages; it may stumble over them itself. */
function structureOf(db: Db): string[] {
  try {
    const rows = db.pragma('integrity_check(20)') as { integrity_check: string }[];
    return rows.map((r) => r.integrity_check).filter((text) => text !== 'ok');
  } catch (e) {
    return [(e as Error).message];
  }
}

function headerOf(path: string): { magic: string; pageSize: number; pages: number } {
  const bytes = Buffer.alloc(100);
  const fd = openSync(path, 'r');
  try {
    readSync(fd, bytes, 0, 100, 0);
  } finally {
    closeSync(fd);
  }
  const size = bytes.readUInt16BE(16);
  // The page count holds only where it was written together with the change counter.
  const isValid = bytes.readUInt32BE(24) === bytes.readUInt32BE(92);
  return {
    magic: bytes.toString('latin1', 0, 16),
    pageSize: size === 1 ? 65_536 : size,
    pages: isValid ? bytes.readUInt32BE(28) : 0,
  };
}
