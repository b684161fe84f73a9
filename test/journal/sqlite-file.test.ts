// What only a file can show: rights, erasing, backup, a bounded log, sharing with other readers, a writer that dies.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Blob, detach, SqliteStore } from '../../src/journal/index.js';
import { CELLS, packGroup, unpackRecords } from '../../src/journal/packed.js';
import { SqliteEngine } from '../../src/journal/sqlite-engine.js';
import { keptObjects, openSqlite } from '../../src/sqlite.js';
import { group, key, Writer } from './kit.js';

const folder = mkdtempSync(join(tmpdir(), 'curated-file-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('J-3 the file is 0600 and its folder 0700', async () => {
  const path = join(folder, 'own', 'j.db');
  const store = await SqliteStore.open(path);
  store.append(key('a'), 0, new Writer().next(1));
  await store.flush('sync');
  for (const end of ['', '-wal', '-shm']) assert.equal(statSync(path + end).mode & 0o777, 0o600, end);
  assert.equal(statSync(join(folder, 'own')).mode & 0o777, 0o700);
  await store.backup(join(folder, 'own', 'copy.db'));
  assert.equal(statSync(join(folder, 'own', 'copy.db')).mode & 0o777, 0o600);
  await store.close();
});

test('J-13 erase leaves no byte of a session in the file or its log', async () => {
  const path = join(folder, 'erase.db');
  const store = await SqliteStore.open(path);
  const [secret, other] = [new Writer(), new Writer()];
  // In turns, so that pages are shared, split and rebuilt.
  for (let i = 0; i < 60; i++) {
    store.append(
      key('secret-session'),
      secret.head.seq,
      secret.next(3, (seq) => ({ text: `TOPSECRET ${seq} `.repeat(seq % 50) })),
    );
    store.append(key('other'), other.head.seq, other.next(2));
    if (i % 7 === 0) await store.flush('sync');
  }
  const { payload, blobs } = detach({ text: 'TOPSECRET'.repeat(3) }, 8);
  store.append(
    key('secret-session'),
    secret.head.seq,
    secret.next(1, () => payload),
    blobs,
  );
  store.saveSnapshot(key('secret-session'), secret.head.seq, secret.head.hash, Buffer.from('TOPSECRET'));
  store.setMeta(key('secret-session'), { title: 'TOPSECRET' });
  await store.flush('sync');
  await store.rewind(key('secret-session'), 40, 'before');
  assert.ok(readFileSync(`${path}-wal`).includes('TOPSECRET'));
  await store.erase(key('secret-session'));
  for (const end of ['', '-wal']) {
    const bytes = readFileSync(path + end);
    assert.ok(!bytes.includes('TOPSECRET') && !bytes.includes('secret-session'), `${end} still holds it`);
  }
  assert.deepEqual(await store.read(key('other'), 1, 999), other.records);
  await store.close();
  assert.ok(!readFileSync(path).includes('TOPSECRET'));
});

test('J-3 a backup made while writing goes on is a whole journal', async () => {
  const path = join(folder, 'live.db');
  const copy = join(folder, 'copy.db');
  const store = await SqliteStore.open(path);
  const w = new Writer();
  for (let i = 0; i < 200; i++) store.append(key('a'), w.head.seq, w.next(50));
  await store.flush('sync');
  let done = false;
  const backup = store.backup(copy).finally(() => {
    done = true;
  });
  let during = 0;
  while (!done) {
    store.append(key('a'), w.head.seq, w.next(5));
    await store.flush('os');
    during++;
  }
  await backup;
  assert.ok(during > 0);
  await assert.rejects(store.backup(copy), /exists already/);
  await store.close();
  const again = await SqliteStore.open(copy);
  const head = (await again.head(key('a')))!;
  assert.ok(head.seq >= 10_000);
  assert.equal(head.hash, w.records[head.seq - 1]!.hash);
  assert.deepEqual((await again.check()).broken, []);
  await again.close();
});

test('J-5 the log stays bounded and is written back in quiet moments', async () => {
  const path = join(folder, 'log.db');
  const store = await SqliteStore.open(path, { checkpointBusy: 512 * 1024, checkpointIdle: 64 * 1024 });
  const w = new Writer();
  let largest = 0;
  for (let i = 0; i < 300; i++) {
    store.append(
      key('a'),
      w.head.seq,
      w.next(20, () => ({ text: 'x'.repeat(500) })),
    );
    await store.flush('os');
    largest = Math.max(largest, statSync(`${path}-wal`).size);
  }
  assert.ok(largest < 1024 * 1024, `the log grew to ${largest}`);
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.ok((await store.stats()).logBytes <= 64 * 1024);
  assert.ok((await store.stats()).checkpoints > 2);
  await store.close();
  assert.equal(statSync(`${path}-wal`, { throwIfNoEntry: false }), undefined);
});

test('J-1 people can read the file with any SQLite tool while the store is open', async () => {
  const path = join(folder, 'open.db');
  const store = await SqliteStore.open(path);
  const w = new Writer();
  store.append(key('a'), 0, w.next(4));
  await store.flush('os');
  const db = openSqlite(path, { readonly: true });
  const rows = db
    .prepare('SELECT tenant, session, seq, turn, type, payload, hash FROM journal ORDER BY seq')
    .all();
  assert.deepEqual(
    rows,
    w.records.map((r) => ({
      tenant: 't',
      session: 'a',
      seq: r.seq,
      turn: r.turn,
      type: r.type,
      payload: r.json,
      hash: r.hash,
    })),
  );
  db.close();
  await store.close();
});

test('F41 a second writer on the file loses its append, not the records of the first', async () => {
  const path = join(folder, 'two.db');
  const [one, two] = [await SqliteStore.open(path), await SqliteStore.open(path)];
  const w = new Writer();
  one.append(key('a'), 0, w.next(3));
  await one.flush('sync');
  assert.equal((await two.head(key('a')))?.seq, 3);
  one.append(key('a'), 3, w.next(2));
  await one.flush('sync');
  // The second still believes in record 3.
  two.append(
    key('a'),
    3,
    group(w.records[2]!, 1, () => ({ stale: true })),
  );
  await assert.rejects(two.flush('sync', key('a')), { kind: 'STORAGE' });
  assert.equal(two.health().state, 'green');
  assert.deepEqual(await one.read(key('a'), 1, 99), w.records);
  await one.close();
  await two.close();
});

test('J-4 flush("sync") syncs also what was written before without a sync', async () => {
  const store = await SqliteStore.open(join(folder, 'sync.db'));
  store.append(key('a'), 0, new Writer().next(1));
  await store.flush('os');
  const before = await store.stats();
  await store.flush('sync');
  const after1 = await store.stats();
  assert.equal(after1.syncs, before.syncs + 1);
  await store.flush('sync');
  await store.flush('os');
  assert.equal((await store.stats()).syncs, after1.syncs);
  await store.close();
});

test('J-12 an index in the same file is fed and cleared in the transactions of the records', () => {
  const path = join(folder, 'feed.db');
  const engine = new SqliteEngine(path, {}, (db) => {
    db.exec('CREATE TABLE IF NOT EXISTS search_rows (session INTEGER, seq INTEGER, json TEXT)');
    const put = db.prepare('INSERT INTO search_rows VALUES (?, ?, ?)');
    return {
      append: (session, firstSeq, cells) => {
        for (let i = 0; i < cells.length; i += CELLS) put.run(session, firstSeq + i / CELLS, cells[i + 6]);
      },
      copy: (from, to, toSeq) => {
        db.prepare(
          'INSERT INTO search_rows SELECT ?, seq, json FROM search_rows WHERE session = ? AND seq <= ?',
        ).run(to, from, toSeq);
      },
      remove: (session) => {
        db.prepare('DELETE FROM search_rows WHERE session = ?').run(session);
      },
    };
  });
  const w = new Writer();
  engine.commit([{ op: 'append', group: packGroup(key('a'), 0, w.next(3)) }], false);
  // Refused with the records: nothing of it is indexed.
  assert.equal(
    engine.commit([{ op: 'append', group: packGroup(key('a'), 9, group({ seq: 9, hash: 'x' }, 1)) }], true)
      .size,
    1,
  );
  engine.copy(key('a'), 2, key('b'));
  const db = openSqlite(path, { readonly: true });
  const rows = () => db.prepare('SELECT session, seq FROM search_rows ORDER BY 1, 2').raw().all();
  assert.deepEqual(rows(), [
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 1],
    [2, 2],
  ]);
  engine.erase(key('a'));
  assert.deepEqual(rows(), [
    [2, 1],
    [2, 2],
  ]);
  db.close();
  engine.close();
});

test('J-7 a group that cannot be stored fails alone: the rest of its transaction is kept', () => {
  const path = join(folder, 'alone.db');
  const engine = new SqliteEngine(path);
  const [a, b, c] = [new Writer(), new Writer(), new Writer()];
  const append = (session: string, w: Writer, blobs: Blob[] = []) =>
    ({ op: 'append', group: packGroup(key(session), w.head.seq, w.next(2)), blobs }) as const;
  const badBlob: Blob = { hash: 'md5:1', bytes: new Uint8Array(1) };
  assert.deepEqual(
    [...engine.commit([append('a', a), append('b', b, [badBlob]), append('c', c)], true).keys()],
    [1],
  );
  assert.deepEqual(unpackRecords(engine.read(key('a'), 1, 9)), a.records);
  assert.equal(engine.head(key('b')), undefined);
  // A record beyond the head, as a damaged list of sessions would leave it.
  const db = openSqlite(path);
  db.prepare(
    'INSERT INTO events SELECT id + 2, ts, type, ver, turn, observed, hash, payload FROM events WHERE id % 268435456 = 1 AND id < 536870912',
  ).run();
  db.close();
  const failed = engine.commit([append('c', c), append('a', a)], false);
  assert.match(failed.get(1)!.message, /quarantined/);
  assert.deepEqual(unpackRecords(engine.read(key('c'), 1, 9)), c.records);
  engine.close();
});

test('F47 a journal whose folder was taken away acknowledges nothing, is still read, and goes on when it is back', () => {
  const home = join(folder, 'moved');
  const engine = new SqliteEngine(join(home, 'j.db'));
  const writer = new Writer();
  const append = () => {
    const from = writer.head;
    const records = writer.next(1);
    try {
      return engine.commit([{ op: 'append', group: packGroup(key('a'), from.seq, records) }], true);
    } catch (e) {
      writer.head = from;
      throw e;
    }
  };
  append();
  renameSync(home, `${home}.away`);
  assert.throws(append, {
    kind: 'STORAGE',
    message: /is gone: its folder was moved or removed/,
    detail: { reason: 'moved' },
  });
  assert.throws(() => engine.probe(), { kind: 'STORAGE' });
  assert.equal(engine.head(key('a'))?.seq, 1, 'what was written is still read');
  // A new folder in its place is not the journal either.
  mkdirSync(home);
  writeFileSync(join(home, 'j.db'), '');
  assert.throws(() => engine.probe(), { kind: 'STORAGE', message: /is another file/ });
  rmSync(home, { recursive: true });
  renameSync(`${home}.away`, home);
  engine.probe();
  append();
  assert.equal(engine.head(key('a'))?.seq, 2);
  engine.close();
});

test('F47 a disk that takes nothing for days costs no memory: each try to write again leaves no object of SQLite behind', () => {
  const path = join(folder, 'full.db');
  const engine = new SqliteEngine(path);
  // In the place of a disk that is full.
  mkdirSync(`${path}-trial`);
  const before = keptObjects();
  for (let n = 0; n < 5; n++) assert.throws(() => engine.probe(), { kind: 'STORAGE' });
  assert.equal(keptObjects(), before);
  rmSync(`${path}-trial`, { recursive: true });
  engine.probe();
  assert.throws(() => statSync(`${path}-trial`), { code: 'ENOENT' });
  engine.close();
});

test('F46 a journal that is gone while its log is there is told, and the log left as it is', () => {
  const path = join(folder, 'lost.db');
  const engine = new SqliteEngine(path);
  engine.commit([{ op: 'append', group: packGroup(key('a'), 0, new Writer().next(2)) }], true);
  const wal = readFileSync(`${path}-wal`);
  const moved = readFileSync(path);
  for (const damage of [() => rmSync(path), () => writeFileSync(path, '')]) {
    damage();
    assert.throws(() => new SqliteEngine(path), {
      kind: 'STORAGE',
      message: /is gone or empty, and its log holds \d+ pages of it/,
    });
    assert.deepEqual(readFileSync(`${path}-wal`), wal);
  }
  writeFileSync(path, moved);
  const again = new SqliteEngine(path);
  assert.equal(again.head(key('a'))?.seq, 2);
  again.close();
});
