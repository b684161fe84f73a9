// Encodings without tables: the reference behind a cap on unbroken runs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get_encoding } from '@dqbd/tiktoken';
import { parts } from '../../native/fallback.js';
import { fallbackCount, fallbackEncodings } from '../../native/index.js';
import { seeded } from '../../src/random.js';
import { randomString } from '../parity/strings.js';

test('encodings without tables count as the reference counts them', async () => {
  const random = seeded(77);
  for (const encoding of fallbackEncodings()) {
    const reference = get_encoding(encoding as 'p50k_base');
    for (let i = 0; i < 200; i++) {
      const text = randomString(random);
      assert.equal(fallbackCount(text, encoding), reference.encode_ordinary(text).length);
    }
    reference.free();
  }
  assert.throws(() => fallbackCount('x', 'no_such_base'), { kind: 'UNSUPPORTED' });
});

test('F30 overlong runs are cut: every part is bounded, nothing is lost, no pair is split', async () => {
  const run = '😀'.repeat(5000);
  const text = `head ${'a'.repeat(10_000)} ${' '.repeat(5000)}\n${run}${'='.repeat(3000)} ${'word '.repeat(500_000)}tail`;
  const list = [...parts(text)];
  assert.equal(list.join(''), text);
  assert.ok(list.every((p) => p.length <= 1 << 20 && !/\p{Cs}/u.test(p)));
  assert.ok(Math.max(...[...text.matchAll(/a{100,}/g)].map((m) => m[0].length)) === 10_000);
  assert.ok(list.every((p) => !/a{1100,}|={1100,}| {1100,}/.test(p)));
  const started = performance.now();
  assert.ok(fallbackCount('a'.repeat(200_000), 'p50k_base') > 20_000);
  assert.ok(performance.now() - started < 5000);
});
