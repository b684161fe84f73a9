// F47 on SQLite: a full disk and a failing fsync. Nothing is acknowledged falsely, reads go on, recovery needs no restart.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SqliteStore } from '../../src/journal/index.js';
import { green, key, Writer } from '../journal/kit.js';

const folder = mkdtempSync(join(tmpdir(), 'curated-disk-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const here = fileURLToPath(import.meta.url);

const BIG = () => ({ text: 'x'.repeat(1500) });

test('F47 a full disk (a small tmpfs): STORAGE_FULL, reads go on, recovers when space is back', async (t) => {
  const mount = join(folder, 'small');
  mkdirSync(mount);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount], { stdio: 'ignore' });
  } catch {
    t.skip('no right to mount a tmpfs here');
    return;
  }
  try {
    writeFileSync(join(mount, 'filler'), Buffer.alloc(400 * 1024));
    const store = await SqliteStore.open(join(mount, 'j.db'));
    const w = new Writer();
    let acknowledged = w.head;
    const fill = async () => {
      for (let i = 0; i < 500; i++) {
        store.append(key('a'), w.head.seq, w.next(4, BIG));
        await store.flush(i % 2 === 0 ? 'os' : 'sync', key('a'));
        acknowledged = w.head;
      }
    };
    await assert.rejects(fill(), { kind: 'STORAGE_FULL' });
    assert.equal(store.health().state, 'red');
    assert.throws(() => store.append(key('b'), 0, new Writer().next(1)), { kind: 'STORAGE_FULL' });
    const got = await store.read(key('a'), 1, 4096);
    assert.deepEqual(got.at(-1), w.records[acknowledged.seq - 1]);
    rmSync(join(mount, 'filler'));
    await green(store);
    const head = (await store.head(key('a')))!;
    assert.equal(head.hash, acknowledged.hash);
    const next = new Writer();
    next.head = head;
    store.append(key('a'), head.seq, next.next(3));
    await store.flush('sync', key('a'));
    assert.deepEqual(await store.check(), {
      structure: [],
      broken: [],
      sessions: 1,
      archives: 0,
      events: head.seq + 3,
    });
    await store.close();
  } finally {
    execFileSync('umount', [mount]);
  }
});

test('F47 the file at its size limit: STORAGE_FULL for what does not fit, and the limit is no damage', async () => {
  const path = join(folder, 'limit.db');
  const store = await SqliteStore.open(path, { maxPages: 60 });
  const w = new Writer();
  store.append(key('a'), 0, w.next(5));
  await store.flush('sync');
  store.append(key('a'), 5, w.next(400, BIG));
  await assert.rejects(store.flush('sync', key('a')), { kind: 'STORAGE_FULL' });
  await green(store);
  assert.equal((await store.head(key('a')))?.seq, 5);
  await store.close();
});

test('F47 fsync fails with EIO: a loss, never retried as success; the store recovers by itself', (t) => {
  const source = resolve(here, '../../../../test/faults/eio.c');
  const shim = join(folder, 'eio.so');
  const built = spawnSync('cc', ['-shared', '-fPIC', '-o', shim, source, '-ldl']);
  if (built.status !== 0 || !existsSync(shim)) {
    t.skip('no C compiler here');
    return;
  }
  const child = spawnSync(
    process.execPath,
    [resolve(here, '../../journal/eio-client.js'), join(folder, 'eio.db')],
    {
      env: { ...process.env, LD_PRELOAD: shim, EIO_SWITCH: join(folder, 'broken') },
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  assert.equal(child.stderr, '');
  assert.equal(child.stdout, 'recovered\n');
  assert.equal(child.status, 0);
});
