// Packs one vocabulary of a tokenizer package into a blob: `node add.mjs <tokenizer.json> <out>`. A process of its own,
// since it takes seconds and some 500 MB. Writes through a rename, so that a reader never sees half a file.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packTables } from './tables.mjs';
import { readTokenizerJson } from './tokenizer-json.mjs';

const data = join(dirname(fileURLToPath(import.meta.url)), '..', 'data');

/** @param json the parsed tokenizer.json. @returns the blob */
export function packTokenizerJson(json) {
  return packTables(
    { classes: join(data, 'unicode-16.txt'), punctuation: join(data, 'punctuation-16.txt') },
    [readTokenizerJson(json)],
  );
}

const [source, out] = process.argv.slice(2);
if (out !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  const blob = packTokenizerJson(JSON.parse(readFileSync(source, 'utf8')));
  mkdirSync(dirname(out), { recursive: true, mode: 0o700 });
  writeFileSync(`${out}.${process.pid}`, blob, { mode: 0o600 });
  renameSync(`${out}.${process.pid}`, out);
}
