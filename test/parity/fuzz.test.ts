// Counts of random strings against the reference. Long form: node dist/test/parity/long.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attach } from '../../native/index.js';
import { seeded } from '../../src/random.js';
import { ENCODINGS, expected, smallest } from './oracle.js';
import { randomString } from './strings.js';

const tokenizer = attach();

for (const encoding of ENCODINGS) {
  test(`F31 200,000 random strings count as the reference counts them (${encoding})`, () => {
    const random = seeded(encoding === 'o200k_base' ? 31 : 32);
    const differs = (t: string) => tokenizer.count(t, encoding) !== expected(t, encoding);
    let chars = 0;
    for (let i = 0; i < 200_000; i++) {
      const text = randomString(random);
      chars += text.length;
      if (differs(text)) assert.fail(`${JSON.stringify(smallest(text, differs))} differs (string ${i})`);
    }
    assert.ok(chars > 2_000_000);
  });

  test(`F31 special literals, NUL, lone CR, BOM, RTL and lone surrogates are plain text (${encoding})`, () => {
    const texts = [
      '',
      ' ',
      'a',
      '<|endoftext|>',
      'x<|endoftext|>y',
      '<|fim_prefix|><|endofprompt|>',
      '\0',
      '\0\0\0',
      'a\rb\r\rc',
      '\r',
      '\ufeffabc',
      'a\ufeff',
      'שלום עולם',
      '\u202eabc\u202c',
      'مرحبا بالعالم',
      '\ud800',
      '\udc00',
      'a\ud800',
      '\ud800a',
      '\udc00\ud800',
      'x\ud83d',
      '\ud83d\ude00',
      "don't",
      "'S'",
      "I'LL'VE",
    ];
    for (const t of texts)
      assert.equal(tokenizer.count(t, encoding), expected(t, encoding), JSON.stringify(t));
    assert.deepEqual(
      [...tokenizer.countMany(texts, encoding)],
      texts.map((t) => expected(t, encoding)),
    );
  });

  test(`F31 a 200 KB line counts as the reference counts it (${encoding})`, () => {
    const line = '{"path":"/usr/lib/x","size":12345,"note":"don\'t — 中文 é"},'.repeat(3_500);
    assert.equal(tokenizer.count(line, encoding), expected(line, encoding));
    assert.equal(tokenizer.count(Buffer.from(line), encoding), expected(line, encoding));
  });
}
