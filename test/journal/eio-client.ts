// Run under the EIO shim (test/faults/eio.c): a failed fsync is a loss, reads go on, and the store recovers by itself.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { SqliteStore } from '../../src/journal/index.js';
import { green, key, Writer } from './kit.js';

const path = process.argv[2]!;
const broken = process.env['EIO_SWITCH']!;
const store = await SqliteStore.open(path);
const w = new Writer();
store.append(key('a'), 0, w.next(3));
await store.flush('sync', key('a'));
const acked = w.head;

writeFileSync(broken, '');
store.append(key('a'), 3, w.next(2));
await assert.rejects(store.flush('sync', key('a')), { kind: 'STORAGE' });
assert.equal(store.health().state, 'red');
assert.throws(() => store.append(key('b'), 0, new Writer().next(1)), { kind: 'STORAGE' });
assert.deepEqual((await store.read(key('a'), 1, 9)).slice(0, 3), w.records.slice(0, 3));
// Several probes fail meanwhile.
await new Promise((resolve) => setTimeout(resolve, 700));
assert.equal(store.health().state, 'red');

rmSync(broken);
await green(store);
const head = (await store.head(key('a')))!;
assert.ok(head.seq === acked.seq || head.seq === w.head.seq, `the head is ${head.seq}`);
const later = new Writer();
later.head = head;
store.append(key('a'), head.seq, later.next(2));
await store.flush('sync', key('a'));
assert.equal((await store.read(key('a'), 1, 99)).length, head.seq + 2);
await store.close();
console.log('recovered');
