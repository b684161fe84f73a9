// The conformance suite on the simulated disk, and its faults: full, EIO, a failed sync.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../src/journal/index.js';
import { packGroup, unpackRecords } from '../../src/journal/packed.js';
import { seeded } from '../../src/random.js';
import { green, key, Writer } from './kit.js';
import { SimDisk } from './sim-disk.js';
import { SimEngine } from './sim-engine.js';
import { SimStore } from './sim-store.js';
import { conformance } from './store-conformance.js';

conformance('simulated', {
  open: async () => new SimStore(new SimDisk()),
  reopen: async (store: Store) => new SimStore((store as SimStore).disk),
});

test('F47 a full disk: STORAGE_FULL, reads go on, work is refused, and it recovers when space is back', async () => {
  const disk = new SimDisk({ capacity: 3000 });
  const store = new SimStore(disk);
  const w = new Writer();
  store.append(key('a'), 0, w.next(2));
  await store.flush('sync');
  const acked = w.head;
  store.append(key('a'), 2, w.next(40));
  await assert.rejects(store.flush('os', key('a')), { kind: 'STORAGE_FULL' });
  assert.equal(store.health().state, 'red');
  assert.throws(() => store.append(key('b'), 0, new Writer().next(1)), { kind: 'STORAGE_FULL' });
  assert.equal((await store.read(key('a'), 1, 99)).length, 2);
  await assert.rejects(store.rewind(key('a'), 1, 'x'), { kind: 'STORAGE_FULL' });
  disk.faults = {};
  await green(store);
  assert.equal((await store.head(key('a')))?.seq, acked.seq);
  w.head = acked;
  store.append(key('a'), acked.seq, w.next(1));
  await store.flush('sync', key('a'));
  await store.close();
  assert.equal((await new SimStore(disk.afterPowerLoss(seeded(1))).head(key('a')))?.seq, 3);
});

test('F47 a failed sync is a loss: never acknowledged, and a second sync alone does not make it good', async () => {
  const disk = new SimDisk();
  const store = new SimStore(disk);
  const w = new Writer();
  store.append(key('a'), 0, w.next(2));
  await store.flush('sync');
  // The next append is one call and its sync the one after.
  disk.faults = { eio: new Set([disk.calls + 2]) };
  store.append(key('a'), 2, w.next(3));
  await assert.rejects(store.flush('sync', key('a')), { kind: 'STORAGE' });
  await green(store);
  // The records may be there after all; what counts is that from now on the disk holds what the store shows.
  const shown = (await store.head(key('a')))!;
  await store.flush('sync');
  const later = new SimStore(disk.afterPowerLoss(() => 0));
  assert.deepEqual(await later.head(key('a')), shown);
});

test('F46 each byte of the log flipped once: cut with a notice, or quarantined; never served wrong', () => {
  const disk = new SimDisk();
  const engine = new SimEngine(disk);
  const w = new Writer();
  for (let i = 0; i < 3; i++)
    engine.commit([{ op: 'append', group: packGroup(key('a'), w.head.seq, w.next(2)) }], true);
  const size = disk.size('journal.log');
  for (const omit of [undefined, 'checksum'] as const) {
    let told = 0;
    for (let at = 0; at < size; at++) {
      const bent = disk.afterKill();
      bent.flip('journal.log', at, at % 8);
      try {
        const again = new SimEngine(bent, omit && { omit });
        const seq = again.head(key('a'))?.seq ?? 0;
        const got = seq === 0 ? [] : unpackRecords(again.read(key('a'), 1, seq));
        assert.deepEqual(got, w.records.slice(0, got.length));
        if (again.notices.length > 0) told++;
        else if (omit === undefined) assert.fail(`the flip at ${at} went unnoticed`);
      } catch (e) {
        // Without the frames' checksums something else has to tell: the chain, or the parser.
        if (e instanceof assert.AssertionError || omit === undefined) throw e;
        told++;
      }
    }
    if (omit === undefined) assert.equal(told, size);
    else assert.ok(told > size / 2);
  }
});

test('F47 a rewind whose sync fails turns the store red like any other lost write', async () => {
  const disk = new SimDisk();
  const store = new SimStore(disk);
  const w = new Writer();
  store.append(key('a'), 0, w.next(5));
  await store.flush('sync');
  disk.faults = { eio: new Set([disk.calls + 2]) };
  await assert.rejects(store.rewind(key('a'), 2, 'x'), { kind: 'STORAGE' });
  assert.equal(store.health().state, 'red');
  await green(store);
  const shown = (await store.head(key('a')))!;
  assert.deepEqual(await new SimStore(disk.afterPowerLoss(() => 0)).head(key('a')), shown);
});
