// Encryption at rest: what is sealed opens with its key and in its place alone, and a file is never harmed by a wrong one.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { CuratedError } from '../../src/errors.js';
import { diagnose, GENESIS, readKey, rekey, salvage, textBlob } from '../../src/journal/index.js';
import { packGroup } from '../../src/journal/packed.js';
import { SqliteEngine } from '../../src/journal/sqlite-engine.js';
import { newRoot, SealedVault, unwrap, wrap } from '../../src/journal/vault.js';
import { openSqlite } from '../../src/sqlite.js';
import { group, key } from './kit.js';

const folder = mkdtempSync(join(tmpdir(), 'curated-sealed-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const KEY = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
let files = 0;

/** A sealed journal with two sessions and a text; its path. */
function journal(sealed = true): string {
  const path = join(folder, `${++files}.db`);
  const engine = new SqliteEngine(path, sealed ? { key: KEY } : {});
  for (const name of ['a', 'b']) {
    const { blob } = textBlob(`a long text of ${name} `.repeat(100));
    const records = group(GENESIS, 3);
    assert.equal(
      engine.commit([{ op: 'append', group: packGroup(key(name), 0, records), blobs: [blob] }], true).size,
      0,
    );
  }
  engine.close();
  return path;
}

const thrown = (work: () => unknown): CuratedError => {
  try {
    work();
  } catch (e) {
    return e as CuratedError;
  }
  throw new Error('nothing was thrown');
};
const digest = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

test('Privacy: a value opens in its own place and whole, or not at all', () => {
  const vault = new SealedVault(newRoot());
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(1e6), fc.nat(7), (bytes, at, bit) => {
      const sealed = vault.bytesOut('event', '3:17', bytes);
      assert.deepEqual(new Uint8Array(vault.bytesIn('event', '3:17', sealed)), bytes);
      assert.throws(() => vault.bytesIn('event', '3:18', sealed));
      assert.throws(() => vault.bytesIn('event', '4:17', sealed));
      assert.throws(() => vault.bytesIn('blob', '3:17', sealed));
      const harmed = Uint8Array.from(sealed);
      harmed[at % harmed.length]! ^= 1 << bit;
      assert.throws(() => vault.bytesIn('event', '3:17', harmed));
      assert.throws(() => vault.bytesIn('event', '3:17', sealed.subarray(0, at % sealed.length)));
    }),
    { numRuns: 50 },
  );
  const hash = createHash('sha256').update('x').digest();
  assert.notDeepEqual(vault.hash('a', hash), hash);
  assert.deepEqual(vault.hash('a', vault.hash('a', hash)), hash);
});

test('Privacy: the key of a database is random, and only its operator’s key unwraps it', () => {
  const root = newRoot();
  assert.notDeepEqual(newRoot(), root);
  const wrapped = wrap(root, KEY);
  assert.notEqual(wrap(root, KEY), wrapped);
  assert.deepEqual(unwrap(wrapped, KEY), root);
  assert.equal(unwrap(wrapped, OTHER), undefined);
  assert.equal(unwrap('{}', KEY), undefined);
});

test('Privacy: a wrong key, no key, and a key for a plain file are typed errors that leave the file as it was', () => {
  const [sealed, plain] = [journal(), journal(false)];
  for (const [path, options, encryption] of [
    [sealed, { key: OTHER }, 'wrong_key'],
    [sealed, {}, 'no_key'],
    [plain, { key: KEY }, 'plain'],
  ] as const) {
    const before = digest(path);
    const e = thrown(() => new SqliteEngine(path, options));
    assert.equal(e.kind, 'CONFIG');
    assert.deepEqual(e.detail, { encryption });
    assert.equal(digest(path), before);
  }
  const again = new SqliteEngine(sealed, { key: KEY });
  assert.deepEqual(again.check().broken, []);
  again.close();
});

test('Privacy F46: sealed values that trade places, from row to row or session to session, are found out', () => {
  for (const sql of [
    'UPDATE events SET payload = (SELECT payload FROM events o WHERE o.id = events.id + 1) WHERE id % 268435456 = 1',
    'UPDATE events SET payload = (SELECT payload FROM events o WHERE o.id = events.id + 268435456) WHERE id / 268435456 = 1',
    `UPDATE events SET payload = '{"n":1}' WHERE id % 268435456 = 2`,
  ]) {
    const path = journal();
    const db = openSqlite(path);
    assert.ok(db.prepare(sql).run().changes > 0);
    db.close();
    const engine = new SqliteEngine(path, { key: KEY });
    const e = thrown(() => engine.read(key('a'), 1, 10));
    assert.equal((e.detail as { quarantined?: boolean }).quarantined, true);
    engine.close();
  }
  const path = journal();
  const db = openSqlite(path);
  db.exec('UPDATE blobs SET data = (SELECT data FROM blobs o WHERE o.id <> blobs.id)');
  db.close();
  const engine = new SqliteEngine(path, { key: KEY });
  const { hash } = textBlob('a long text of a '.repeat(100)).blob;
  assert.match(thrown(() => engine.blob(key('a'), hash)).message, /damaged/);
  engine.close();
});

test('Privacy: no text, and no hash that would confirm a guess, is in the file or its log', () => {
  const path = join(folder, 'marker.db');
  const engine = new SqliteEngine(path, { key: KEY });
  const records = group(GENESIS, 3);
  const { blob } = textBlob('MARKER '.repeat(500));
  engine.commit([{ op: 'append', group: packGroup(key('s'), 0, records), blobs: [blob] }], true);
  engine.commit(
    [
      {
        op: 'snapshot',
        key: key('s'),
        seq: 3,
        hash: records[2]!.hash,
        bytes: Buffer.from('MARKER snapshot'),
      },
    ],
    true,
  );
  assert.equal(Buffer.from(engine.loadSnapshot(key('s'))!.bytes).toString(), 'MARKER snapshot');
  engine.copy(key('s'), 2, key('fork'));
  assert.deepEqual(engine.read(key('fork'), 1, 9).cells, engine.read(key('s'), 1, 2).cells);
  const hashes = [...records.map((r) => r.hash), blob.hash.slice(7)].map((h) => Buffer.from(h, 'hex'));
  for (const name of readdirSync(folder).filter((f) => f.startsWith('marker.db'))) {
    const bytes = readFileSync(join(folder, name));
    for (const needle of [Buffer.from('MARKER'), Buffer.from(records[1]!.json), ...hashes])
      assert.ok(!bytes.includes(needle), `${name} holds ${needle.toString('latin1').slice(0, 20)}`);
  }
  engine.close();
});

test('Privacy: a file can get another operator’s key, and what is in it stays as it is', () => {
  const path = journal();
  assert.equal(thrown(() => rekey(path, OTHER, KEY)).kind, 'CONFIG');
  assert.equal(thrown(() => rekey(journal(false), KEY, OTHER)).kind, 'CONFIG');
  rekey(path, KEY, OTHER);
  assert.equal(thrown(() => new SqliteEngine(path, { key: KEY })).kind, 'CONFIG');
  const engine = new SqliteEngine(path, { key: OTHER });
  assert.deepEqual(engine.check(), { structure: [], broken: [], sessions: 2, archives: 0, events: 6 });
  engine.close();
});

test('Privacy F46: a sealed journal that is damaged is diagnosed and salvaged with its key, and stays sealed', () => {
  const path = journal();
  assert.equal(diagnose(path, { key: KEY }).state, 'sound');
  for (const key of [undefined, OTHER]) assert.equal(diagnose(path, { key }).state, 'sealed');
  const db = openSqlite(path);
  db.exec("UPDATE events SET payload = x'00' WHERE id = 268435456 + 3");
  db.close();
  assert.equal(diagnose(path, { key: KEY }).state, 'damaged');
  const to = `${path}.saved`;
  assert.throws(() => salvage(path, to, OTHER));
  const { sessions, faults } = salvage(path, to, KEY);
  assert.deepEqual(faults, []);
  assert.deepEqual(
    sessions.map((s) => [s.kept, s.of]),
    [
      [2, 3],
      [3, 3],
    ],
  );
  assert.equal(diagnose(to).state, 'sealed');
  assert.equal(diagnose(to, { key: KEY }).state, 'sound');
});

test('Privacy: a key comes from a file of one’s own or the environment, 32 bytes, or is refused with the reason', () => {
  const file = join(folder, 'key');
  const hex = Buffer.from(KEY).toString('hex');
  writeFileSync(file, `${hex}\n`, { mode: 0o600 });
  assert.deepEqual(new Uint8Array(readKey({ keyFile: file }, {})!), KEY);
  assert.deepEqual(
    new Uint8Array(readKey({ keyEnv: 'K' }, { K: Buffer.from(KEY).toString('base64') })!),
    KEY,
  );
  assert.equal(readKey({}, {}), undefined);
  const refused = (source: Parameters<typeof readKey>[0], env = {}) => {
    const e = thrown(() => readKey(source, env));
    assert.equal(e.kind, 'CONFIG');
    assert.ok(!e.message.includes(hex));
    return e.message;
  };
  assert.match(refused({ keyEnv: 'K' }), /K is not set/);
  assert.match(refused({ keyEnv: 'K' }, { K: 'short' }), /32 random bytes/);
  assert.match(refused({ keyFile: file, keyEnv: 'K' }), /takes one/);
  assert.match(refused({ keyFile: join(folder, 'none') }), /cannot be read/);
  symlinkSync(file, join(folder, 'link'));
  assert.match(refused({ keyFile: join(folder, 'link') }), /cannot be read/);
  chmodSync(file, 0o644);
  assert.match(refused({ keyFile: file }), /yours alone/);
});
