// The hash chain and the blobs of payloads.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  attach,
  chain,
  detach,
  GENESIS,
  type JournalRecord,
  recordHash,
  references,
  verifyChain,
} from '../../src/journal/index.js';
import { group } from './kit.js';

test('J-1 a chain verifies, and any changed field of any record breaks it', () => {
  const records = group(GENESIS, 8);
  assert.equal(verifyChain(records), undefined);
  const changes: Partial<JournalRecord>[] = [
    { ts: 1 },
    { type: 'x' },
    { ver: 2 },
    { turn: 99 },
    { observed: true },
    { json: '{}' },
    { hash: '0'.repeat(64) },
    { prev: '0'.repeat(64) },
    { seq: 77 },
  ];
  for (let i = 0; i < records.length; i++) {
    for (const change of changes) {
      const bent = records.slice();
      bent[i] = { ...records[i]!, ...change };
      assert.equal(verifyChain(bent)?.index, i, JSON.stringify(change));
    }
  }
});

test('J-3 a payload that JSON cannot hold is recorded as __journal_error, in order', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const a = chain(GENESIS, { seq: 1, ts: 1, type: 'a', turn: 0, payload: cyclic });
  const b = chain(a, { seq: 2, ts: 2, type: 'b', turn: 0, payload: { n: 1n } });
  assert.match(String(a.payload['__journal_error']), /nested/);
  assert.match(String(b.payload['__journal_error']), /BigInt/);
  assert.equal(verifyChain([a, b]), undefined);
});

test('J-3 a record that leaves a gap is refused', () => {
  assert.throws(() => chain(GENESIS, { seq: 2, ts: 1, type: 'a', turn: 0, payload: {} }), {
    kind: 'STORAGE',
  });
});

test('J-1 the hash covers prev and the envelope text exactly', () => {
  const fields = { seq: 1, ts: 5, type: 'x"y', ver: 1, turn: 0, json: '{"a":1.0}' };
  const r = chain(GENESIS, { ...fields, payload: { a: 1 } });
  assert.equal(r.json, '{"a":1.0}');
  assert.equal(r.hash, recordHash('', fields));
});

test('J-1 the hash is that of the text, whatever the payload has and however long it is', () => {
  const piece = fc.constantFrom('a', 'é', '漢', '\ud83d\ude00', '\ud800', '\\"', '\u0000');
  const payload = fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 5 }), fc.constantFrom(1, 200, 400, 8_000, 20_000))
    .map(([pieces, times]) => JSON.stringify(pieces.join('').repeat(times)));
  fc.assert(
    fc.property(payload, fc.constantFrom('', 'f'.repeat(64)), fc.boolean(), (text, prev, observed) => {
      for (const json of [text, text.replaceAll('\\ud800', '\ud800')]) {
        const fields = { seq: 7, ts: 5, type: 'x"é', ver: 2, turn: 3, json, ...(observed && { observed }) };
        const said = observed ? ',"observed":true' : '';
        const whole = `${prev}\n{"seq":7,"ts":5,"type":"x\\"é","ver":2,"turn":3${said},"payload":${json}}`;
        assert.equal(recordHash(prev, fields), createHash('sha256').update(whole).digest('hex'));
      }
    }),
    { numRuns: 60 },
  );
});

test('J-10 detach and attach are inverse for every JSON value, lone surrogates and look-alike keys included', () => {
  const leaf = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constant('a\ud800b'.repeat(9)),
    fc.integer(),
  );
  const keys = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('$blob', '$$blob', '$blob16'));
  const tree = fc.letrec((tie) => ({
    node: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('node')), fc.dictionary(keys, tie('node'))),
  })).node;
  fc.assert(
    fc.property(tree, (value) => {
      const payload = JSON.parse(JSON.stringify({ value }));
      const { payload: small, blobs } = detach(payload, 8);
      const stored = new Map(blobs.map((b) => [b.hash, b.bytes]));
      const back = attach(JSON.parse(JSON.stringify(small)), (hash) => stored.get(hash));
      assert.deepEqual(back, payload);
      assert.deepEqual(new Set(references(small)), new Set(stored.keys()));
    }),
  );
});

test('J-9 a blob that is missing is an error, not an empty text', () => {
  const { payload } = detach({ text: 'x'.repeat(5000) });
  assert.throws(() => attach(payload, () => undefined), { kind: 'STORAGE' });
});
