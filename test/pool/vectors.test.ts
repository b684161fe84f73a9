import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createPool } from '../../src/pool/pool.js';
import { asVector, cosine, similarities, vectorFault } from '../../src/pool/vectors.js';

const pool = createPool({ shards: 1 });
after(() => pool.close());

test('F34 a vector with a string, NaN, Infinity, null, a wrong length or zero norm is refused by name; its neighbours are answered', async () => {
  const good = [1, 0, 0];
  const bad: unknown[] = [
    ['1', 0, 0],
    [Number.NaN, 0, 0],
    [Number.POSITIVE_INFINITY, 0, 0],
    [1e39, 0, 0],
    [null, 0, 0],
  ];
  bad.push([1, 0], [0, 0, 0], [], 'abc', null, undefined, { length: 3 });
  const vectors = [good, ...bad, good] as number[][];
  const { cosines, bad: named } = await pool.run('similarity', { dims: 3, vectors, centroid: [1, 1, 0] });
  assert.deepEqual(
    named.map((b) => b.index),
    bad.map((_, i) => i + 1),
  );
  for (const { reason } of named) assert.ok(reason.length > 5);
  assert.ok(Math.abs(cosines[0]! - Math.SQRT1_2) < 1e-7);
  assert.equal(cosines[vectors.length - 1], cosines[0]);
  for (const { index } of named) assert.equal(cosines[index], 0);
});

test('F34 a bad centroid or row shape is BAD_VECTOR, inline and in a worker, and the process lives', async () => {
  const vectors = new Float32Array(3 * 5000).fill(1);
  await assert.rejects(pool.run('similarity', { dims: 3, vectors, centroid: [0, 0, 0] }), {
    kind: 'BAD_VECTOR',
    path: '/centroid',
  });
  await assert.rejects(pool.run('similarity', { dims: 3, vectors: [], centroid: [1, 2] }), {
    kind: 'BAD_VECTOR',
  });
  await assert.rejects(
    pool.run('similarity', { dims: 4, vectors: new Float32Array(5), centroid: [1, 2, 3, 4] }),
    { kind: 'BAD_VECTOR' },
  );
  await assert.rejects(pool.run('similarity', { dims: 0, vectors: [], centroid: [] }), {
    kind: 'BAD_VECTOR',
  });
  const { cosines } = await pool.run('similarity', { dims: 3, vectors, centroid: [1, 1, 1] });
  assert.equal(cosines.length, 5000);
  assert.ok(Math.abs(cosines[4999]! - 1) < 1e-7);
});

test('L3-5 cosine of unequal lengths, empty or zero-norm vectors is 0', () => {
  assert.equal(cosine([1, 2], [1, 2, 3]), 0);
  assert.equal(cosine([], []), 0);
  assert.equal(cosine([0, 0], [1, 2]), 0);
});

test('L3-5 cosine lies in [-1, 1], is symmetric and free of scale', () => {
  const vector = fc.array(fc.float({ noNaN: true, min: -1000, max: 1000 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(vector, vector, (a, b) => {
      const c = cosine(a, b);
      assert.ok(c >= -1 - 1e-9 && c <= 1 + 1e-9);
      assert.equal(c, cosine(b, a));
      if (vectorFault(a, 4) === undefined) assert.ok(Math.abs(cosine(asVector(a, 4), a) - 1) < 1e-6);
    }),
  );
});

test('similarities over packed rows equal those over lists', () => {
  const rows = [
    [1, 2],
    [3, -4],
    [0.5, 0.25],
  ];
  const packed = similarities({ dims: 2, vectors: Float32Array.from(rows.flat()), centroid: [1, 1] });
  assert.deepEqual(packed, similarities({ dims: 2, vectors: rows, centroid: [1, 1] }));
});
