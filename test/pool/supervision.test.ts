import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { CuratedError } from '../../src/errors.js';
import { createPool, type Pool, type PoolOptions } from '../../src/pool/pool.js';
import type {} from './faulty-worker.js';

const pools: Pool[] = [];
function faulty(options: PoolOptions = {}): Pool {
  const worker = new URL('./faulty-worker.js', import.meta.url);
  const pool = createPool({ shards: 1, inlineUnits: 0, heapMib: 48, ...options, worker });
  pools.push(pool);
  return pool;
}
after(() => Promise.all(pools.map((pool) => pool.close(0))));

const cell = () => new Int32Array(new SharedArrayBuffer(4));

for (const how of ['exit', 'memory', 'trap'] as const) {
  test(`F43 a worker that dies of ${how} is replaced and its call retried once`, async () => {
    const pool = faulty();
    assert.equal(await pool.run('die', { how, once: cell() }), 'lived');
    assert.equal(pool.stats().retries, 1);
    assert.equal(pool.stats().shards[0]!.restarts, 1);
  });

  test(`F43 a second death of ${how} is SHARD_FAILED for that call only`, async () => {
    const pool = faulty();
    const texts = ['hello world', 'two'];
    const [before, poison, behind] = await Promise.allSettled([
      pool.countTokens(texts, 'cl100k_base'),
      pool.run('die', { how }),
      pool.countTokens(texts, 'o200k_base'),
    ]);
    assert.ok(before.status === 'fulfilled' && behind.status === 'fulfilled');
    assert.deepEqual([...before.value, ...behind.value], [2, 1, 2, 1]);
    assert.ok(poison.status === 'rejected');
    const error = poison.reason as CuratedError;
    assert.equal(error.kind, 'SHARD_FAILED');
    assert.equal(error.retryable, true);
    assert.deepEqual(error.detail, { reason: 'worker' });
    assert.deepEqual([...(await pool.countTokens(texts, 'cl100k_base'))], [2, 1]);
  });
}

test('F43 an endless loop is killed at its deadline, retried, then SHARD_FAILED; others are served', async () => {
  const pool = faulty({ deadlineMs: 1500, shards: 2 });
  await pool.countTokens(['warm'], 'cl100k_base');
  const loop = pool.run('die', { how: 'loop' });
  let ended = false;
  const rejected = assert
    .rejects(loop, { kind: 'SHARD_FAILED', detail: { reason: 'deadline' } })
    .finally(() => {
      ended = true;
    });
  assert.equal((await pool.countTokens(['hello world'], 'cl100k_base'))[0], 2);
  assert.ok(!ended, 'the other shard answers while one loops');
  await rejected;
  assert.equal(pool.stats().shardFailed, 1);
  assert.equal((await pool.countTokens(['hello world'], 'cl100k_base'))[0], 2);
});

test('F43 a loop that ends on the second try is answered', async () => {
  const pool = faulty({ deadlineMs: 1500 });
  assert.equal(await pool.run('die', { how: 'loop', once: cell() }), 'lived');
});

test('a payload that cannot be cloned fails alone and costs no worker', async () => {
  const pool = faulty();
  const bad = (() => 1) as unknown as number;
  const [count, refused] = await Promise.allSettled([
    pool.countTokens(['hello world'], 'cl100k_base'),
    pool.run('sleep', bad),
  ]);
  assert.ok(count.status === 'fulfilled' && count.value[0] === 2);
  assert.ok(refused.status === 'rejected');
  assert.equal((refused.reason as CuratedError).kind, 'INTERNAL');
  assert.equal(pool.stats().shards[0]!.restarts, 0);
});

test('close answers what it has, refuses what comes and ends, also when a worker loops', async () => {
  const pool = faulty();
  const held = pool.run('sleep', 50);
  const waiting = pool.countTokens(['hello world'], 'cl100k_base');
  const closed = pool.close();
  await assert.rejects(pool.countTokens(['late'], 'cl100k_base'), { kind: 'DRAINING' });
  assert.equal(await held, 50);
  assert.equal((await waiting)[0], 2);
  await closed;
  assert.equal(pool.close(), pool.close());

  const looping = faulty();
  const lost = assert.rejects(looping.run('die', { how: 'loop' }), { kind: 'DRAINING' });
  const queued = assert.rejects(looping.countTokens(['behind it'], 'cl100k_base'), { kind: 'DRAINING' });
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await looping.close(100);
  assert.ok(performance.now() - start < 4000);
  await Promise.all([lost, queued]);
});
