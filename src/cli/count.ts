// curated count: tokens of a file or of stdin, exact, without a daemon.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { attach } from '../../native/index.js';
import { readText } from '../named-file.js';
import { encodingOf } from '../tokens/encoding.js';
import { offerVocabularies } from '../vocabularies.js';
import { printJson, say } from './connection.js';
import { CommandError } from './failure.js';

export function register(program: Command): void {
  program
    .command('count')
    .description('count the tokens of a file or of stdin')
    .argument('[file]', 'text; stdin when absent or -')
    .option('--model <id>', 'whose tokens', 'gpt-5.4')
    .option('--json', 'as JSON')
    .action((file: string | undefined, o: { model: string; json?: boolean }) => {
      const text = input(file);
      offerVocabularies();
      const { encoding, exact } = encodingOf(o.model);
      const tokenizer = attach();
      try {
        const tokens = tokenizer.count(text, encoding);
        if (o.json === true) printJson({ tokens, encoding, exact, model: o.model });
        else
          say(
            `${tokens} ${tokens === 1 ? 'token' : 'tokens'} (${encoding}${exact ? '' : `, an estimate for ${o.model}`})`,
          );
      } finally {
        tokenizer.dispose();
      }
    });
}

function input(file: string | undefined): string {
  if ((file === undefined || file === '-') && process.stdin.isTTY === true)
    throw new CommandError('nothing to count', { hint: 'name a file, or pipe a text in' });
  return file === undefined || file === '-' ? readFileSync(0, 'utf8') : readText(file);
}
