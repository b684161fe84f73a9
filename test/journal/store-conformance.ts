// What every journal store must do. Run by each engine's test file; a replicated engine becomes one more call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ChainHead,
  chain,
  GENESIS,
  type JournalRecord,
  type Payload,
  type SessionKey,
  type Store,
  sha256,
  textBlob,
  verifyChain,
} from '../../src/journal/index.js';
import { group, key, Writer } from './kit.js';

export interface Subject {
  /** A new, empty store. */
  open(): Promise<Store>;
  /** Ends the store in an orderly way and opens what it left; absent when nothing can outlive it. */
  reopen?(store: Store): Promise<Store>;
}

const STORAGE = { kind: 'STORAGE' };

export function conformance(name: string, subject: Subject): void {
  const it = (title: string, fn: (store: Store) => Promise<void>) =>
    test(`${title} (${name})`, async () => {
      const store = await subject.open();
      try {
        await fn(store);
      } finally {
        await store.close();
      }
    });

  it('J-3 what is appended is read back in order, byte for byte, chained', async (store) => {
    const a = new Writer();
    const b = new Writer();
    for (let i = 1; i <= 20; i++) {
      store.append(key('a'), a.head.seq, a.next(i % 5));
      store.append(key('b'), b.head.seq, b.next(1 + (i % 3)));
    }
    await store.flush('os');
    const got = await store.read(key('a'), 1, 1000);
    assert.deepEqual(got, a.records);
    assert.equal(verifyChain(got), undefined);
    assert.deepEqual(await store.read(key('b'), 3, 4), b.records.slice(2, 6));
    assert.deepEqual(await store.read(key('b'), b.head.seq + 1, 4), []);
    assert.deepEqual(await store.read(key('none'), 1, 4), []);
    const head = (await store.head(key('a')))!;
    assert.equal(head.seq, a.head.seq);
    assert.equal(head.hash, a.head.hash);
    assert.equal(head.updatedAt, a.records.at(-1)!.ts);
    assert.equal(head.createdAt, a.records[0]!.ts);
  });

  it('J-3 observed, versions and odd texts survive', async (store) => {
    const w = new Writer();
    const texts = ['', '\u0000', '\u2028', '\ud800', '𝄞', '"\\', 'é'.repeat(3000)];
    store.append(
      key('odd'),
      0,
      w.next(texts.length, (seq) => ({ text: texts[seq - 1], big: 2 ** 60 })),
    );
    const base = w.head;
    const pair = observedPair(base, { reason: 'seen' });
    store.append(key('odd'), base.seq, pair);
    await store.flush('sync');
    assert.deepEqual(await store.read(key('odd'), 1, 99), [...w.records, ...pair]);
  });

  it('J-3 a gap, a repeat or a wrong prev fails that session alone and writes nothing', async (store) => {
    const a = new Writer();
    const good = new Writer();
    store.append(key('a'), 0, a.next(3));
    await store.flush('os', key('a'));
    const ahead = group({ seq: 7, hash: a.head.hash }, 1);
    store.append(key('a'), 7, ahead);
    store.append(key('good'), 0, good.next(2));
    await assert.rejects(store.flush('os', key('a')), STORAGE);
    await store.flush('os', key('good'));
    assert.throws(() => store.append(key('a'), 8, group(ahead[0]!, 1)), STORAGE);
    // Back at the stored head the session goes on.
    store.append(key('a'), a.head.seq, a.next(1));
    await store.flush('sync', key('a'));
    store.append(key('a'), 0, group(GENESIS, 1));
    await assert.rejects(store.flush('sync', key('a')), STORAGE);
    store.append(key('b'), 0, group(GENESIS, 2));
    store.append(key('b'), 2, group({ seq: 2, hash: sha256('other') }, 1));
    await assert.rejects(store.flush('os', key('b')), STORAGE);
    assert.equal((await store.head(key('b')))?.seq, 2);
    assert.deepEqual(await store.read(key('a'), 1, 99), a.records);
    assert.deepEqual(await store.read(key('good'), 1, 99), good.records);
  });

  it('J-7 flush without a key reports a failure once', async (store) => {
    store.append(key('a'), 4, group({ seq: 4, hash: sha256('x') }, 1));
    await assert.rejects(store.flush('os'), STORAGE);
    await store.flush('os');
    assert.equal(await store.head(key('a')), undefined);
  });

  it('F42 tenants with the same session and the same texts share nothing', async (store) => {
    const [a, b] = [new Writer(), new Writer()];
    const { blob } = textBlob('the same text');
    store.append(key('s', 'one'), 0, a.next(1), [blob]);
    store.append(key('s', 'two'), 0, b.next(2));
    await store.flush('os');
    assert.deepEqual(await store.read(key('s', 'one'), 1, 9), a.records);
    assert.deepEqual(await store.read(key('s', 'two'), 1, 9), b.records);
    assert.deepEqual(await store.blob(key('s', 'one'), blob.hash), blob.bytes);
    assert.equal(await store.blob(key('s', 'two'), blob.hash), undefined);
    assert.deepEqual(
      (await store.heads('two')).map((h) => h.key),
      [key('s', 'two')],
    );
    assert.equal((await store.heads()).length, 2);
  });

  it('J-10 blobs are stored once a tenant, read back verified, and go with their last session', async (store) => {
    const [a, b] = [new Writer(), new Writer()];
    const shared = textBlob('shared '.repeat(1000)).blob;
    const own = textBlob(`own ${'y'.repeat(9000)}`).blob;
    store.append(key('a'), 0, a.next(1), [shared, own]);
    store.append(key('b'), 0, b.next(1), [shared]);
    await store.flush('os');
    assert.deepEqual(await store.blob(key('a'), own.hash), own.bytes);
    assert.equal((await store.stats()).blobs, 2);
    await store.erase(key('a'));
    assert.equal(await store.blob(key('b'), own.hash), undefined);
    assert.deepEqual(await store.blob(key('b'), shared.hash), shared.bytes);
    await store.erase(key('b'));
    assert.equal((await store.stats()).blobs, 0);
    assert.equal((await store.stats()).events, 0);
  });

  it('J-12 a snapshot stands only on a stored record', async (store) => {
    const a = new Writer();
    store.append(key('a'), 0, a.next(5));
    const at = a.records[3]!;
    store.saveSnapshot(key('a'), at.seq, at.hash, new Uint8Array([1, 2, 3]));
    assert.deepEqual(await store.loadSnapshot(key('a')), {
      seq: 4,
      hash: at.hash,
      bytes: new Uint8Array([1, 2, 3]),
    });
    store.saveSnapshot(key('a'), 4, sha256('other'), new Uint8Array([4]));
    assert.equal(await store.loadSnapshot(key('a')), undefined);
    store.saveSnapshot(key('a'), 9, at.hash, new Uint8Array([4]));
    assert.equal(await store.loadSnapshot(key('a')), undefined);
    assert.equal(await store.loadSnapshot(key('none')), undefined);
  });

  it('J-11 rewind archives all, keeps the records up to seq, and restore swaps back', async (store) => {
    const a = new Writer();
    store.append(key('a'), 0, a.next(9));
    await assert.rejects(store.rewind(key('a'), 0, 'x'), { kind: 'SEQ_GAP' });
    await assert.rejects(store.rewind(key('a'), 10, 'x'), { kind: 'SEQ_GAP' });
    await assert.rejects(store.rewind(key('a'), 3, '../x'), { kind: 'BAD_TYPE' });
    await assert.rejects(store.rewind(key('none'), 3, 'x'), { kind: 'UNKNOWN_SESSION' });
    assert.deepEqual(await store.archives(key('a')), []);
    assert.deepEqual(await store.rewind(key('a'), 4, '2024-02'), {
      archive: '2024-02',
      truncatedSeq: 9,
      kept: 4,
    });
    assert.deepEqual(await store.read(key('a'), 1, 99), a.records.slice(0, 4));
    const archived: SessionKey = { ...key('a'), archive: '2024-02' };
    assert.deepEqual(await store.read(archived, 1, 99), a.records);
    const other = group(a.records[3]!, 2, (seq) => ({ other: seq }));
    store.append(key('a'), 4, other);
    await store.flush('os', key('a'));
    await assert.rejects(store.rewind(key('a'), 2, '2024-02'), STORAGE);
    const head = await store.restore(key('a'), '2024-02', '2024-01');
    assert.equal(head.seq, 9);
    assert.deepEqual(await store.read(key('a'), 1, 99), a.records);
    assert.deepEqual(await store.archives(key('a')), ['2024-01']);
    assert.deepEqual(await store.read({ ...key('a'), archive: '2024-01' }, 5, 9), other);
    assert.equal((await store.heads()).length, 1);
    await store.erase(key('a'));
    assert.deepEqual(await store.archives(key('a')), []);
  });

  it('J-11 a copy has the same chain and goes its own way', async (store) => {
    const a = new Writer();
    const { blob } = textBlob('copied '.repeat(900));
    store.append(key('a'), 0, a.next(6), [blob]);
    await store.copy(key('a'), 4, key('fork'));
    await assert.rejects(store.copy(key('a'), 4, key('fork')), STORAGE);
    store.append(key('fork'), 4, group(a.records[3]!, 1));
    await store.flush('os', key('fork'));
    assert.equal((await store.head(key('fork')))?.seq, 5);
    await store.erase(key('a'));
    assert.deepEqual(await store.read(key('fork'), 1, 4), a.records.slice(0, 4));
    assert.deepEqual(await store.blob(key('fork'), blob.hash), blob.bytes);
  });

  it('J-13 the sweep removes old journals, never an open one, and nothing at 0 days', async (store) => {
    for (const s of ['old', 'open']) store.append(key(s), 0, new Writer().next(2));
    const now = 1_700_000_000_000 + 40 * 86_400_000;
    store.append(key('old2'), 0, new Writer().next(1));
    await store.flush('os');
    assert.deepEqual((await store.sweep({ now, retainDays: 0 })).removed, []);
    const { removed } = await store.sweep({ now, retainDays: 30, open: [key('open'), key('old2')] });
    assert.deepEqual(removed, [key('old')]);
    assert.deepEqual((await store.heads()).map((h) => h.key.session).sort(), ['old2', 'open']);
  });

  it('J-3 listing data is kept beside the chain', async (store) => {
    store.append(key('a'), 0, new Writer().next(1));
    store.setMeta(key('a'), { model: 'm', tokens: 12 });
    store.setMeta(key('none'), { model: 'm' });
    await store.flush('os');
    assert.deepEqual(
      (await store.heads()).map((h) => h.meta),
      [{ model: 'm', tokens: 12 }],
    );
  });

  it('J-3 back-pressure: room() asks to wait at the bound and nothing is lost', async (store) => {
    const w = new Writer();
    let waited = 0;
    for (let i = 0; i < 3000; i++) {
      const room = store.room();
      if (room) {
        waited++;
        await room;
      }
      store.append(key('a'), w.head.seq, w.next(1));
    }
    await store.flush('sync', key('a'));
    assert.ok(waited >= 2, `waited ${waited} times`);
    assert.equal((await store.head(key('a')))?.hash, w.head.hash);
    assert.equal((await store.stats()).queued, 0);
  });

  it('J-6 check finds a sound store sound', async (store) => {
    store.append(key('a'), 0, new Writer().next(3));
    const sound = { structure: [], broken: [], sessions: 1, archives: 0, events: 3 };
    assert.deepEqual(await store.check(), sound);
    await store.rewind(key('a'), 2, 'before');
    assert.deepEqual(await store.check(), { ...sound, archives: 1, events: 5 });
    const { sessions, archives } = await store.stats();
    assert.deepEqual({ sessions, archives }, { sessions: 1, archives: 1 });
  });

  test(`J-3 an append after close is an error, and close keeps what was appended (${name})`, async () => {
    const store = await subject.open();
    const w = new Writer();
    store.append(key('a'), 0, w.next(3));
    await store.close();
    await store.close();
    assert.throws(() => store.append(key('a'), 3, group(w.head, 1)), STORAGE);
    await assert.rejects(store.read(key('a'), 1, 1), STORAGE);
    if (!subject.reopen) return;
    const again = await subject.reopen(store);
    assert.deepEqual(await again.read(key('a'), 1, 9), w.records);
    await again.close();
  });
}

/** Two records, one with `observed` true and one with false. */
function observedPair(base: ChainHead, payload: Payload): JournalRecord[] {
  const fields = { ts: 7, type: 'memory.curated', ver: 3, turn: 1, payload };
  const first = chain(base, { ...fields, seq: base.seq + 1, observed: true });
  return [first, chain(first, { ...fields, seq: first.seq + 1, observed: false })];
}
