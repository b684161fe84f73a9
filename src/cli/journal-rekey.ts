// curated journal rekey: another key for an encrypted journal, or a first one for a plain one.
import type { Command } from 'commander';
import { journalIsSealed, readKey, rekey } from '../journal/index.js';
import { resolvePaths } from '../paths.js';
import { printJson, say } from './connection.js';
import { CommandError, EXIT } from './failure.js';
import { journalPath } from './journal-checks.js';
import { journalKey } from './journal-key.js';
import { withOwnData } from './own-data.js';
import { sealData, wipePlain } from './seal-data.js';
import { counted } from './table.js';

export function registerRekey(journal: Command): void {
  journal
    .command('rekey')
    .description(
      'another key for an encrypted journal; a plain journal is encrypted, by the key named here or in the configuration',
    )
    .option('--key-file <file>', 'file with the new key, mode 0600')
    .option('--key-env <name>', 'environment variable with the new key')
    .option('--json', 'as JSON')
    .action(async (o: { keyFile?: string; keyEnv?: string; json?: boolean }) => {
      const paths = resolvePaths();
      const path = journalPath(paths);
      const [named, old] = [readKey(o, process.env), journalKey()];
      const next = named ?? old;
      if (next === undefined)
        throw new CommandError('name the new key with --key-file or --key-env', { exit: EXIT.usage });
      await withOwnData(paths, () => {
        if (!journalIsSealed(path)) {
          const { sessions, events } = sealData(paths, next);
          if (o.json === true) return printJson({ journal: path, done: 'encrypted', sessions, events });
          say(
            `${path} is encrypted: ${counted(sessions, 'journal')} with ${counted(events, 'event')}, read back.`,
          );
          if (old === undefined) say('Name the key in journal.encrypt before the next start.');
          say('Backups and copies that were made before are in plain text still.');
          return;
        }
        // Of an encryption that was cut off at its end.
        wipePlain(paths);
        if (named === undefined)
          return o.json === true
            ? printJson({ journal: path, done: 'nothing' })
            : say(`${path} is encrypted already.`);
        if (old === undefined) throw new CommandError('the configuration names no key (journal.encrypt)');
        rekey(path, old, named);
        if (o.json === true) return printJson({ journal: path, done: 'rekeyed' });
        say(
          `${path} opens with the new key alone: name it in journal.encrypt. Backups keep the key that they were made with.`,
        );
      });
    });
}
