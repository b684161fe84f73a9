// A plain data folder is encrypted in place: whole, verified, and whole again wherever it is cut off.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sealData, wipePlain } from '../../src/cli/seal-data.js';
import { EntryStore } from '../../src/context/entry-store.js';
import { detach, type JournalRecord, journalIsSealed, SqliteStore } from '../../src/journal/index.js';
import { resolvePaths } from '../../src/paths.js';
import { openSqlite } from '../../src/sqlite.js';
import { key, Writer } from './kit.js';

const KEY = new Uint8Array(32).fill(7);
const SECRET = 'xylophonequartz';
const PROJECT = { tenant: 'default', root: '/project' };

interface Folder {
  home: string;
  journal: string;
  records: Map<string, JournalRecord[]>;
}

/** Two journals and an archive, texts, a snapshot, an entry, an index and a working file, all of them telling the secret. */
async function plain(t: TestContext): Promise<Folder> {
  const home = mkdtempSync(join(tmpdir(), 'curated-seal-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { data } = resolvePaths({}, home);
  const journal = join(data, 'journal.db');
  const store = await SqliteStore.open(journal);
  const records = new Map<string, JournalRecord[]>();
  for (const name of ['a', 'b']) {
    const w = new Writer();
    store.append(
      key(name),
      0,
      w.next(30, (seq) => ({ text: `${SECRET} ${seq}` })),
    );
    const { payload, blobs } = detach({ text: `${SECRET} `.repeat(1_000) });
    store.append(
      key(name),
      w.head.seq,
      w.next(1, () => payload),
      blobs,
    );
    store.setMeta(key(name), { model: 'm' });
    store.saveSnapshot(key(name), w.head.seq, w.head.hash, Buffer.from(SECRET));
    records.set(name, w.records);
  }
  await store.rewind(key('b'), 10, 'before');
  await store.close();
  mkdirSync(join(data, 'context'), { recursive: true });
  const entries = new EntryStore(join(data, 'context', 'entries.db'));
  entries.ingest(PROJECT, [{ id: 'e', text: `${SECRET} entry`, importance: 5 } as never], 1);
  entries.close();
  writeFileSync(join(data, 'recall.db'), SECRET);
  mkdirSync(join(data, 'sessions', 'default', 'a'), { recursive: true });
  writeFileSync(join(data, 'sessions', 'default', 'a', 'buffer.md'), SECRET);
  return { home, journal, records };
}

function filesWith(folder: string, text: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).filter(
    (f) => statSync(join(folder, f)).isFile() && readFileSync(join(folder, f)).includes(text),
  );
}

/** All is there, by whichever way it lies in the file. */
async function whole({ journal, records }: Folder, k?: Uint8Array): Promise<void> {
  const store = await SqliteStore.open(journal, { key: k });
  assert.deepEqual(await store.read(key('a'), 1, 99), records.get('a'));
  assert.deepEqual(await store.read(key('b'), 1, 99), records.get('b')!.slice(0, 10));
  assert.deepEqual(await store.read({ ...key('b'), archive: 'before' }, 1, 99), records.get('b'));
  assert.deepEqual((await store.head(key('a')))!.meta, { model: 'm' });
  const { structure, broken } = await store.check();
  assert.deepEqual([structure, broken], [[], []]);
  assert.equal((await store.stats()).blobs, 1);
  await store.close();
}

test('Privacy: a plain data folder is encrypted in place, with all that was in it, and tells nothing any more', async (t) => {
  const folder = await plain(t);
  assert.notDeepEqual(filesWith(folder.home, SECRET), []);
  const steps: string[] = [];
  const done = sealData(resolvePaths({}, folder.home), KEY, { step: (s) => steps.push(s) });
  assert.deepEqual(done, { sessions: 3, events: 31 + 10 + 31 });
  assert.deepEqual(filesWith(folder.home, SECRET), []);
  assert.equal(statSync(folder.journal).mode & 0o777, 0o600);
  await whole(folder, KEY);
  const store = await SqliteStore.open(folder.journal, { key: KEY });
  const { data } = resolvePaths({}, folder.home);
  const entries = new EntryStore(join(data, 'context', 'entries.sealed'), store.vault);
  assert.equal(entries.top(PROJECT).entries[0]!.text, `${SECRET} entry`);
  entries.close();
  await store.close();
  assert.deepEqual(
    readdirSync(data).filter((f) => f.includes('sealing') || f.startsWith('recall')),
    [],
  );
});

for (const step of ['begun', 'written', 'verified', 'beside', 'moved', 'wiped']) {
  test(`Privacy F46: killed at '${step}', an encryption leaves the old journal or the new one, whole, and is run again`, async (t) => {
    const folder = await plain(t);
    const script = fileURLToPath(new URL('./seal-step.js', import.meta.url));
    const { signal } = spawnSync(process.execPath, [
      script,
      folder.home,
      Buffer.from(KEY).toString('hex'),
      step,
    ]);
    assert.equal(signal, 'SIGKILL');
    const sealed = journalIsSealed(folder.journal);
    assert.equal(sealed, step === 'moved' || step === 'wiped');
    await whole(folder, sealed ? KEY : undefined);
    const paths = resolvePaths({}, folder.home);
    if (sealed) wipePlain(paths);
    else sealData(paths, KEY);
    await whole(folder, KEY);
    assert.deepEqual(filesWith(folder.home, SECRET), []);
  });
}

test('Privacy F46: a journal that is not sound is not encrypted but left as it was', async (t) => {
  const folder = await plain(t);
  const db = openSqlite(folder.journal);
  db.exec("UPDATE events SET payload = '{}' WHERE id = (SELECT min(id) + 4 FROM events)");
  db.close();
  const before = readFileSync(folder.journal);
  assert.throws(() => sealData(resolvePaths({}, folder.home), KEY), { kind: 'STORAGE' });
  assert.deepEqual(readFileSync(folder.journal), before);
  assert.equal(existsSync(`${folder.journal}.sealing`), false);
  assert.equal(existsSync(join(folder.journal, '..', 'recall.db')), true);
});
