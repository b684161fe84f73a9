// Another operator's key for a sealed journal: one row of its header, since what is sealed rests on the database's own key.
import { existsSync } from 'node:fs';
import { CuratedError } from '../errors.js';
import { openSqlite } from '../sqlite.js';
import { storageError } from './sqlite-schema.js';
import { rewrap } from './vault-of-file.js';

/** Synced when it returns. Throws CONFIG when `old` is not its key or the file is not sealed, STORAGE when it cannot be written. */
export function rekey(path: string, old: Uint8Array, next: Uint8Array): void {
  if (!existsSync(path)) throw new CuratedError('STORAGE', `there is no journal ${path}`);
  const db = openSqlite(path, { fileMustExist: true });
  try {
    db.pragma('synchronous = FULL');
    db.pragma('secure_delete = ON');
    db.transaction(() => rewrap(db, path, old, next)).immediate();
    // The old wrapping must not live on in the log.
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch (e) {
    throw storageError(e, path);
  } finally {
    db.close();
  }
}
