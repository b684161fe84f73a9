// Tests of the marker expansion, of the pointers and of the session that a script makes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { caseOf, history, user } from './build.js';
import { expand } from './expand.js';
import { at, joinPointer, messageIndex, splitPointer } from './paths.js';
import { requestTokens, textTokens } from './tokens.js';
import { liveMessages, worldOf } from './world.js';

test('expand: markers at any depth, nested in each other', () => {
  const marker = { $concat: ['x', { $repeat: { text: 'ab', times: 3 } }] };
  assert.deepEqual(expand({ a: [marker, 1, null], b: { $repeat: { text: marker, times: 2 } } }), {
    a: ['xababab', 1, null],
    b: 'xabababxababab',
  });
  assert.throws(() => expand({ $repeat: { text: 1, times: 2 } }), TypeError);
});

test('expand: a value without markers stays as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (v) => {
      fc.pre(!JSON.stringify(v).includes('"$'));
      assert.deepEqual(JSON.stringify(expand(v)), JSON.stringify(v));
    }),
  );
});

test('paths: split and join are inverse, and lookup follows keys and indexes', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (parts) => {
      assert.deepEqual(splitPointer(joinPointer(parts)), parts);
    }),
  );
  assert.equal(at({ messages: [{ content: [{ 'a/b': 7 }] }] }, '/messages/0/content/0/a~1b'), 7);
  assert.equal(at({ messages: [] }, '/messages/3/content'), undefined);
  assert.equal(messageIndex('/input/12/output'), 12);
  assert.equal(messageIndex('/tools/1'), undefined);
});

test('world: append, rewind and ingest change what is live, never the addresses', () => {
  const c = caseOf([], {
    script: [
      { op: 'append', messages: [user('x')] },
      { op: 'rewind', to_message: 1 },
      { op: 'ingest', messages: [user('n')] },
    ],
  });
  const w = worldOf(c);
  assert.deepEqual(w.after(0).live, [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(w.after(1).live, [0, 1]);
  assert.deepEqual(liveMessages(w.after(2)), [user('n')]);
  assert.deepEqual(w.after(2).arrived.slice(0, 5), history());
});

test('world: sessions of two tenants do not see each other', () => {
  const address = (tenant: string) => ({ tenant, session: 's' });
  const w = worldOf(
    caseOf([], {
      script: [
        { op: 'open', ...address('A') },
        { op: 'append', messages: [user('a')], ...address('A') },
        { op: 'open', ...address('B') },
      ],
    }),
  );
  assert.equal(w.after(1).live.length, 6);
  assert.equal(w.after(2).live.length, 5);
});

test('tokens: o200k counts, long runs in bounded time, images by pixels', () => {
  assert.equal(textTokens('hello world'), 2);
  const started = performance.now();
  const dashes = textTokens('-'.repeat(200_000));
  assert.ok(Math.abs(dashes - 3125) / 3125 < 0.05, `${dashes} tokens`);
  assert.ok(performance.now() - started < 5000);
  const image = { type: 'image', source: { data: 'x' } };
  const pixels = new Map([[JSON.stringify(image.source), [1500, 1000] as const]]);
  assert.equal(requestTokens({ messages: [user([image])] }, pixels), 2000);
  assert.equal(requestTokens({ messages: [user([image])] }, new Map()), 1600);
});
