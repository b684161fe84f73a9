// Changes between two JSON texts: applied, they give the second one byte for byte.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyEdits, changesOf } from '../../src/json/index.js';

test('a text is told by what differs in it, and by nothing else', () => {
  const from = '{"role":"user","content":[{"type":"a","body":"long"},{"type":"b","body":1.0}]}';
  assert.deepEqual(changesOf(from, from), []);
  assert.deepEqual(changesOf(from, from.replace('"long"', '"x"')), [
    { op: 'set', path: ['content', 0, 'body'], json: '"x"' },
  ]);
  // The spelling of a number is part of the text.
  assert.deepEqual(changesOf(from, from.replace('1.0', '1')), [
    { op: 'set', path: ['content', 1, 'body'], json: '1' },
  ]);
  const marked = from.replace('"body":1.0}', '"body":1.0,"cache_control":{"type":"ephemeral"}}');
  assert.deepEqual(changesOf(from, marked), [
    { op: 'set', path: ['content', 1, 'cache_control'], json: '{"type":"ephemeral"}' },
  ]);
  assert.deepEqual(changesOf(marked, from), [{ op: 'remove', path: ['content', 1, 'cache_control'] }]);
});

test('what has no part in common, or another order of keys, is told as a whole', () => {
  assert.equal(changesOf('{"a":1}', '{"b":1}'), undefined);
  assert.equal(changesOf('{"a":1,"b":2}', '{"b":2,"a":1}'), undefined);
  assert.equal(changesOf('[1]', '[1,2]'), undefined);
  assert.deepEqual(changesOf('{"l":[1]}', '{"l":[1,2]}'), [{ op: 'set', path: ['l'], json: '[1,2]' }]);
});

test('changes of any two texts give the second, whatever white space and order they have', () => {
  const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: false });
  const text = fc.tuple(value, fc.constantFrom(0, 1)).map(([v, indent]) => JSON.stringify(v, null, indent));
  fc.assert(
    fc.property(text, text, fc.boolean(), (a, b, near) => {
      // Two texts that share most of what they hold, or any two.
      const to = near ? `{"x":${a},"y":${b}}` : b;
      const from = near ? `{"x":${a},"y":${a}}` : a;
      const changes = changesOf(from, to);
      if (changes !== undefined) assert.equal(applyEdits(from, changes), to);
    }),
    { numRuns: 500 },
  );
});
