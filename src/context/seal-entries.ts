// Memory entries in plain text become a sealed file beside it, read back before anybody relies on it.

import { existsSync } from 'node:fs';
import { CuratedError } from '../errors.js';
import type { Vault } from '../journal/index.js';
import { openSqlite } from '../sqlite.js';
import { writeFileWhole } from './map-file.js';
import { SealedDatabase } from './sealed-database.js';

/** Writes `to`, whole or not at all; `from` stays. Nothing happens where there is no `from`. Throws STORAGE where it cannot be read. */
export function sealEntries(from: string, to: string, vault: Vault): void {
  if (!existsSync(from)) return;
  const db = openSqlite(from, { fileMustExist: true });
  let sealed: SealedDatabase | undefined;
  try {
    // An image in memory has no log.
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.pragma('journal_mode = DELETE');
    writeFileWhole(to, vault.bytesOut('file', ':entries', db.serialize()));
    sealed = new SealedDatabase(to, vault);
    const count = 'SELECT count(*) FROM entry';
    if (sealed.db.prepare(count).pluck().get() !== db.prepare(count).pluck().get())
      throw new CuratedError('STORAGE', `${to} does not hold what ${from} holds`);
  } finally {
    sealed?.close();
    db.close();
  }
}
