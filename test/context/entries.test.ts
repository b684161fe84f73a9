// Entries at scale: the newest are found, and the wake-up does not follow what was filed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importanceAtIngest } from '../../src/context/entry-rules.js';
import { EntryStore } from '../../src/context/entry-store.js';

const KEY = { tenant: 'default', root: '/p' };

function filled(n: number): EntryStore {
  const store = new EntryStore(':memory:');
  store.ingest(
    KEY,
    Array.from({ length: n }, (_, i) => ({ id: `e${i}`, text: `entry ${i}`, filed_at: i })),
    0,
  );
  return store;
}

test('M-4 of 50,000 entries without importance the 15 newest come first', () => {
  const { entries, more } = filled(50_000).top(KEY);
  assert.deepEqual(
    entries.map((e) => e.filed_at),
    Array.from({ length: 15 }, (_, i) => 49_999 - i),
  );
  assert.equal(more, true);
});

test('M-4 importance is written by rule when nobody gave one', () => {
  const of = (text: string, importance?: number) =>
    importanceAtIngest({ id: '1', text, ...(importance === undefined ? {} : { importance }) });
  assert.deepEqual(
    [of('We decided on JWT'), of('It fails when empty'), of('hello'), of('decided', 1)],
    [5, 4, 3, 1],
  );
});

test('M-5 the wake-up at 100,000 entries takes no longer than twice that at 1,000', () => {
  const time = (store: EntryStore) => {
    const runs = Array.from({ length: 15 }, () => {
      const started = performance.now();
      for (let i = 0; i < 50; i += 1) store.top(KEY);
      return performance.now() - started;
    });
    return Math.min(...runs);
  };
  const [small, big] = [filled(1000), filled(100_000)];
  time(small);
  const ratio = time(big) / time(small);
  assert.ok(ratio < 2, `${ratio}`);
});

test('M-8 M-9 M-10 entries are found by words, by wing and room; what is superseded is not', () => {
  const store = new EntryStore(':memory:');
  store.ingest(
    KEY,
    [
      { id: 'a', text: 'The gateway retries three times', wing: 'net', room: 'http' },
      { id: 'b', text: 'The gateway keeps sockets open', wing: 'net', room: 'ws' },
      { id: 'c', text: 'Invoices are rounded', wing: 'money' },
    ],
    1,
  );
  const find = (query: string, o: object = {}) => store.search({ ...KEY, query, k: 5, ...o });
  assert.deepEqual(find('gateway sockets')[0]!.text, 'The gateway keeps sockets open');
  assert.ok(
    find('gateway').every(
      (h) => h.score >= 0 && h.score <= 1 && Number.isInteger(Math.round(h.score * 1e6) / 1000),
    ),
  );
  assert.equal(find('gateway', { room: 'http' }).length, 1);
  assert.equal(find('gateway', { wing: 'money' }).length, 0);
  assert.equal(find('', { wing: 'net' }).length, 2);
  assert.deepEqual(find('" OR NEAR( * AND'), []);
  assert.equal(store.byHandle('default', find('rounded')[0]!.handle), 'Invoices are rounded');
  assert.equal(store.byHandle('other', find('rounded')[0]!.handle), undefined);
  store.ingest(KEY, [{ id: 'd', text: 'The gateway retries twice', supersedes: 'a' }], 2);
  assert.deepEqual(
    find('retries').map((h) => h.text),
    ['The gateway retries twice'],
  );
  store.ingest(KEY, [{ id: 'z', text: 'of a session' }], 3, 's1');
  store.forget('default', 's1');
  assert.deepEqual(find('session'), []);
});
