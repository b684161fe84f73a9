import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Bodies } from '../../src/curation/bodies.js';

const edge = 'e'.repeat(40);
/** Bodies that are equal, that differ between equal ends, and that differ at an end; some longer than a key. */
const body = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map((n) => `${edge}${n}${edge}`),
  fc.integer({ min: 0, max: 2 }).map((n) => `${edge}${'x'.repeat(9_000)}${n}${edge}`),
  fc.string({ maxLength: 3 }),
);

test('L1-14 K09 of each body the newest result before it is found, whatever it has in common with others', () => {
  fc.assert(
    fc.property(fc.array(body, { maxLength: 40 }), (texts) => {
      const bodies = new Bodies();
      texts.forEach((text, i) => {
        const expected = texts.lastIndexOf(text, i - 1);
        const told = bodies.take(i, text, (at) => texts[at]!);
        assert.equal(told, i === 0 || expected < 0 ? undefined : expected);
      });
    }),
  );
});
