// Damage to the SQLite file of a journal: flipped bytes, torn logs, foreign and newer files. Never served wrong without a word.
import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { SqliteStore, textBlob } from '../../src/journal/index.js';
import { packGroup, unpackRecords } from '../../src/journal/packed.js';
import { SqliteEngine } from '../../src/journal/sqlite-engine.js';
import { openSqlite } from '../../src/sqlite.js';
import { key, Writer } from '../journal/kit.js';

/** CURATED_LONG=1: every byte, not every byte that says something. */
const LONG = process.env['CURATED_LONG'] !== undefined;

const folder = mkdtempSync(join(tmpdir(), 'curated-damage-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const { blob } = textBlob('a text that stands on its own '.repeat(20));
const writers = new Map(['a', 'b'].map((s) => [s, new Writer()]));

/** Two sessions of 6 records, a blob, a snapshot. */
function fill(engine: SqliteEngine): void {
  for (let i = 0; i < 3; i++) {
    for (const [s, w] of writers) {
      const group = packGroup(key(s), w.head.seq, w.next(2));
      engine.commit([{ op: 'append', group, blobs: i === 0 ? [blob] : [] }], i % 2 === 0);
    }
  }
  const { seq, hash } = writers.get('a')!.head;
  engine.commit([{ op: 'snapshot', key: key('a'), seq, hash, bytes: new Uint8Array([1, 2, 3]) }], true);
}

/** True when a word was said: an error of ours or a notice. Fails the test when something wrong is served. */
function told(path: string, name: string): boolean {
  let engine: SqliteEngine | undefined;
  let word = false;
  const ask = (fn: () => void) => {
    try {
      fn();
    } catch (e) {
      if (e instanceof assert.AssertionError) throw e;
      assert.ok(e instanceof CuratedError && e.kind === 'STORAGE', `${name}: ${String(e)}`);
      word = true;
    }
  };
  ask(() => {
    engine = new SqliteEngine(path);
  });
  const open = engine;
  if (!open) return true;
  word ||= open.notices.length > 0;
  const lengths = new Map<string, number>();
  for (const [s, w] of writers) {
    ask(() => {
      const got = unpackRecords(open.read(key(s), 1, 99));
      assert.deepEqual(got, w.records.slice(0, got.length), name);
      lengths.set(s, got.length);
    });
    ask(() => {
      const head = open.head(key(s));
      if (head) assert.equal(head.hash, w.records[head.seq - 1]?.hash, name);
    });
    ask(() => {
      const bytes = open.blob(key(s), blob.hash);
      if (bytes) assert.deepEqual(bytes, blob.bytes, name);
      else word = true;
    });
  }
  ask(() => {
    for (const head of open.heads()) assert.deepEqual(head.meta, {}, name);
  });
  ask(() => {
    const snapshot = open.loadSnapshot(key('a'));
    if (snapshot) assert.deepEqual(snapshot.bytes, new Uint8Array([1, 2, 3]), name);
  });
  open.close();
  const whole = [...writers].every(([s, w]) => lengths.get(s) === w.records.length);
  assert.ok(whole || word, `${name}: records are missing without a word`);
  return word;
}

function clean(path: string): void {
  for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true });
}

test('F46 every byte of a small database flipped once: right, or told', (t) => {
  const path = join(folder, 'flip.db');
  const engine = new SqliteEngine(path);
  fill(engine);
  engine.close();
  const bytes = readFileSync(path);
  let words = 0;
  let flips = 0;
  const fd = openSync(path, 'r+');
  for (let at = 0; at < bytes.length; at++) {
    // Long runs of zeros are empty space; the suite tries them here and there, the long form everywhere.
    if (!LONG && bytes[at] === 0 && at % 64 !== 0 && bytes[at - 1] === 0) continue;
    flips++;
    writeSync(fd, Buffer.from([bytes[at]! ^ (1 << (at % 8))]), 0, 1, at);
    if (told(path, `byte ${at}`)) words++;
    clean(path);
    writeSync(fd, bytes, at, 1, at);
  }
  closeSync(fd);
  assert.equal(told(path, 'restored'), false);
  t.diagnostic(`${flips} of ${bytes.length} bytes flipped, ${words} flips told of, the others harmless`);
  assert.ok(words > 1000);
});

/** A file and its log as a killed process leaves them. */
function killed(name: string): { path: string; wal: string } {
  const live = join(folder, `${name}-live.db`);
  for (const w of writers.values()) Object.assign(w, new Writer());
  for (const w of writers.values()) w.records.length = 0;
  const engine = new SqliteEngine(live);
  fill(engine);
  const path = join(folder, `${name}.db`);
  copyFileSync(live, path);
  copyFileSync(`${live}-wal`, `${path}.log`);
  engine.close();
  return { path, wal: `${path}.log` };
}

test('F46 bytes of the log flipped: what SQLite drops in silence is told', (t) => {
  const { path, wal } = killed('wal-flip');
  const base = readFileSync(path);
  const log = readFileSync(wal);
  let words = 0;
  let tries = 0;
  for (let at = 0; at < log.length; at += LONG ? 7 : 397, tries++) {
    writeFileSync(path, base);
    const bent = Buffer.from(log);
    bent[at]! ^= 1 << (at % 8);
    writeFileSync(`${path}-wal`, bent);
    rmSync(`${path}-shm`, { force: true });
    if (told(path, `log byte ${at}`)) words++;
    clean(path);
  }
  t.diagnostic(`${tries} flips, ${words} told of`);
  assert.equal(words, tries);
});

test('F45 a log cut anywhere: a prefix comes back, and the next append is readable', () => {
  const { path, wal } = killed('wal-cut');
  const base = readFileSync(path);
  const log = readFileSync(wal);
  let last = 0;
  for (let size = 0; size <= log.length; size += LONG ? 61 : 509) {
    writeFileSync(path, base);
    writeFileSync(`${path}-wal`, log);
    truncateSync(`${path}-wal`, size);
    rmSync(`${path}-shm`, { force: true });
    const engine = new SqliteEngine(path);
    const w = new Writer();
    const got = unpackRecords(engine.read(key('a'), 1, 99));
    assert.deepEqual(got, writers.get('a')!.records.slice(0, got.length), `cut at ${size}`);
    assert.ok(got.length >= last, `cut at ${size}: less than from a shorter log`);
    last = got.length;
    w.head = got.at(-1) ?? w.head;
    assert.equal(
      engine.commit([{ op: 'append', group: packGroup(key('a'), w.head.seq, w.next(1)) }], true).size,
      0,
    );
    assert.deepEqual(unpackRecords(engine.read(key('a'), got.length + 1, 9)), w.records);
    engine.close();
    clean(path);
  }
});

test('F46 one session with a broken chain is quarantined, others are served', async () => {
  const path = join(folder, 'broken.db');
  const [a, b] = [new Writer(), new Writer()];
  let store = await SqliteStore.open(path);
  store.append(key('a'), 0, a.next(9));
  store.append(key('b'), 0, b.next(9));
  await store.close();
  const db = openSqlite(path);
  db.prepare(
    "UPDATE events SET payload = replace(payload, 'record 4', 'record X') WHERE payload LIKE '%record 4%' AND id < 2 * 268435456",
  ).run();
  db.close();
  store = await SqliteStore.open(path);
  await assert.rejects(store.read(key('a'), 1, 99), (e: CuratedError) => {
    assert.deepEqual(e.detail, { quarantined: true, session: 'a', seq: 4 });
    assert.match(e.message, /quarantined.*curated journal verify a/);
    return true;
  });
  assert.deepEqual(await store.read(key('b'), 1, 99), b.records);
  const report = await store.check();
  assert.deepEqual(report.structure, []);
  assert.deepEqual(
    report.broken.map((x) => [x.key.session, x.seq]),
    [['a', 4]],
  );
  await store.close();
});

test('F46 structural damage refuses to open and names the recovery command', async () => {
  const path = join(folder, 'half.db');
  const store = await SqliteStore.open(path);
  store.append(key('a'), 0, new Writer().next(50));
  await store.close();
  truncateSync(path, statSync(path).size / 2);
  await assert.rejects(SqliteStore.open(path), /damaged.*run 'curated doctor'/);
  writeFileSync(path, 'this is no database, but a text that is long enough to be one'.repeat(20));
  await assert.rejects(SqliteStore.open(path), /curated doctor/);
});

test('F50 a newer journal is refused with a clear message and left as it is; so is a foreign database', async () => {
  const path = join(folder, 'newer.db');
  await (await SqliteStore.open(path)).close();
  const db = openSqlite(path);
  db.pragma('user_version = 2');
  db.close();
  const before = readFileSync(path);
  await assert.rejects(
    SqliteStore.open(path),
    /journal format 2; this version reads formats up to 1\. Use a newer curated/,
  );
  assert.ok(readFileSync(path).equals(before));
  const foreign = join(folder, 'foreign.db');
  const other = openSqlite(foreign);
  other.exec('CREATE TABLE t (a)');
  other.close();
  await assert.rejects(SqliteStore.open(foreign), /is not a journal of curated/);
  assert.ok(existsSync(foreign));
});
