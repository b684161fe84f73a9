import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { after, test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { createPool, type Pool, type PoolOptions } from '../../src/pool/pool.js';
import type {} from './faulty-worker.js';

const pools: Pool[] = [];
function open(options: PoolOptions = {}): Pool {
  const worker = new URL('./faulty-worker.js', import.meta.url);
  const pool = createPool({ shards: 1, inlineUnits: 0, heapMib: 48, ...options, worker });
  pools.push(pool);
  return pool;
}
after(() => Promise.all(pools.map((pool) => pool.close(0))));

const idle = () => new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Threads of this process that give way to its main one. */
function nicer(): number {
  return readdirSync('/proc/self/task').filter((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]) > getPriority();
  }).length;
}

test('L4-11 background tasks run one at a time on a thread of their own, and counts do not wait for them', async () => {
  const pool = open();
  const ended: string[] = [];
  const tasks = [0, 1, 2].map((n) =>
    pool.run('sleep', 60, { background: idle() }).then(() => ended.push(`task ${n}`)),
  );
  await turn();
  assert.equal(pool.stats().background?.busy, true);
  assert.equal(pool.stats().queuedBackground, 2);
  assert.equal(pool.stats().shards[0]!.busy, false);
  const count = pool.countTokens(['one two three'], 'cl100k_base').then(() => ended.push('count'));
  await Promise.all([...tasks, count]);
  assert.deepEqual(
    ended.filter((e) => e !== 'count'),
    ['task 0', 'task 1', 'task 2'],
  );
  assert.notEqual(ended.at(-1), 'count');
  assert.equal(pool.stats().background?.batches, 3);
});

const told = process.platform === 'linux' && getPriority() < 19;
test('L4-11 the background thread gives way to the others', { skip: !told }, async () => {
  const before = nicer();
  const pool = open();
  await pool.run('sleep', 1);
  assert.equal(nicer(), before);
  await pool.run('sleep', 1, { background: idle() });
  assert.ok(nicer() > before);
});

test('L5-5 a background task that a call waits for by now leaves the queue behind', async () => {
  const pool = open();
  const hurry = new AbortController();
  const ended: string[] = [];
  const first = pool.run('sleep', 80, { background: idle() }).then(() => ended.push('first'));
  const second = pool.run('sleep', 80, { background: idle() }).then(() => ended.push('second'));
  const wanted = pool.run('sleep', 1, { background: hurry.signal }).then(() => ended.push('wanted'));
  await turn();
  hurry.abort();
  await wanted;
  assert.ok(!ended.includes('second'));
  await Promise.all([first, second]);
  assert.equal(pool.stats().background?.calls, 2);
  assert.equal(await pool.run('sleep', 2, { background: AbortSignal.abort() }), 2);
  assert.equal(pool.stats().background?.calls, 2);
});

test('F43 a background task that kills its worker is retried once, then SHARD_FAILED; the next one is answered', async () => {
  const pool = open();
  const cell = new Int32Array(new SharedArrayBuffer(4));
  assert.equal(await pool.run('die', { how: 'trap', once: cell }, { background: idle() }), 'lived');
  const poison = pool.run('die', { how: 'trap' }, { background: idle() });
  const next = pool.run('sleep', 3, { background: idle() });
  await assert.rejects(poison, (e) => e instanceof CuratedError && e.kind === 'SHARD_FAILED');
  assert.equal(await next, 3);
});

test('the background queue is bounded, and close answers what runs and refuses what waits', async () => {
  const pool = open({ maxQueuedCalls: 2 });
  const running = pool.run('sleep', 300, { background: idle() });
  await turn();
  const waiting = [1, 2].map((ms) => pool.run('sleep', ms, { background: idle() }));
  const settled = Promise.allSettled([running, ...waiting]);
  await assert.rejects(
    pool.run('sleep', 3, { background: idle() }),
    (e) => e instanceof CuratedError && e.kind === 'BUSY',
  );
  await pool.close(0);
  for (const s of await settled) {
    assert.ok(s.status === 'rejected' && (s.reason as CuratedError).kind === 'DRAINING');
  }
});
