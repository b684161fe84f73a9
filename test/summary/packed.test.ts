// Messages in shared memory: they come over as they are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countHere } from '../../src/pool/count-core.js';
import { createPool } from '../../src/pool/pool.js';
import { extract } from '../../src/summary/extractive.js';
import { packSources, unpackSources } from '../../src/summary/packed.js';
import type { SourceMessage } from '../../src/summary/source.js';
import { extractIn } from '../../src/summary/task.js';
import { called, said } from './fixtures.js';

/** Any UTF-16: one byte, two bytes, halves of pairs. */
const text = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0xffff })), { maxLength: 30 })
  .map((units) => String.fromCharCode(...units));
const message: fc.Arbitrary<SourceMessage> = fc.record(
  {
    at: fc.nat(1_000_000),
    turn: fc.nat(10_000),
    role: fc.constantFrom('user', 'assistant', 'system', 'tool'),
    text,
    calls: fc.array(fc.record({ id: text, tool: text, args: text }, { noNullPrototype: true }), {
      maxLength: 3,
    }),
    results: fc.array(
      fc.record({ id: text, tool: text, text, error: fc.boolean() }, { noNullPrototype: true }),
      { maxLength: 3 },
    ),
  },
  { noNullPrototype: true },
);

test('L4-11 packed messages are the same when they are unpacked, whatever UTF-16 is in them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 40 }), async (messages) => {
      assert.deepEqual(unpackSources(await packSources(messages)), messages);
    }),
    { numRuns: 200 },
  );
});

test('L4-11 a long history is packed, and its extract is the one that this thread makes; a short one stays here', async () => {
  const round = (n: number) => [
    said(
      3 * n,
      n % 4 === 0 ? 'user' : 'assistant',
      `We decided on option ${n} \ud83d\ude00 \udc00 because of ${n}.`,
    ),
    ...called(
      3 * n + 1,
      'Read',
      { path: `src/a${n}.ts` },
      `error ${n}: no such file\n`.repeat(20),
      n % 5 === 0,
    ),
  ];
  const pool = createPool({ shards: 1 });
  try {
    for (const rounds of [2, 60]) {
      const messages = Array.from({ length: rounds }, (_, n) => round(n)).flat();
      const before = pool.stats().inlineCalls;
      const there = await extractIn(pool, { messages, budget: 400, encoding: 'o200k_base' });
      const here = extract(messages, 400, (t) => countHere([t], 'o200k_base')[0]!);
      assert.deepEqual(there, here);
      assert.equal(pool.stats().inlineCalls - before, rounds === 2 ? 1 : 0);
    }
  } finally {
    await pool.close();
  }
});
