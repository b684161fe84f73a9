// The recall index's connection: opened with the first use, its statements kept, its faults STORAGE. Knows no row.

import type Database from 'better-sqlite3';
import { CuratedError } from '../../errors.js';
import type { Sqlite } from '../../sqlite.js';
import { openIndex } from './schema.js';

export class IndexDb {
  readonly #path: string;
  readonly #statements = new Map<string, Database.Statement>();
  #opened: Sqlite | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get db(): Sqlite {
    this.#opened ??= openIndex(this.#path);
    return this.#opened;
  }

  /** @param form of a row: an object by default, an array, or the first cell alone */
  sql(text: string, form: 'object' | 'raw' | 'pluck' = 'object'): Database.Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.db.prepare(text);
      if (form === 'raw') statement.raw();
      if (form === 'pluck') statement.pluck();
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** All of it or nothing. */
  write(work: () => void): void {
    this.guard(() => this.db.transaction(work).immediate());
  }

  guard<T>(work: () => T): T {
    try {
      return work();
    } catch (e) {
      if (e instanceof CuratedError) throw e;
      throw new CuratedError(
        'STORAGE',
        `the recall index ${this.#path} is not available: ${(e as Error).message}`,
        {
          detail: { code: (e as { code?: string }).code },
          cause: e,
        },
      );
    }
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
    this.#statements.clear();
  }
}
