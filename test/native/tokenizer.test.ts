// The tokenizer's calls against plain counting and the reference: parts, limits, cuts, growth, threads.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { attach, type Encoding, loadTables, reclaim } from '../../native/index.js';
import { seeded } from '../../src/random.js';
import { ENCODINGS, expected } from '../parity/oracle.js';
import { randomString } from '../parity/strings.js';

const tokenizer = attach();

function randomText(seed: number, chars: number): string {
  const random = seeded(seed);
  let text = '';
  while (text.length < chars) text += randomString(random);
  return text;
}
/** Tables for a worker's data; without shared memory a worker loads its own. */
function shareable() {
  return loadTables().shared ? loadTables() : undefined;
}
const someText = fc.integer().map((seed) => randomText(seed, 1 + (Math.abs(seed) % 400)));

for (const encoding of ENCODINGS) {
  test(`countMany and countManyAt give what count gives, text by text (${encoding})`, () => {
    const random = seeded(5);
    for (const sizes of [
      [],
      [0],
      [0, 0, 3],
      Array.from({ length: 3000 }, (_, i) => i % 150),
      [70_000, 5, 200_000, 0, 9],
    ]) {
      const texts = sizes.map((n, i) => (n < 1000 ? randomString(random).slice(0, n) : randomText(i, n)));
      const wanted = texts.map((t) => tokenizer.count(t, encoding));
      assert.deepEqual([...tokenizer.countMany(texts, encoding)], wanted);
      const bytes = texts.map((t) => Buffer.from(t));
      assert.deepEqual([...tokenizer.countMany(bytes, encoding)], wanted);
      const joined = Buffer.concat(bytes);
      const shared = new Uint8Array(new SharedArrayBuffer(joined.length + 7));
      shared.set(joined, 7);
      const offsets = new Uint32Array(texts.length + 1);
      offsets[0] = 7;
      bytes.forEach((b, i) => {
        offsets[i + 1] = offsets[i]! + b.length;
      });
      assert.deepEqual([...tokenizer.countManyAt(shared, offsets, encoding)], wanted);
    }
    // Halves of a pair at a seam stay two lone surrogates.
    assert.deepEqual(
      [...tokenizer.countMany(['x\ud83d', '\ude00y'], encoding)],
      [expected('x\ud83d', encoding), expected('\ude00y', encoding)],
    );
  });

  test(`a text longer than the buffer counts as the reference counts it (${encoding})`, () => {
    for (const seed of [1, 2, 3]) {
      const text = randomText(seed, 300_000);
      const wanted = expected(text, encoding);
      assert.equal(tokenizer.count(text, encoding), wanted);
      assert.equal(tokenizer.count(Buffer.from(text), encoding), wanted);
    }
    const ascii = 'The "quick" brown fox, 12345 times.\n\n    return x;\n'.repeat(20_000);
    assert.equal(tokenizer.count(ascii, encoding), expected(ascii.slice(0, 51_000), encoding) * 20);
  });

  test(`bytes that are no UTF-8 count as a lossy decoder reads them (${encoding})`, () => {
    const cases = [
      [0xff],
      [0x61, 0xc3],
      [0xed, 0xa0, 0x80, 0x41],
      [0xe4, 0xb8],
      [0xf0, 0x9f, 0x98],
      [0xc0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
    ];
    for (const c of cases) {
      for (const bytes of [
        Uint8Array.from(c),
        Uint8Array.from([...Buffer.from('ok words '), ...c, ...Buffer.from(' more')]),
      ]) {
        const wanted = expected(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), encoding);
        assert.equal(tokenizer.count(bytes, encoding), wanted, String(c));
        assert.deepEqual(
          [...tokenizer.countManyAt(bytes, Uint32Array.of(0, bytes.length), encoding)],
          [wanted],
        );
      }
    }
    const long = Buffer.concat([Buffer.from('word '.repeat(30_000)), Buffer.from([0xff, 0x20])]);
    assert.equal(tokenizer.count(long, encoding), expected(long.toString(), encoding));
  });

  test(`countUpTo stops above its limit and is exact below it (${encoding})`, () => {
    fc.assert(
      fc.property(someText, fc.nat(400), (text, limit) => {
        const all = tokenizer.count(text, encoding);
        assert.equal(tokenizer.countUpTo(text, limit, encoding), Math.min(all, limit + 1));
      }),
      { numRuns: 300 },
    );
    const long = 'word '.repeat(4_000_000);
    const started = process.cpuUsage();
    assert.equal(tokenizer.countUpTo(long, 1000, encoding), 1001);
    const used = process.cpuUsage(started);
    assert.ok(used.user + used.system < 20_000, 'a 20 MB text over a low limit is not read to its end');
  });

  test(`truncate cuts at a code point, within the limit, and no shorter than whole tokens allow (${encoding})`, () => {
    fc.assert(
      fc.property(someText, fc.nat(150), (text, max) => {
        const cut = tokenizer.truncate(text, max, encoding);
        assert.ok(text.startsWith(cut.text));
        assert.equal(cut.tokens, expected(cut.text, encoding));
        assert.ok(cut.tokens <= max);
        const last = cut.text.charCodeAt(cut.text.length - 1);
        if (cut.text.length < text.length && (last & 0xfc00) === 0xd800) {
          assert.notEqual(text.charCodeAt(cut.text.length) & 0xfc00, 0xdc00, 'a surrogate pair is cut');
        }
        if (expected(text, encoding) <= max) assert.equal(cut.text, text);
      }),
      { numRuns: 300 },
    );
    const words = ' hello'.repeat(100_000);
    assert.deepEqual(tokenizer.truncate(words, 70_000, encoding), {
      text: ' hello'.repeat(70_000),
      tokens: 70_000,
    });
    assert.deepEqual(tokenizer.truncate('abc', 0, encoding), { text: '', tokens: 0 });
  });

  test(`an appender's total is the count of everything appended (${encoding})`, () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            someText,
            fc.string({ unit: 'binary', maxLength: 3 }),
            fc.constantFrom(' ', '\n', "'", 's', 'l', '/', '\ud83d', '\ude00'),
          ),
          { maxLength: 30 },
        ),
        (parts) => {
          const appender = tokenizer.appender(encoding);
          let all = '';
          for (const p of parts) {
            all += p;
            assert.equal(appender.append(p), expected(all, encoding), JSON.stringify(all));
          }
          assert.equal(appender.tokens, expected(all, encoding));
        },
      ),
      { numRuns: 200 },
    );
    // Two appenders and plain counts interleave on one tokenizer; long parts pass in pieces.
    const a = tokenizer.appender(encoding);
    const b = tokenizer.appender(encoding);
    const long = randomText(9, 200_000);
    a.append(long.slice(0, 150_000));
    b.append('another');
    tokenizer.count('a third', encoding);
    assert.equal(a.append(long.slice(150_000)), tokenizer.count(long, encoding));
    assert.equal(b.append(' one'), expected('another one', encoding));
  });
}

test('an appender outlives a run longer than the buffer, and is cheap again behind it', () => {
  for (const encoding of ENCODINGS) {
    const appender = tokenizer.appender(encoding);
    let all = 'Words, then ';
    appender.append(all);
    for (const part of [
      'a'.repeat(50_000),
      'b'.repeat(30_000),
      '\ud83d',
      '\ude00',
      '='.repeat(90_000),
      ' and more\n',
      '中'.repeat(70_000),
    ]) {
      all += part;
      assert.equal(appender.append(part), tokenizer.count(all, encoding));
    }
    appender.append('\nx');
    all += '\nx';
    const started = process.cpuUsage();
    for (let i = 0; i < 2000; i++) {
      appender.append(' word');
      all += ' word';
    }
    const used = process.cpuUsage(started);
    assert.equal(appender.tokens, tokenizer.count(all, encoding));
    assert.ok(used.user + used.system < 500_000);
  }
});

test('classes share out every byte and token of a text', () => {
  fc.assert(
    fc.property(someText, fc.constantFrom(...ENCODINGS), (text, encoding) => {
      const all = Object.values(tokenizer.classes(text, encoding));
      assert.equal(
        all.reduce((n, c) => n + c.tokens, 0),
        tokenizer.count(text, encoding),
      );
      assert.equal(
        all.reduce((n, c) => n + c.bytes, 0),
        Buffer.byteLength(text),
      );
    }),
    { numRuns: 200 },
  );
  const most = (text: string) =>
    Object.entries(tokenizer.classes(text, 'o200k_base')).sort((a, b) => b[1].bytes - a[1].bytes)[0]![0];
  assert.equal(
    most('The weather was fine, and so they walked along the river until noon. '.repeat(2000)),
    'prose',
  );
  assert.equal(most('  if (a[i] !== b.c) {\n    return f(x, y) + 1;\n  }\n'.repeat(3000)), 'code');
  assert.equal(most('{"name":"x","list":["a","b"],"open":true},'.repeat(3000)), 'json');
  assert.equal(most('1234567890 '.repeat(9000)), 'digits');
  assert.equal(most('人工智能是计算机科学的一个分支。日本語の文章、한국어 문장.'.repeat(2000)), 'cjk');
});

test('workers over one memory count at the same time, each right', async () => {
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.url).then(({ attach }) => {
      const t = attach(workerData.tables);
      const out = [];
      for (let round = 0; round < 30; round++) {
        for (const e of ['o200k_base', 'cl100k_base']) out.push(...t.countMany(workerData.texts, e), t.count(workerData.run, e));
      }
      t.dispose();
      parentPort.postMessage(out);
    });`;
  const url = new URL('../../native/index.js', import.meta.url).href;
  const jobs = [1, 2, 3, 4].map((n) => {
    const texts = Array.from({ length: 50 }, (_, i) => randomText(n * 100 + i, 500));
    const run = 'x='.repeat(40_000 * n) + randomText(n, 70_000);
    const worker = new Worker(script, { eval: true, workerData: { url, texts, run, tables: shareable() } });
    return new Promise<boolean>((resolve, reject) => {
      worker.once('error', reject).once('message', (out: number[]) => {
        const once = ENCODINGS.flatMap((e: Encoding) => [
          ...tokenizer.countMany(texts, e),
          tokenizer.count(run, e),
        ]);
        resolve(out.every((v, i) => v === once[i % once.length]));
      });
    });
  });
  assert.deepEqual(await Promise.all(jobs), [true, true, true, true]);
});

test('what a killed worker held is free again after reclaim', async (t) => {
  if (!loadTables().shared) return t.skip('no shared memory in this build of the core');
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.url).then(({ attach }) => {
      const held = [attach(workerData.tables), attach(workerData.tables)];
      parentPort.postMessage(held.map((t) => t.count('hello world', 'o200k_base')));
      setInterval(() => held, 1e6);
    });`;
  const url = new URL('../../native/index.js', import.meta.url).href;
  const worker = new Worker(script, { eval: true, workerData: { url, tables: loadTables() } });
  const { threadId } = worker;
  const counts = await new Promise((resolve, reject) =>
    worker.once('error', reject).once('message', resolve),
  );
  assert.deepEqual(counts, [2, 2]);
  await worker.terminate();
  assert.equal(reclaim(loadTables(), threadId), 2);
  assert.equal(reclaim(loadTables(), threadId), 0);
});

test('a released region is cleared and used again; a disposed tokenizer refuses', () => {
  const sizes: number[] = [];
  for (let i = 0; i < 20; i++) {
    const t = attach();
    assert.equal(t.count('hello world', 'o200k_base'), 2);
    t.dispose();
    assert.throws(() => t.count('x', 'o200k_base'), { kind: 'INTERNAL' });
    sizes.push(loadTables().memory.buffer.byteLength);
  }
  assert.equal(sizes[19], sizes[0]);
  assert.throws(() => tokenizer.count('x', 'p50k_base' as Encoding), { kind: 'UNSUPPORTED' });
});
