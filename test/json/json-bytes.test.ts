import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonBytesRoom, writeJsonBytes } from '../../src/json/index.js';

/** All that JSON escapes, and characters of one to four bytes. */
const unit = fc.constantFrom(
  'a',
  '"',
  '\\',
  '\n',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u2028',
  'é',
  '€',
  '👍',
  ' ',
);

test('the bytes written of a string are those of its JSON text, whatever stands around them', () => {
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 60 }), fc.nat(20), (units, at) => {
      const text = units.join('');
      const room = Buffer.alloc(at + jsonBytesRoom(text.length), 0x78);
      const end = writeJsonBytes(text, room, at);
      assert.equal(room.toString('utf8', at, end), JSON.stringify(text));
      assert.equal(room.toString('utf8', 0, at), 'x'.repeat(at));
    }),
  );
});
