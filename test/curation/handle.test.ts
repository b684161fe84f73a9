import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { handleOf, handlePrefix } from '../../src/curation/handle.js';

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** The definition: the first bytes of the hash of a JSON list. */
function told(parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return Array.from(digest.subarray(0, 9), (b) => ALPHABET[b & 31]).join('');
}

const body = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  // Half a surrogate pair, and what is longer than one room.
  fc.constantFrom('\ud800', '"x\udc00"', '"\\n'.repeat(20_000), '€'.repeat(16_384)),
);

test('L1-12 a handle is made of the JSON of message, part and body, however long the body and whatever is in it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(99), body, (seq, part, text) => {
      const handle = handleOf('t', 's', seq, part, text);
      assert.equal(handle, `${handlePrefix('t', 's')}${told([String(seq), String(part), text])}`);
    }),
  );
});
