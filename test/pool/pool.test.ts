import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { get_encoding } from '@dqbd/tiktoken';
import fc from 'fast-check';
import type { BuiltInEncoding as Encoding } from '../../native/index.js';
import { CuratedError } from '../../src/errors.js';
import { createPool, type Pool, type PoolOptions } from '../../src/pool/pool.js';
import type {} from './faulty-worker.js';

const pools: Pool[] = [];
function open(options: PoolOptions = {}): Pool {
  const pool = createPool(options);
  pools.push(pool);
  return pool;
}
after(() => Promise.all(pools.map((pool) => pool.close(0))));

const ENCODINGS: Encoding[] = ['o200k_base', 'cl100k_base'];
const oracle = { o200k_base: get_encoding('o200k_base'), cl100k_base: get_encoding('cl100k_base') };
const expected = (text: string, encoding: Encoding) => oracle[encoding].encode_ordinary(text).length;

const HARD = [
  '<|endoftext|>',
  'a\0b',
  'a\rb\r',
  'שלום עולם',
  'x\ud800y\udc00',
  '\ufeffbom',
  '',
  ' ',
  '日本語テスト',
  '👨‍👩‍👧‍👦',
];

test('F31 special-token literals, NUL, lone CR, RTL and lone surrogates count as encode_ordinary, inline and in a worker', async () => {
  const inline = open({ shards: 1, inlineUnits: 1e6 });
  const worker = open({ shards: 1, inlineUnits: 0 });
  for (const encoding of ENCODINGS) {
    const want = HARD.map((text) => expected(text, encoding));
    assert.deepEqual([...(await inline.countTokens(HARD, encoding))], want);
    assert.deepEqual([...(await worker.countTokens(HARD, encoding))], want);
  }
  assert.equal(inline.stats().shards[0]!.batches, 0);
  assert.equal(worker.stats().inlineCalls, 0);
});

test('counts come back to their callers whatever the mix of calls, encodings, strings and bytes', async () => {
  const pool = open({ inlineUnits: 8, batchUnits: 4000, arenaBytes: 2048 });
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ maxLength: 200 }),
    fc.constantFrom(...HARD),
  );
  const call = fc.record({
    encoding: fc.constantFrom(...ENCODINGS),
    texts: fc.array(text, { maxLength: 12 }),
    bytes: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 12 }), async (calls) => {
      const got = await Promise.all(
        calls.map(({ texts, encoding, bytes }) =>
          pool.countTokens(bytes ? texts.map((t) => new TextEncoder().encode(t)) : texts, encoding),
        ),
      );
      for (const [i, { texts, encoding }] of calls.entries()) {
        assert.deepEqual(
          [...got[i]!],
          texts.map((t) => expected(t, encoding)),
        );
      }
    }),
    { numRuns: 150 },
  );
});

test('a text larger than the arena goes in a buffer of its own', async () => {
  const pool = open({ shards: 1, inlineUnits: 0, arenaBytes: 1024 });
  const line = 'const answer = 42; // what was the question?\n';
  const texts = [line.repeat(200), 'small', line.repeat(50)];
  assert.deepEqual(
    [...(await pool.countTokens(texts, 'o200k_base'))],
    texts.map((t) => expected(t, 'o200k_base')),
  );
});

test('what arrives while a shard is busy leaves as one task', async () => {
  const pool = open({ shards: 1, inlineUnits: 0, worker: new URL('./faulty-worker.js', import.meta.url) });
  const hold = pool.run('sleep', 100);
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = Array.from({ length: 100 }, () => pool.countTokens(['one two three'], 'cl100k_base'));
  await hold;
  for (const counts of await Promise.all(waiting)) assert.equal(counts[0], 3);
  const [shard] = pool.stats().shards;
  assert.equal(shard!.batches, 2);
  assert.equal(shard!.calls, 101);
});

test('the queue is bounded in calls and in text: BUSY, retryable, and what was taken is answered', async () => {
  const pool = open({
    shards: 1,
    inlineUnits: 0,
    maxQueuedCalls: 3,
    maxQueuedUnits: 1000,
    worker: new URL('./faulty-worker.js', import.meta.url),
  });
  const hold = pool.run('sleep', 100);
  await new Promise((resolve) => setImmediate(resolve));
  const big = pool.countTokens(['a '.repeat(5000)], 'cl100k_base');
  const byText = pool.countTokens(['b'], 'cl100k_base');
  await assert.rejects(byText, (e) => e instanceof CuratedError && e.kind === 'BUSY' && e.retryable);
  const sleeps = [pool.run('sleep', 0), pool.run('sleep', 0)];
  const byCalls = pool.run('sleep', 0);
  await assert.rejects(byCalls, { kind: 'BUSY' });
  await hold;
  assert.equal((await big)[0], expected('a '.repeat(5000), 'cl100k_base'));
  assert.deepEqual(await Promise.all(sleeps), [0, 0]);
  assert.equal(pool.stats().rejectedBusy, 2);
  assert.equal(pool.stats().queuedCalls, 0);
});

test('an unknown kind is UNSUPPORTED for its call only', async () => {
  const pool = open({ shards: 1 });
  await assert.rejects(pool.run('extract' as never, {} as never), { kind: 'UNSUPPORTED' });
  assert.equal(pool.stats().shards[0]!.restarts, 0);
});
