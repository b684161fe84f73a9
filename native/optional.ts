// Vocabularies beside the built-in ones: where their tables are kept, how they are made from a package that is installed,
// and the counter over them. Each thread that counts with one holds its tables (6 to 8 MB) and a region.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CuratedError, fail } from '../src/errors.js';
import { tokenizersFolder } from '../src/paths.js';
import { OPTIONAL_VOCABULARIES, type OptionalEncoding } from './encodings.js';
import { readTables, type SharedTables, TABLES_VERSION } from './tables.js';

/** The file with the tables of a vocabulary, whether it exists or not. */
export function vocabularyFile(name: OptionalEncoding, folder = tokenizersFolder()): string {
  return join(folder, `${name}.v${TABLES_VERSION}.bin`);
}

/** Can texts be counted with it now? */
export function hasVocabulary(name: OptionalEncoding): boolean {
  return existsSync(vocabularyFile(name));
}

/** Its tokenizer.json in the package, where that is installed beside this one or beside the working folder. */
export function vocabularySource(name: OptionalEncoding): string | undefined {
  const { package: from } = OPTIONAL_VOCABULARIES[name];
  for (const base of [import.meta.url, join(process.cwd(), 'package.json')]) {
    for (const folder of createRequire(base).resolve.paths(from) ?? []) {
      const file = join(folder, from, 'models', 'tokenizer.json');
      if (existsSync(file)) return file;
    }
  }
  return undefined;
}

/**
 * Makes the tables of a vocabulary in a process of its own (seconds, some 300 MB). Resolves with the file.
 * @param source a tokenizer.json; by default the installed package's
 * Throws UNSUPPORTED where there is no package, or its vocabulary is of another kind than the core counts exactly.
 */
export function addVocabulary(name: OptionalEncoding, source = vocabularySource(name)): Promise<string> {
  const { package: from } = OPTIONAL_VOCABULARIES[name];
  if (source === undefined)
    return Promise.reject(new CuratedError('UNSUPPORTED', `${from} is not installed: npm install ${from}`));
  const out = vocabularyFile(name);
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [packer(), source, out], (error, _stdout, stderr) => {
      if (error === null) return resolve(out);
      const why = /^Error: (.*)$/m.exec(stderr)?.[1] ?? error.message;
      reject(new CuratedError('UNSUPPORTED', `${source}: ${why}`));
    });
  });
}

/** The tables of a vocabulary, into memory of this thread's own. */
export function optionalTables(name: OptionalEncoding): SharedTables {
  const file = vocabularyFile(name);
  if (!existsSync(file))
    fail('UNSUPPORTED', `the vocabulary ${name} is not there: curated tokenizers add ${name}`);
  return readTables(file, false);
}

/** native/packer/add.mjs, from dist/native/ or native/. */
function packer(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = here.replaceAll('\\', '/').endsWith('dist/native') ? join(here, '..', '..', 'native') : here;
  return join(root, 'packer', 'add.mjs');
}
