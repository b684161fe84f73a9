// 20,000 crash points in the suite; `node dist/test/journal/crash-points-long.js` runs a million.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashPoints } from './crash-model.js';

test('F44 20,000 crash points: what comes back is a prefix with every acknowledged group', () => {
  assert.ok(crashPoints(20_000, 1) >= 20_000);
});

for (const omit of ['sync', 'cut'] as const) {
  test(`F45 a store that leaves out its ${omit} is found out within 20,000 crash points`, () => {
    assert.throws(() => crashPoints(20_000, 1, { omit }));
  });
}

test('F45 a start that leaves out the redo log is found out within 20,000 crash points', () => {
  assert.throws(() => crashPoints(20_000, 1, undefined, true), /were acknowledged/);
});
