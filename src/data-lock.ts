// One daemon, or one command that writes, at a time in a data folder. The lock is the operating system's on a small SQLite
// file: it ends with its holder however that ends, so that no pid has to be believed and nothing is ever left behind.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from './errors.js';
import { loadFault } from './native-module.js';
import { openSqlite, type Sqlite } from './sqlite.js';

export interface DataLock {
  release(): void;
}

/**
 * Takes the lock of the data folder.
 * @returns undefined when somebody else holds it.
 * @throws CuratedError STORAGE_FULL on a full disk, CONFIG when the folder cannot be written, or SQLite's module does not load.
 */
export function lockData(folder: string): DataLock | undefined {
  const path = join(folder, 'lock.db');
  let db: Sqlite | undefined;
  try {
    db = openSqlite(path, { timeout: 0 });
    chmodSync(path, 0o600);
    db.pragma('locking_mode = EXCLUSIVE');
    // Kept open for good; nothing is ever written in it.
    db.exec('BEGIN EXCLUSIVE');
    const held = db;
    return { release: () => held.close() };
  } catch (e) {
    db?.close();
    const { code } = e as { code?: string };
    if (code?.startsWith('SQLITE_BUSY')) return undefined;
    if (code === 'SQLITE_FULL')
      fail('STORAGE_FULL', `data folder ${folder}: no space left on its disk`, { cause: e });
    const unloaded = loadFault('better-sqlite3', e);
    if (unloaded !== undefined) fail('CONFIG', unloaded, { cause: e });
    const what = /^SQLITE_(CANTOPEN|READONLY)/.test(code ?? '') ? 'written' : 'locked';
    fail('CONFIG', `data folder ${folder}: cannot be ${what} (${(e as Error).message})`, { cause: e });
  }
}
