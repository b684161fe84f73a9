// One daemon, or one command that writes, at a time in a data folder. The lock is the operating system's on a small SQLite
// file: it ends with its holder however that ends, so that no pid has to be believed and nothing is ever left behind.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fail } from './errors.js';
import { loadFault } from './native-module.js';

export interface DataLock {
  release(): void;
}

/**
 * Takes the lock of the data folder.
 * @returns undefined when somebody else holds it.
 * @throws CuratedError CONFIG when the folder cannot be written, or SQLite's module does not load.
 */
export function lockData(folder: string): DataLock | undefined {
  const path = join(folder, 'lock.db');
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: 0 });
    chmodSync(path, 0o600);
    db.pragma('locking_mode = EXCLUSIVE');
    // Kept open for good; nothing is ever written in it.
    db.exec('BEGIN EXCLUSIVE');
    const held = db;
    return { release: () => held.close() };
  } catch (e) {
    db?.close();
    if ((e as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined;
    const unloaded = loadFault('better-sqlite3', e);
    if (unloaded !== undefined) fail('CONFIG', unloaded, { cause: e });
    fail('CONFIG', `data folder ${folder}: cannot be locked (${(e as Error).message})`, { cause: e });
  }
}
