// Long work in pieces: all of it, in order, with others in between.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPieces } from '../../src/pool/pieces.js';

const busy = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test('L4-11 work in pieces gives all results in order and lets others run meanwhile', async () => {
  const items = Array.from({ length: 400 }, (_, i) => i);
  const order: string[] = [];
  const done = inPieces(items, (n, i) => {
    busy(0.05);
    order.push('item');
    return n * 2 + i;
  });
  for (let i = 0; i < 5; i++) setImmediate(() => setImmediate(() => order.push('other')));
  assert.deepEqual(
    await done,
    items.map((n) => 3 * n),
  );
  assert.ok(order.indexOf('other') < order.lastIndexOf('item'), 'nobody waits for the end');
  assert.deepEqual(await inPieces([], () => 1), []);
});

test('L4-11 what one piece throws is thrown', async () => {
  await assert.rejects(
    inPieces([1, 2], (n) => {
      if (n === 2) throw new Error('two');
    }),
    /two/,
  );
});
