// Numbers of the fit: the short way gives what the long one gives.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sevenDigits } from '../../src/tokens/seven-digits.js';

test('NS-6: seven digits are those of the decimal text, whichever way a number takes', () => {
  const cents = fc.integer({ min: -2e7, max: 2e7 }).map((n) => n / 100);
  const sums = fc.array(cents, { maxLength: 5 }).map((list) => list.reduce((a, b) => a + b, 0));
  const any = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.oneof(cents, sums, any, fc.constantFrom(0, -0, 1e7, 99999.99, 100000.01)), (v) => {
      assert.ok(Object.is(sevenDigits(v), Number(v.toPrecision(7))), `${v}`);
    }),
    { numRuns: 20_000 },
  );
  assert.equal(sevenDigits(1234.56789), 1234.568);
});
