// curated journal rekey: another key for an encrypted journal.
import type { Command } from 'commander';
import { readKey, rekey } from '../journal/index.js';
import { resolvePaths } from '../paths.js';
import { say } from './connection.js';
import { CommandError } from './failure.js';
import { journalPath } from './journal-checks.js';
import { journalKey } from './journal-key.js';
import { withOwnData } from './own-data.js';

export function registerRekey(journal: Command): void {
  journal
    .command('rekey')
    .description('another key for an encrypted journal; the old one is the one that the configuration names')
    .option('--key-file <file>', 'file with the new key, mode 0600')
    .option('--key-env <name>', 'environment variable with the new key')
    .action(async (o: { keyFile?: string; keyEnv?: string }) => {
      const paths = resolvePaths();
      const next = readKey(o, process.env);
      if (next === undefined) throw new CommandError('name the new key with --key-file or --key-env');
      const old = journalKey();
      if (old === undefined) throw new CommandError('the configuration names no key (journal.encrypt)');
      const path = journalPath(paths);
      await withOwnData(paths, () => rekey(path, old, next));
      say(
        `${path} opens with the new key alone: name it in journal.encrypt. Backups keep the key that they were made with.`,
      );
    });
}
