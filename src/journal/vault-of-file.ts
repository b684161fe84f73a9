// Which vault a journal's file has: none, or the one whose key stands wrapped in its header. Changes nothing in an old file.
import { CuratedError } from '../errors.js';
import type { Db } from './sqlite-schema.js';
import { newRoot, OPEN_VAULT, SealedVault, unwrap, type Vault, wrap } from './vault.js';

const HEADER = 'sealed_key';

/** @throws CuratedError CONFIG (`detail.encryption`: 'no_key', 'wrong_key' or 'plain') when key and file do not belong together */
export function vaultOf(db: Db, path: string, key: Uint8Array | undefined, fresh: boolean): Vault {
  const wrapped = wrappedIn(db);
  if (wrapped !== undefined) {
    if (key === undefined)
      throw mismatch('no_key', `${path} is encrypted, and no key is given: name it in journal.encrypt`);
    const root = unwrap(wrapped, key);
    if (root === undefined)
      throw mismatch(
        'wrong_key',
        `${path} is encrypted with another key than the one that journal.encrypt names`,
      );
    return new SealedVault(root);
  }
  if (key === undefined) return OPEN_VAULT;
  // A new file, or one whose maker died before its first session.
  if (!fresh && db.prepare('SELECT 1 FROM sessions LIMIT 1').get() !== undefined)
    throw mismatch(
      'plain',
      `${path} holds sessions in plain text, which a key alone does not change: 'curated journal rekey' seals it, or take journal.encrypt out`,
    );
  const root = newRoot();
  db.prepare('INSERT INTO header (key, value) VALUES (?, ?)').run(HEADER, wrap(root, key));
  return new SealedVault(root);
}

export function isSealed(db: Db): boolean {
  return wrappedIn(db) !== undefined;
}

function wrappedIn(db: Db): string | undefined {
  return db.prepare('SELECT value FROM header WHERE key = ?').pluck().get(HEADER) as string | undefined;
}

/** Gives the file another operator's key; what is sealed in it stays as it is. Throws as `vaultOf` does. */
export function rewrap(db: Db, path: string, old: Uint8Array, next: Uint8Array): void {
  const wrapped = wrappedIn(db);
  if (wrapped === undefined) throw mismatch('plain', `${path} is not encrypted`);
  const root = unwrap(wrapped, old);
  if (root === undefined) throw mismatch('wrong_key', `${path} is encrypted with another key`);
  db.prepare('UPDATE header SET value = ? WHERE key = ?').run(wrap(root, next), HEADER);
}

function mismatch(encryption: 'no_key' | 'wrong_key' | 'plain', text: string): CuratedError {
  return new CuratedError('CONFIG', text, { path: '/journal/encrypt', detail: { encryption } });
}
