// The queue in front of an engine, with the engine's replies given by hand: who hears of which failure, and what a tick costs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { SqliteStore } from '../../src/journal/index.js';
import { QueuedStore } from '../../src/journal/queued-store.js';
import type { Batch, Reply } from '../../src/journal/runner.js';
import { green, key, Writer } from './kit.js';

class ByHand extends QueuedStore {
  readonly batches: Batch[] = [];

  constructor() {
    super({ bytes: 5000 });
    this.connect({ post: (batch) => this.batches.push(batch), end: async () => undefined }, []);
  }

  reply(reply: Partial<Reply> & { done: number }): void {
    this.onReply({ synced: 0, ...reply });
  }

  fail(no: number, session: string, expectedSeq: number, more: Partial<Reply> = {}): void {
    const error = { kind: 'STORAGE', message: `lost in ${no}` } as const;
    this.reply({ done: no, failures: [{ no, key: key(session), expectedSeq, error }], ...more });
  }
}

const tick = () => new Promise((resolve) => setImmediate(resolve));
const fate = (p: Promise<unknown>) =>
  p.then(
    () => 'ok',
    (e: Error) => e.message,
  );

test('J-3 a tick is one batch, whatever was appended and asked', async () => {
  const store = new ByHand();
  const [a, b] = [new Writer(), new Writer()];
  store.append(key('a'), 0, a.next(2));
  store.append(key('b'), 0, b.next(1));
  const flushed = [store.flush('os', key('a')), store.flush('sync', key('b'))];
  await tick();
  assert.equal(store.batches.length, 1);
  assert.deepEqual(
    [store.batches[0]!.no, store.batches[0]!.sync, store.batches[0]!.items.length],
    [1, true, 2],
  );
  store.reply({ done: 1, synced: 1 });
  assert.deepEqual(await Promise.all(flushed.map(fate)), ['ok', 'ok']);
});

test('J-7 an append that was sent behind a lost one is never acknowledged, whoever read the journal meanwhile', async () => {
  const store = new ByHand();
  const w = new Writer();
  store.append(key('a'), 0, w.next(1));
  const first = fate(store.flush('os', key('a')));
  await tick();
  store.append(key('a'), 1, w.next(1));
  const second = fate(store.flush('os', key('a')));
  await tick();
  store.fail(1, 'a', 0);
  assert.equal(await first, 'lost in 1');
  const looked = store.head(key('a'));
  await tick();
  store.reply({ done: 1, results: [{ id: 1, value: undefined }] });
  await looked;
  // Told and looked: it may start over, while the old batch 2 is still on its way.
  const again = new Writer();
  store.append(key('a'), 0, again.next(1));
  const third = fate(store.flush('os', key('a')));
  await tick();
  store.fail(2, 'a', 1);
  assert.equal(await second, 'lost in 1');
  store.reply({ done: 4 });
  assert.equal(await third, 'ok');
  assert.equal(await fate(store.flush('os', key('a'))), 'ok');
});

test('J-7 reading by others does not hide a failure that its owner has not heard of', async () => {
  const store = new ByHand();
  const w = new Writer();
  store.append(key('a'), 0, w.next(1));
  await tick();
  store.fail(1, 'a', 0);
  const looked = store.read(key('a'), 1, 10);
  await tick();
  store.reply({ done: 2, results: [{ id: 1, value: { firstSeq: 1, prev: '', cells: [] } }] });
  await looked;
  assert.equal(await fate(store.flush('os', key('a'))), 'lost in 1');
  assert.throws(() => store.append(key('a'), 1, w.next(1)), /lost in 1/);
  assert.equal(await fate(store.flush('os', key('b'))), 'ok');
});

test('J-4 a sync that did not come is no acknowledgement, though the write did', async () => {
  const store = new ByHand();
  store.append(key('a'), 0, new Writer().next(1));
  const [os, sync] = [fate(store.flush('os', key('a'))), fate(store.flush('sync', key('a')))];
  await tick();
  store.reply({ done: 1, synced: 0 });
  assert.equal(await os, 'ok');
  assert.match(await sync, /could not be synced/);
});

test('J-3 the queue is bounded in bytes as well: BUSY, and nothing of the refused append is kept', async () => {
  const store = new ByHand();
  const w = new Writer();
  store.append(
    key('a'),
    0,
    w.next(1, () => ({ text: 'x'.repeat(3000) })),
  );
  const more = new Writer();
  assert.throws(
    () =>
      store.append(
        key('b'),
        0,
        more.next(1, () => ({ text: 'x'.repeat(3000) })),
      ),
    { kind: 'BUSY' },
  );
  await tick();
  assert.equal(store.batches[0]!.items.length, 1);
  store.reply({ done: 1 });
  store.append(key('b'), 0, more.records);
});

test('F43 the journal thread dies: what was not committed is lost and said to be, and a new thread goes on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'curated-thread-'));
  const store = await SqliteStore.open(join(folder, 'j.db'));
  const w = new Writer();
  store.append(key('a'), 0, w.next(3));
  await store.flush('os', key('a'));
  const kept = w.head;
  store.append(key('a'), 3, w.next(2));
  const flushed = fate(store.flush('os', key('a')));
  store.append(key('quiet'), 0, new Writer().next(1));
  await (store as unknown as { thread: Worker }).thread.terminate();
  assert.match(await flushed, /thread ended/);
  assert.equal(store.health().state, 'red');
  await assert.rejects(store.read(key('a'), 1, 9), /thread ended/);
  await green(store);
  assert.match(await fate(store.flush('os', key('quiet'))), /thread ended/);
  const head = (await store.head(key('a')))!;
  assert.ok(head.seq === kept.seq || head.seq === w.head.seq);
  const next = new Writer();
  next.head = head;
  store.append(key('a'), head.seq, next.next(2));
  await store.flush('sync', key('a'));
  assert.equal((await store.read(key('a'), 1, 99)).length, head.seq + 2);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
