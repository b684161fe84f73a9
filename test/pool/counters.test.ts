// Encodings by name: the core's, older ones by the reference in a worker, and what is not there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get_encoding } from '@dqbd/tiktoken';
import { resolveLimits } from '../../src/config.js';
import { counterOf } from '../../src/pool/counters.js';
import { createPool, poolOptions } from '../../src/pool/pool.js';

test('an older encoding is counted by the reference in a worker, behind a cap on unbroken runs', async (t) => {
  const pool = createPool(poolOptions(resolveLimits({})));
  t.after(() => pool.close());
  const reference = get_encoding('p50k_base');
  t.after(() => reference.free());
  const texts = ['fn main() { println!("hi"); }', '<|endoftext|>', '', '我们 1234'];
  assert.deepEqual(
    [...(await counterOf('p50k_base', pool)(texts))],
    texts.map((x) => reference.encode_ordinary(x).length),
  );
  // Without the cap this takes the better part of a minute.
  const [long] = await counterOf('p50k_base', pool)(['a'.repeat(200_000)]);
  assert.ok(long! >= 50_000 && long! < 50_500, `${long}`);
  assert.deepEqual([...(await counterOf('cl100k_base', pool)(['one two']))], [2]);
});

test('an unknown encoding, and a vocabulary that is not ready, are UNSUPPORTED and say what to do', () => {
  const pool = {} as Parameters<typeof counterOf>[1];
  assert.throws(() => counterOf('no_such_base', pool), { kind: 'UNSUPPORTED' });
  const home = process.env['CURATED_HOME'];
  process.env['CURATED_HOME'] = '/nowhere';
  try {
    assert.throws(() => counterOf('qwen3', pool), /curated tokenizers add qwen3/);
  } finally {
    if (home === undefined) delete process.env['CURATED_HOME'];
    else process.env['CURATED_HOME'] = home;
  }
});
