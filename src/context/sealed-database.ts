// A small SQLite database that lies on disk as one sealed value and in memory as it is: nothing of it is ever written in the
// clear, no page, no log, no search index. For what is small and seldom changed.

import { existsSync, readFileSync } from 'node:fs';
import { CuratedError } from '../errors.js';
import type { Vault } from '../journal/index.js';
import { openSqlite, type Sqlite } from '../sqlite.js';
import { writeFileWhole } from './map-file.js';

export class SealedDatabase {
  readonly db: Sqlite;
  readonly #path: string;
  readonly #vault: Vault;

  /** @throws CuratedError STORAGE when the file is not what this vault sealed; it stays as it is */
  constructor(path: string, vault: Vault) {
    this.#path = path;
    this.#vault = vault;
    let image: Uint8Array | undefined;
    if (existsSync(path)) {
      try {
        image = vault.bytesIn('file', ':entries', readFileSync(path));
      } catch (cause) {
        throw new CuratedError('STORAGE', `${path} cannot be opened with this key, or was changed`, {
          cause,
        });
      }
    }
    this.db = image === undefined ? openSqlite(':memory:') : openSqlite(Buffer.from(image));
  }

  /** Writes all of it, whole or not at all. */
  save(): void {
    writeFileWhole(this.#path, this.#vault.bytesOut('file', ':entries', this.db.serialize()));
  }

  close(): void {
    this.db.close();
  }
}
