// Journals written by earlier versions, read by this one (F50); export, import and upcasting.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import {
  attach,
  chain,
  exportJsonl,
  GENESIS,
  importJsonl,
  type JournalRecord,
  MemoryStore,
  readAll,
  references,
  SqliteStore,
  type Store,
  upcaster,
  verifyChain,
} from '../../src/journal/index.js';
import { key, Writer } from './kit.js';

const fixtures = resolve(fileURLToPath(import.meta.url), '../../../../test/fixtures/journal');
const golden = readFileSync(join(fixtures, 'v1.jsonl'), 'utf8').trimEnd().split('\n');
const HEAD = 'affb8f29783c431f';
const folder = mkdtempSync(join(tmpdir(), 'curated-golden-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const item of items) out.push(item);
  return out;
}

/** What the golden session must say, whatever the format it is read from. */
async function inspect(store: Store): Promise<JournalRecord[]> {
  const records = await all(readAll(store, key('golden')));
  assert.equal(records.length, 8);
  assert.equal(verifyChain(records), undefined);
  assert.equal(records[7]!.hash.slice(0, 16), HEAD);
  assert.equal(records[2]!.json, '{"hash":"ab","exact":{"temperature":1.0,"seed":12345678901234567890}}');
  assert.deepEqual(
    records.map((r) => r.observed),
    [...Array(5).fill(undefined), true, false, undefined],
  );
  assert.match(String(records[7]!.payload['__journal_error']), /nested/);
  const blobs = new Map<string, Uint8Array>();
  for (const hash of references(records[4]!.payload))
    blobs.set(hash, (await store.blob(key('golden'), hash))!);
  const full = attach(records[4]!.payload, (hash) => blobs.get(hash));
  assert.equal(full['text'], 'the same long text '.repeat(400));
  assert.equal(full['odd'], `\ud800${'x'.repeat(3000)}`);
  assert.equal(attach(records[5]!.payload, () => undefined)['$blob'], 'not one of ours');
  return records;
}

test('F50 the golden export of schema_version 1 is read, and exported again byte for byte', async () => {
  const store = new MemoryStore();
  const result = await importJsonl(store, key('golden'), golden);
  assert.deepEqual({ ...result, head: result.head.seq }, { records: 8, head: 8, torn: false });
  await inspect(store);
  assert.deepEqual(await all(exportJsonl(store, key('golden'))), golden);
  await store.close();
});

test('F50 the golden SQLite file of format 1 is read and not rewritten', async () => {
  const path = join(folder, 'v1.db');
  const bytes = gunzipSync(readFileSync(join(fixtures, 'v1.db.gz')));
  writeFileSync(path, bytes);
  const store = await SqliteStore.open(path);
  await inspect(store);
  assert.deepEqual(await store.archives(key('golden')), ['2023-11-15T00-00-00Z']);
  assert.equal((await store.read({ ...key('golden'), archive: '2023-11-15T00-00-00Z' }, 1, 99)).length, 5);
  assert.deepEqual(
    (await store.heads()).map((h) => h.meta),
    [{ model: 'm' }],
  );
  assert.deepEqual((await store.loadSnapshot(key('golden')))?.bytes, new Uint8Array([1, 2, 3]));
  assert.deepEqual(await store.check(), { structure: [], broken: [], sessions: 1, archives: 1, events: 13 });
  await store.close();
  assert.ok(readFileSync(path).equals(bytes));
});

test('J-1 each envelope has the fields of the field, in order', () => {
  const fields =
    'seq ts type event_id source trace_id parent_seq parent_id session_id agent_id depth side_effect vetoed veto_reason';
  for (const line of golden.slice(1).filter((l) => !l.startsWith('{"blob"'))) {
    const keys = Object.keys(JSON.parse(line));
    assert.deepEqual(keys.slice(0, 14), fields.split(' '));
    assert.ok(keys.includes('payload'));
  }
});

test('J-2 another schema_version is refused by name, and nothing stays', async () => {
  const store = new MemoryStore();
  const newer = [golden[0]!.replace('"schema_version":"1"', '"schema_version":"2"'), ...golden.slice(1)];
  await assert.rejects(importJsonl(store, key('g'), newer), (e: Error) =>
    /schema_version "2"/.test(e.message),
  );
  assert.equal(await store.head(key('g')), undefined);
  await store.close();
});

test('J-6 an import leaves out a torn last line, and refuses damage in the middle with its line', async () => {
  const store = new MemoryStore();
  const last = golden.length - 1;
  const torn = await importJsonl(store, key('torn'), [...golden.slice(0, last), golden[last]!.slice(0, 50)]);
  assert.deepEqual([torn.records, torn.torn], [7, true]);
  const first = golden.findIndex((l) => l.startsWith('{"seq":2'));
  for (const bent of [golden[first]!.replace('Grüße', 'Gruße'), golden[first]!.slice(0, 90), '']) {
    const lines = golden.with(first, bent);
    await assert.rejects(importJsonl(store, key('bent'), lines), { kind: 'STORAGE' });
    assert.equal(await store.head(key('bent')), undefined);
  }
  const blob = golden.findIndex((l) => l.startsWith('{"blob"'));
  const other = golden.with(blob, golden[blob]!.replace('dGhl', 'dGhm'));
  await assert.rejects(importJsonl(store, key('bent'), other), (e: Error) =>
    e.message.includes(`line ${blob + 1} `),
  );
  await assert.rejects(importJsonl(store, key('torn'), golden), { detail: { reason: 'exists' } });
  await store.close();
});

test('J-9 a journal that lost a record is an error for its reader, not a shorter journal', async () => {
  const store = new MemoryStore();
  const w = new Writer();
  store.append(key('a'), 0, w.next(3000));
  await store.flush('os');
  const read = store.read.bind(store);
  store.read = async (k, from, limit) => (await read(k, from, limit)).filter((r) => r.seq !== 2050);
  const seen: number[] = [];
  await assert.rejects(
    async () => {
      for await (const r of readAll(store, key('a'))) seen.push(r.seq);
    },
    (e: Error & { detail?: { quarantined?: boolean } }) => e.detail?.quarantined === true,
  );
  assert.equal(seen.at(-1), 2049);
  store.read = read;
  assert.deepEqual(
    (await all(readAll(store, key('a'), { fromSeq: 1500, toSeq: 1600 }))).map((r) => r.seq),
    w.records.slice(1499, 1600).map((r) => r.seq),
  );
  await store.close();
});

test('F50 payloads of older versions are brought up when read; the stored record stays as it is', () => {
  const up = upcaster({
    'tool.result': { ver: 3, up: { 1: (p) => ({ ...p, a: 1 }), 2: (p) => ({ ...p, b: 2 }) } },
    'io.input': { ver: 1 },
  });
  const old = chain(GENESIS, { seq: 1, ts: 1, type: 'tool.result', turn: 0, payload: { n: 0 } });
  assert.deepEqual(up(old), { ...old, payload: { n: 0, a: 1, b: 2 } });
  assert.deepEqual(old.payload, { n: 0 });
  const now = chain(GENESIS, { seq: 1, ts: 1, type: 'tool.result', ver: 3, turn: 0, payload: { n: 0 } });
  assert.equal(up(now), now);
});

test('F50 an unknown type or a newer version stops that session with a clear error', () => {
  const up = upcaster({ 'io.input': { ver: 1 } });
  const make = (type: string, ver: number) =>
    chain(GENESIS, { seq: 1, ts: 1, type, ver, turn: 0, payload: {} });
  assert.throws(
    () => up(make('io.other', 1)),
    /io\.other, version 1\) is of a type this version does not know/,
  );
  assert.throws(() => up(make('io.input', 2)), /newer than version 1/);
  assert.throws(() => up(make('constructor', 1)), { kind: 'STORAGE' });
  assert.throws(() => upcaster({ x: { ver: 2 } }), { kind: 'INTERNAL' });
});
