// The seed's rule over vectors.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cosine } from '../../src/pool/vectors.js';
import { type Rolling, rollingStep } from '../../src/topics/centroid.js';

test('L3-4 the golden: seed, mean, shift', () => {
  let state: Rolling | undefined;
  const step = (v: number[], threshold = 0.55) => {
    const r = rollingStep(state, v, threshold, cosine);
    state = r.state;
    return r.verdict;
  };
  assert.deepEqual(step([1, 0]), { shift: false, similarity: 0 });
  const second = step([0.6, 0.8]);
  assert.equal(second.shift, false);
  assert.ok(Math.abs(second.similarity - 0.6) < 1e-6);
  assert.deepEqual(
    [...state!.centroid].map((x) => Math.round(x * 1e6) / 1e6),
    [0.8, 0.4],
  );
  assert.equal(state!.n, 2);
  const third = step([0, 1]);
  assert.equal(third.shift, true);
  assert.ok(Math.abs(third.similarity - 0.447214) < 1e-6);
  assert.equal(state!.n, 1);
});

test('L3-4 the comparison is strict: the same vector at threshold 1 is no shift', () => {
  const { state } = rollingStep(undefined, [1, 0], 1, cosine);
  assert.equal(rollingStep(state, [1, 0], 1, cosine).verdict.shift, false);
});

test('L3-5 cosine of unequal lengths, empty or zero vectors is 0', () => {
  assert.equal(cosine([1, 0], [1, 0, 0]), 0);
  assert.equal(cosine([], []), 0);
  assert.equal(cosine([0, 0], [1, 0]), 0);
});
