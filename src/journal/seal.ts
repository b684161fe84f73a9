// A journal in plain text becomes an encrypted one: every record and text is written anew into a sealed file, which is read back
// whole before it takes the place of the old one in one step. Whenever that is cut off, one of the two is there, whole.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CuratedError } from '../errors.js';
import { openSqlite, type Sqlite } from '../sqlite.js';
import { redoPaths } from './redo-log.js';
import { replayRedo } from './redo-replay.js';
import { type Salvage, salvage, salvageable } from './salvage.js';
import { SqliteEngine } from './sqlite-engine.js';
import { storageError } from './sqlite-schema.js';
import type { Vault } from './vault.js';
import { isSealed, vaultOf } from './vault-of-file.js';

export interface Sealing {
  readonly sessions: number;
  readonly events: number;
}

export type SealStep = 'begun' | 'written' | 'verified' | 'beside' | 'moved' | 'wiped';

export interface SealOptions {
  /** What else is sealed with the new file's vault, before that file takes its place. */
  readonly beside?: (vault: Vault) => void;
  /** Called after each step; for tests of what a crash there leaves. */
  readonly step?: (step: SealStep) => void;
}

const SUFFIX = '.sealing';

/** Is the file a journal whose values are sealed? False where there is none. */
export function journalIsSealed(path: string): boolean {
  if (!existsSync(path)) return false;
  const db = open(path);
  try {
    return isSealed(db);
  } catch (e) {
    throw storageError(e, path);
  } finally {
    db.close();
  }
}

/**
 * Seals the plain journal at `path` with the operator's key; nobody else may have it open. Snapshots are left behind: they are made
 * again. Synced when it returns, and the old bytes are overwritten (a disk that moves what it writes may keep them all the same).
 * Throws STORAGE and leaves the old file as it was where a record or a text of it is not sound, STORAGE_FULL on a full disk.
 */
export function sealJournal(path: string, key: Uint8Array, o: SealOptions = {}): Sealing {
  const next = `${path}${SUFFIX}`;
  // Left by one that was cut off.
  removeDatabase(next);
  // What the logs hold goes into the file, and they go: they must not be read into the new one.
  const engine = new SqliteEngine(path);
  try {
    replayRedo(path, engine, engine.vault);
  } finally {
    engine.close();
  }
  for (const log of redoPaths(path)) wipeFile(log);
  o.step?.('begun');
  try {
    const found = salvage(path, next, undefined, key);
    refuseFaults(path, found);
    o.step?.('written');
    const vault = readBack(next, key, found);
    o.step?.('verified');
    o.beside?.(vault);
    o.step?.('beside');
    replaceWith(path, next, () => o.step?.('moved'));
    o.step?.('wiped');
    return {
      sessions: found.sessions.length,
      events: found.sessions.reduce((sum, s) => sum + s.kept, 0),
    };
  } catch (e) {
    removeDatabase(next);
    throw storageError(e, path);
  }
}

function refuseFaults(path: string, { sessions, faults }: Salvage): void {
  const fault = faults[0] ?? sessions.find((s) => s.reason !== undefined)?.reason;
  if (fault === undefined) return;
  throw new CuratedError(
    'STORAGE',
    `${path} is not sound and stays as it is (${fault}); see 'curated doctor' and 'curated journal salvage'`,
  );
}

/** Every record and text of the new file, through its vault. */
function readBack(path: string, key: Uint8Array, wanted: Salvage): Vault {
  const db = openSqlite(path, { readonly: true, fileMustExist: true });
  try {
    const vault = vaultOf(db, path, key, false);
    const { sessions, faults } = salvageable(db, vault);
    if (faults.length > 0 || JSON.stringify(sessions) !== JSON.stringify(wanted.sessions))
      throw new CuratedError('STORAGE', `${path} was not written as it should be: nothing was changed`);
    return vault;
  } finally {
    db.close();
  }
}

/** One rename; then the old bytes, which have no name any more. */
function replaceWith(path: string, next: string, moved: () => void): void {
  const old = openSync(path, 'r+');
  try {
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    renameSync(next, path);
    // Empty, left by the connection that read it back.
    removeDatabase(next);
    syncFolder(dirname(path));
    moved();
    zero(old);
  } finally {
    closeSync(old);
  }
}

/** Overwrites a file and removes it. Nothing happens where there is none. */
export function wipeFile(path: string): void {
  if (!existsSync(path)) return;
  const fd = openSync(path, 'r+');
  try {
    zero(fd);
  } finally {
    closeSync(fd);
  }
  unlinkSync(path);
}

/** The same for all that lies in a folder, and the folder. */
export function wipeFolder(path: string): void {
  if (!existsSync(path)) return;
  for (const name of readdirSync(path, { recursive: true }) as string[])
    if (statSync(join(path, name)).isFile()) wipeFile(join(path, name));
  rmSync(path, { recursive: true });
}

const ZEROS = Buffer.alloc(1024 * 1024);

function zero(fd: number): void {
  const { size } = fstatSync(fd);
  for (let at = 0; at < size; ) at += writeSync(fd, ZEROS, 0, Math.min(ZEROS.length, size - at), at);
  fsyncSync(fd);
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeDatabase(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

function open(path: string): Sqlite {
  try {
    return openSqlite(path, { fileMustExist: true });
  } catch (e) {
    throw storageError(e, path);
  }
}
