// The conformance suite on SQLite, and what only a file can show.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { SqliteStore, type Store } from '../../src/journal/index.js';
import { conformance } from './store-conformance.js';

const folder = mkdtempSync(join(tmpdir(), 'curated-journal-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

conformance('sqlite', {
  open: () => SqliteStore.open(join(folder, `${++count}.db`)),
  reopen: (store: Store) => SqliteStore.open((store as SqliteStore).path),
});

// The same promises with every value sealed.
const sealed = { key: new Uint8Array(32).fill(7) };

conformance('sqlite, sealed', {
  open: () => SqliteStore.open(join(folder, `${++count}.db`), sealed),
  reopen: (store: Store) => SqliteStore.open((store as SqliteStore).path, sealed),
});
