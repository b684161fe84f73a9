// RFC 8785 against its own examples and against a second, simpler implementation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalize, canonicalText } from '../../src/json/index.js';
import { jsonText } from './arbitrary.js';

/** Independent: sorts by a comparison of code unit arrays and lets JSON.stringify walk sorted entries. */
function simple(v: unknown): string {
  if (Array.isArray(v)) return `[${v.map(simple).join()}]`;
  if (v === null || typeof v !== 'object') return JSON.stringify(v);
  const entries = Object.entries(v).sort(([a], [b]) => {
    for (let i = 0; i < Math.min(a.length, b.length); i++)
      if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i);
    return a.length - b.length;
  });
  return `{${entries.map(([k, x]) => `${JSON.stringify(k)}:${simple(x)}`).join()}}`;
}

test('canonicalize equals an independent implementation and is idempotent', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const once = canonicalize(text);
      assert.equal(once, simple(JSON.parse(text)));
      assert.equal(canonicalize(once), once);
      assert.deepEqual(JSON.parse(once), JSON.parse(JSON.stringify(JSON.parse(text))));
    }),
  );
});

test('NS-18 the form that is put together from slices of the text is the one that is made of its value', () => {
  fc.assert(fc.property(jsonText, (text) => assert.equal(canonicalText(text), canonicalize(text))));
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${40 - i}`, [i / 8]]));
  for (const text of [
    '{"b":1,"a":2,"b":{"d":1,"c":-0}}',
    ' { "z" : [ 1.0 , "\\u0041\\/" , { } ] , "\\u0061" : [ ] } ',
    '{"b":"\ud800","\udc00":1e400,"a":123456789012345678}',
    '{"ab":1,"a":2,"":3,"abc":true,"Z":null}',
    JSON.stringify(many),
    `${'[{"b":1,"a":'.repeat(490)}7${'}]'.repeat(490)}`,
  ])
    assert.equal(canonicalText(text), canonicalize(text));
  assert.throws(() => canonicalText('['.repeat(5_000) + ']'.repeat(5_000)), { kind: 'BAD_FRAME' });
});

test('canonicalize gives the example of RFC 8785, section 3.2.4', () => {
  const text =
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
    '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}';
  assert.equal(
    canonicalize(text),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('canonicalize sorts by UTF-16 code units and keeps lone surrogates as escapes', () => {
  assert.equal(
    canonicalize('{"\\u20ac":1,"\\ufb33":2,"\\ud83d\\ude00":3,"1":4,"\\u0080":5,"10":6,"2":7}'),
    '{"1":4,"10":6,"2":7,"\u0080":5,"€":1,"😀":3,"\ufb33":2}',
  );
  assert.equal(canonicalize('"\\uD83D"'), '"\\ud83d"');
  assert.equal(canonicalize('[-0, 1.0, 1e400]'), '[0,1,null]');
});

test('F22 canonicalize refuses what is no JSON and what is too deep with BAD_FRAME', () => {
  assert.throws(() => canonicalize('{'), { kind: 'BAD_FRAME' });
  assert.throws(() => canonicalize('['.repeat(5_000) + ']'.repeat(5_000)), { kind: 'BAD_FRAME' });
});
