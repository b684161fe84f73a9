// The sweep of old journals: what goes with them, in which order, and what is left alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyText, MemoryStore, type SessionKey } from '../../src/journal/index.js';
import { Retention } from '../../src/service/retention.js';
import { key, Writer } from '../journal/kit.js';

const DAY = 86_400_000;
/** Stamps of the kit's records. */
const THEN = 1_700_000_000_000;

interface World {
  store: MemoryStore;
  retention: Retention;
  /** What was done, in order. */
  done: string[];
  told: { what: string; detail: Record<string, unknown> }[];
}

function world(o: { open?: SessionKey[]; stuck?: string; after?: (w: World) => void } = {}): World {
  const store = new MemoryStore();
  const done: string[] = [];
  const told: World['told'] = [];
  const tell = (detail: object, what: string) => void told.push({ what, detail: detail as never });
  const w = { store, done, told } as World;
  w.retention = new Retention({
    store: {
      heads: (tenant) => store.heads(tenant),
      sweep: async (options) => {
        const swept = await store.sweep(options);
        done.push(...swept.removed.map((k) => `journal ${k.session}`));
        return swept;
      },
    },
    clock: { now: () => THEN + 40 * DAY },
    due: () => true,
    retainDays: () => 30,
    open: () => o.open ?? [],
    isOpen: (asked) => (o.open ?? []).some((k) => keyText(k) === keyText(asked)),
    files: {
      forget: async ({ session }) => {
        if (session === o.stuck) throw new Error('EACCES');
        done.push(`files ${session}`);
        o.after?.(w);
      },
    },
    recall: {
      expire: async ({ session }) => void done.push(`index ${session}`),
      touch: ({ session }) => void done.push(`found again ${session}`),
    },
    log: { info: tell, warn: tell, error: tell },
  });
  return w;
}

async function sessions(store: MemoryStore, ...names: string[]): Promise<void> {
  for (const name of names) store.append(key(name), 0, new Writer().next(3));
  await store.flush('os');
}

test('J-13 what was made of a journal goes before it: a kill in between leaves nothing that nobody looks for', async () => {
  const { store, retention, done, told } = world({ open: [key('used')] });
  await sessions(store, 'old', 'used');
  await retention.sweep();
  assert.deepEqual(done, ['files old', 'index old', 'journal old']);
  assert.deepEqual(
    (await store.heads()).map((h) => h.key.session),
    ['used'],
  );
  assert.deepEqual(told[0]?.detail, { sessions: ['old'], removed: 1 });
});

test('J-13 an archive of a session that lives goes alone: files and search of the session stay, and the log does not call it removed', async () => {
  const { store, retention, done, told } = world();
  await sessions(store, 'a');
  await store.rewind(key('a'), 2, 'before', THEN + 39 * DAY);
  await retention.sweep();
  assert.deepEqual(await store.archives(key('a')), []);
  assert.deepEqual(done, ['journal a']);
  assert.deepEqual(
    told.map((t) => t.detail),
    [{ archives: [{ session: 'a', archive: 'before' }], removed: 1 }],
  );
  assert.equal((await store.head(key('a')))?.seq, 2);
});

test('J-13 a daemon that ends in the middle of a sweep goes on with the next one', async () => {
  let left = 3;
  const { store, retention, done } = world({
    after: (w) => {
      if (--left === 0) void w.retention.stop();
    },
  });
  await sessions(store, 'a', 'b', 'c', 'd', 'e');
  await retention.sweep();
  const bared = done.filter((d) => d.startsWith('files')).length;
  assert.equal(bared, 3);
  assert.equal((await store.heads()).length, 5, 'their journals tell the next sweep');
  const again = world();
  again.store.sweep = store.sweep.bind(store);
  again.store.heads = store.heads.bind(store);
  await again.retention.sweep();
  assert.equal((await store.heads()).length, 0);
  assert.equal(again.done.filter((d) => d.startsWith('files')).length, 5);
});

test('J-13 what cannot be taken away keeps its own journal alone, and is told', async () => {
  const { store, retention, told } = world({ stuck: 'b' });
  await sessions(store, 'a', 'b', 'c');
  await retention.sweep();
  assert.deepEqual(
    (await store.heads()).map((h) => h.key.session),
    ['b'],
  );
  assert.deepEqual(told[0], {
    what: 'an old session cannot be removed',
    detail: { session: 'b', error: 'EACCES' },
  });
});

test('J-13 a session that is taken up during the sweep stays, and is found again', async () => {
  const open: SessionKey[] = [];
  const { store, retention, done } = world({ open, after: () => void open.push(key('a')) });
  await sessions(store, 'a');
  await retention.sweep();
  assert.deepEqual(done, ['files a', 'index a', 'found again a']);
  assert.equal((await store.heads()).length, 1);
});

test('J-13 many old sessions go oldest first, in transactions of bounded size', async () => {
  const { store, retention, done } = world();
  const names = Array.from({ length: 250 }, (_, i) => `s${String(i).padStart(3, '0')}`);
  for (const [i, name] of names.entries()) store.append(key(name), 0, new Writer().next(1 + i));
  await store.flush('os');
  await retention.sweep();
  assert.equal((await store.heads()).length, 0);
  const journals = done.flatMap((d, i) => (d.startsWith('journal') ? [i] : []));
  const firstBatch = journals.findIndex((at, i) => i > 0 && at !== journals[i - 1]! + 1);
  assert.equal(firstBatch, 100, 'what comes next waits for no more than a batch');
  assert.deepEqual(
    done.filter((d) => d.startsWith('files')),
    names.map((n) => `files ${n}`),
  );
});

test('J-13 a fork, a rewind and a restore count as touched when they were made', async () => {
  const store = new MemoryStore();
  await sessions(store, 'a', 'b', 'c', 'd');
  const now = THEN + 40 * DAY;
  await store.copy(key('a'), 2, key('fork'), now);
  await store.rewind(key('b'), 2, 'before', now);
  await store.rewind(key('c'), 2, 'before', THEN);
  await store.restore(key('c'), 'before', 'after', now);
  const { removed } = await store.sweep({ now: now + DAY, retainDays: 30 });
  assert.deepEqual(
    removed.map(keyText).sort(),
    [key('a'), { ...key('b'), archive: 'before' }, { ...key('c'), archive: 'after' }, key('d')].map(keyText),
  );
});
