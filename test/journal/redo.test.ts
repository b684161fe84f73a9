// The redo log: what is acknowledged before the journal has it survives a kill, a thread's end, a full disk, and is shown and
// written in order; a damaged log is never served wrong.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { CuratedError } from '../../src/errors.js';
import { LostCommit } from '../../src/journal/engine.js';
import { type JournalRecord, SqliteStore, sealJournal } from '../../src/journal/index.js';
import { MemoryEngine } from '../../src/journal/memory-engine.js';
import { groupsOut } from '../../src/journal/packed-bytes.js';
import { QueuedStore } from '../../src/journal/queued-store.js';
import { readRedo } from '../../src/journal/redo-file.js';
import { redoPaths } from '../../src/journal/redo-log.js';
import { Runner } from '../../src/journal/runner.js';
import { seeded } from '../../src/random.js';
import { green, key, Writer } from './kit.js';

const folder = mkdtempSync(join(tmpdir(), 'curated-redo-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
const home = () => mkdtempSync(join(folder, `${made++}-`));

/** What a kill at this moment leaves on disk, as a folder of its own. Synchronous, so that nothing is written meanwhile. */
function image(of: string): string {
  const to = home();
  for (const name of readdirSync(of)) copyFileSync(join(of, name), join(to, name));
  return join(to, 'j.db');
}

async function opened<T>(path: string, look: (store: SqliteStore) => Promise<T>, o = {}): Promise<T> {
  const store = await SqliteStore.open(path, o);
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

const all = (path: string, session: string, o = {}): Promise<JournalRecord[]> =>
  opened(path, (store) => store.read(key(session), 1, 4096), o);

/** A store with a session of one record that its queue knows the end of. */
async function begun(o = {}): Promise<{ at: string; path: string; store: SqliteStore; w: Writer }> {
  const at = home();
  const path = join(at, 'j.db');
  const store = await SqliteStore.open(path, o);
  const w = new Writer();
  store.append(key('a'), 0, w.next(1));
  await store.flush('os', key('a'));
  return { at, path, store, w };
}

/** Acknowledged from the log alone: the image that a kill leaves now needs it. */
async function acked(store: SqliteStore, w: Writer, session = 'a', count = 2): Promise<void> {
  store.append(key(session), w.head.seq, w.next(count));
  await store.flush('ack', key(session));
}

test('F44 J-3 what was acknowledged and is in the log alone is in the journal after a kill, and the next start tells of it', async () => {
  const { at, store, w } = await begun();
  await acked(store, w);
  const killed = image(at);
  for (const file of redoPaths(killed)) assert.ok(existsSync(file));
  await opened(killed, async (again) => {
    assert.deepEqual(await again.read(key('a'), 1, 99), w.records);
    assert.match(again.health().notices.join(), /^2 records that were acknowledged .* were written to/);
  });
  await opened(killed, async (again) => {
    assert.deepEqual(again.health().notices, [], 'once');
    assert.deepEqual(await again.read(key('a'), 1, 99), w.records);
  });
  await store.close();
  assert.ok(!redoPaths(join(at, 'j.db')).some(existsSync), 'a clean end leaves no log');
});

test('F44 the log cut anywhere: the whole records before the cut are there, nothing else', async () => {
  const { at, store, w } = await begun();
  const ends: { bytes: number; records: number }[] = [{ bytes: 0, records: 1 }];
  const [log] = redoPaths(join(at, 'j.db'));
  for (let i = 0; i < 3; i++) {
    await acked(store, w, 'a', 1 + i);
    ends.push({ bytes: readFileSync(log).length, records: w.head.seq });
  }
  const whole = image(at);
  await store.close();
  const size = ends.at(-1)!.bytes;
  const cuts = new Set([0, ...ends.flatMap((e) => [e.bytes - 1, e.bytes, e.bytes + 1])]);
  for (let cut = 3; cut < size; cut += Math.ceil(size / 12)) cuts.add(cut);
  for (const cut of cuts) {
    if (cut < 0 || cut > size) continue;
    const path = join(home(), 'j.db');
    for (const end of ['', '-wal', '-redo0', '-redo1']) copyFileSync(whole + end, path + end);
    truncateSync(redoPaths(path)[0], cut);
    const wanted = ends.findLast((e) => e.bytes <= cut)!.records;
    // A commit of the journal itself may have had some of it before the image.
    const got = await all(path, 'a');
    assert.deepEqual(got, w.records.slice(0, got.length));
    assert.ok(got.length >= wanted, `cut at ${cut}: ${got.length} of ${wanted}`);
  }
});

test('F46 each part of the log damaged: told, and never served wrong', async () => {
  const { at, store, w } = await begun();
  for (let i = 0; i < 3; i++) await acked(store, w);
  const whole = image(at);
  await store.close();
  const size = readFileSync(redoPaths(whole)[0]).length;
  for (let n = 0; n < size; n += Math.ceil(size / 20)) {
    const path = join(home(), 'j.db');
    for (const end of ['', '-wal', '-redo0', '-redo1']) copyFileSync(whole + end, path + end);
    const bytes = readFileSync(redoPaths(path)[0]);
    bytes[n]! ^= 1 << (n % 8);
    writeFileSync(redoPaths(path)[0], bytes);
    await opened(path, async (again) => {
      const got = await again.read(key('a'), 1, 99);
      assert.deepEqual(got, w.records.slice(0, got.length));
      assert.match(again.health().notices.join(), /torn or damaged/);
    });
  }
});

test('F44 a power loss that takes the journal back further than its log: what does not continue is left out and told', async () => {
  const at = home();
  const path = join(at, 'j.db');
  const w = new Writer();
  await opened(path, async (store) => {
    store.append(key('a'), 0, w.next(1));
    await store.flush('sync');
  });
  const old = readFileSync(path);
  const store = await SqliteStore.open(path);
  store.append(key('a'), 1, w.next(1));
  await store.flush('os', key('a'));
  await acked(store, w);
  const killed = image(at);
  await store.close();
  writeFileSync(killed, old);
  for (const end of ['-wal', '-shm']) rmSync(killed + end, { force: true });
  await opened(killed, async (again) => {
    assert.deepEqual(await again.read(key('a'), 1, 99), w.records.slice(0, 1));
    assert.match(again.health().notices.join(), /2 records of the redo log do not continue/);
  });
});

test("F43 the journal's thread dies behind an acknowledgement: nothing of it is lost, and the session goes on", async () => {
  const { store, w } = await begun();
  await acked(store, w);
  await (store as unknown as { thread: Worker }).thread.terminate();
  assert.equal(store.health().state, 'red');
  await green(store);
  await acked(store, w);
  await store.flush('sync', key('a'));
  assert.deepEqual(await store.read(key('a'), 1, 99), w.records);
  await store.close();
});

const BIG = () => ({ text: 'x'.repeat(3000) });

/** The journal cannot grow, its log can: what was acknowledged from that is owed. Resolves when the store is red. */
async function owing() {
  const begin = await begun({ maxPages: 40 });
  const { store, w } = begin;
  const red = new Promise<void>((resolve) => store.onHealth((h) => h.state === 'red' && resolve()));
  store.append(key('a'), w.head.seq, w.next(60, BIG));
  await store.flush('ack', key('a'));
  await store.flush('os', key('b'));
  await red;
  return begin;
}

test('F47 the journal cannot take what was acknowledged: it is shown by reads, kept over a kill, and no work is taken', async () => {
  const { at, store, w } = await owing();
  assert.throws(() => store.append(key('b'), 0, new Writer().next(1)), { kind: 'STORAGE_FULL' });
  assert.deepEqual(await store.read(key('a'), 1, 99), w.records);
  assert.deepEqual(await store.read(key('a'), 12, 5), w.records.slice(11, 16));
  assert.equal((await store.head(key('a')))?.hash, w.head.hash);
  await assert.rejects(store.flush('sync', key('a')), { kind: 'STORAGE_FULL' });
  const killed = image(at);
  await store.close().catch(() => undefined);
  assert.deepEqual(await all(killed, 'a'), w.records);
  // A daemon that ends with debts leaves the log.
  assert.deepEqual(await all(join(at, 'j.db'), 'a'), w.records);
});

/** An engine in memory whose disk is full at will, behind a queue with a log that notes what it is told. */
class Full extends QueuedStore {
  isFull = false;
  /** The log cannot be written. */
  isBroken = false;
  readonly done: number[] = [];
  readonly logged: number[] = [];

  constructor() {
    super();
    const engine = new MemoryEngine();
    const refuse = () => {
      if (this.isFull) throw new LostCommit(new CuratedError('STORAGE_FULL', 'no space left'));
    };
    const { commit, probe } = engine;
    engine.commit = (...args) => {
      refuse();
      return commit.apply(engine, args);
    };
    engine.probe = () => {
      refuse();
      probe.apply(engine);
    };
    const runner = new Runner(engine, (reply) => this.onReply(reply));
    this.connect({ post: (batch) => runner.take([batch]), end: async () => runner.stop() }, [], {
      write: (groups) => {
        if (this.isBroken) return undefined;
        const no = this.logged.push(groups.length);
        return { no, bytes: groupsOut(groups) };
      },
      done: (no) => void this.done.push(no),
      rotate: () => undefined,
      close: () => undefined,
    });
  }
}

test('F47 what was acknowledged and owed is written once there is room, in order, and only then goes from the log', async () => {
  const store = new Full();
  const w = new Writer();
  store.append(key('a'), 0, w.next(1));
  await store.flush('os', key('a'));
  store.isFull = true;
  for (let i = 0; i < 3; i++) {
    store.append(key('a'), w.head.seq, w.next(2));
    await store.flush('ack', key('a'));
  }
  await store.flush('os', key('b'));
  assert.deepEqual(store.logged, [1, 1, 1]);
  assert.equal(store.health().state, 'red');
  assert.deepEqual(store.done, []);
  assert.deepEqual(await store.read(key('a'), 1, 99), w.records);
  assert.deepEqual(await store.read(key('a'), 4, 2), w.records.slice(3, 5));
  assert.deepEqual(await store.read(key('b'), 1, 9), []);
  // Another try of the probe finds it as full.
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(store.done, []);
  store.isFull = false;
  await green(store);
  assert.equal(store.done.at(-1), 3);
  assert.deepEqual(await store.read(key('a'), 1, 99), w.records);
  store.append(key('a'), w.head.seq, w.next(1));
  await store.flush('sync', key('a'));
  assert.deepEqual(await store.read(key('a'), 1, 99), w.records);
  await store.close();
});

test('F47 a log that cannot be written: the journal itself is waited for', async () => {
  const store = new Full();
  const w = new Writer();
  store.append(key('a'), 0, w.next(1));
  await store.flush('os', key('a'));
  store.isBroken = true;
  store.append(key('a'), 1, w.next(1));
  await store.flush('ack', key('a'));
  store.isFull = true;
  store.append(key('a'), 2, w.next(1));
  await assert.rejects(store.flush('ack', key('a')), { kind: 'STORAGE_FULL' });
  assert.deepEqual(await store.read(key('a'), 1, 99), w.records.slice(0, 2));
  store.isFull = false;
  await green(store);
  await store.close();
});

test('J-13 erase leaves no byte of a session in the log, whoever writes meanwhile', async () => {
  const { at, store, w } = await begun();
  const other = new Writer();
  store.append(key('other'), 0, other.next(1));
  await store.flush('os', key('other'));
  store.append(
    key('a'),
    w.head.seq,
    w.next(2, () => ({ text: 'TOPSECRET' })),
  );
  await store.flush('ack', key('a'));
  assert.ok(redoPaths(join(at, 'j.db')).some((file) => readFileSync(file).includes('TOPSECRET')));
  const erased = store.erase(key('a'));
  for (let i = 0; i < 20; i++) await acked(store, other, 'other', 1);
  await erased;
  for (const name of readdirSync(at))
    assert.ok(!readFileSync(join(at, name)).includes('TOPSECRET'), `${name} still holds it`);
  assert.deepEqual(await store.read(key('other'), 1, 99), other.records);
  await store.close();
});

test('J-3 the log of a sealed journal holds no plain text, and is read again with the key', async () => {
  const o = { key: new Uint8Array(32).fill(7) };
  const { at, store, w } = await begun(o);
  store.append(
    key('a'),
    w.head.seq,
    w.next(2, () => ({ text: 'TOPSECRET' })),
  );
  await store.flush('ack', key('a'));
  const killed = image(at);
  assert.ok(redoPaths(killed).some((file) => readFileSync(file).length > 0));
  for (const file of redoPaths(killed)) assert.ok(!readFileSync(file).includes('TOPSECRET'));
  await store.close();
  assert.deepEqual(await all(killed, 'a', o), w.records);
});

test('J-3 a plain journal with a log from a kill is sealed with what the log holds, and no plain log stays', async () => {
  const { at, store, w } = await begun();
  await acked(store, w);
  const killed = image(at);
  await store.close();
  const secret = new Uint8Array(32).fill(7);
  assert.equal(sealJournal(killed, secret).events, 3);
  assert.ok(!redoPaths(killed).some((file) => existsSync(file)));
  assert.deepEqual(await all(killed, 'a', { key: secret }), w.records);
});

test('F47 a journal whose folder was taken away acknowledges nothing from its log either', async () => {
  const { at, store, w } = await begun();
  renameSync(at, `${at}.away`);
  store.append(key('a'), w.head.seq, w.next(1));
  await assert.rejects(store.flush('ack', key('a')), { kind: 'STORAGE', message: /is gone/ });
  renameSync(`${at}.away`, at);
  await green(store);
  assert.equal((await store.head(key('a')))?.seq, 1);
  await store.close();
});

test('J-3 the log does not grow beyond its two files, and is empty of what the journal has', async () => {
  const { at, store, w } = await begun();
  let most = 0;
  for (let i = 0; i < 40; i++) {
    store.append(
      key('a'),
      w.head.seq,
      w.next(1, () => ({ text: 'x'.repeat(400_000) })),
    );
    await store.flush('ack', key('a'));
    most = Math.max(most, ...redoPaths(join(at, 'j.db')).map((file) => readFileSync(file).length));
  }
  assert.ok(most > 400_000 && most < 9 * 1024 * 1024, `${most} bytes`);
  await store.close();
});

test('F44 J-11 any order of appends, rewinds, copies and erasures, killed at any step: what was acknowledged, and no more', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const roll = seeded(seed);
      const at = home();
      const store = await SqliteStore.open(join(at, 'j.db'));
      const names = ['a', 'b', 'c'];
      const known = new Map(names.map((n) => [n, new Writer()]));
      const steps = 8 + Math.floor(roll() * 16);
      const images: { path: string; records: Map<string, JournalRecord[]> }[] = [];
      for (let step = 0; step < steps; step++) {
        const name = names[Math.floor(roll() * names.length)]!;
        const w = known.get(name)!;
        const dice = roll();
        if (dice < 0.1 && w.head.seq > 1) {
          const to = 1 + Math.floor(roll() * (w.head.seq - 1));
          await store.rewind(key(name), to, `r${step}`);
          const { hash } = w.records[to - 1]!;
          w.records.length = to;
          w.head = { seq: to, hash };
        } else if (dice < 0.15 && w.head.seq > 0) {
          await store.erase(key(name));
          known.set(name, new Writer());
        } else if (dice < 0.2) await new Promise((resolve) => setTimeout(resolve, 8));
        else {
          store.append(
            key(name),
            w.head.seq,
            w.next(1 + Math.floor(roll() * 3), (seq) => ({ seq, step, seed })),
          );
          await store.flush(dice < 0.3 ? 'sync' : dice < 0.4 ? 'os' : 'ack', key(name));
        }
        if (roll() < 0.2 || step === steps - 1)
          images.push({
            path: image(at),
            records: new Map(names.map((n) => [n, [...known.get(n)!.records]])),
          });
      }
      await store.close();
      for (const { path, records } of images)
        await opened(path, async (again) => {
          for (const n of names) assert.deepEqual(await again.read(key(n), 1, 999), records.get(n));
          assert.deepEqual((await again.check()).broken, []);
        });
    }),
    { numRuns: 8 },
  );
});

test('J-3 a file that is no log is none', () => {
  const path = join(folder, 'other');
  writeFileSync(path, 'not a log of anything at all');
  assert.deepEqual(readRedo(path), { records: [], behind: 28 });
  assert.deepEqual(readRedo(join(folder, 'absent')), { records: [], behind: 0 });
});
