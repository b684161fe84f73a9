// curated promote: a session of the running daemon as an eval case (E-4).
import { existsSync, readdirSync } from 'node:fs';
import type { Command } from 'commander';
import { caseJournal, writeCase } from './case-folder.js';
import { say, withClient } from './connection.js';
import { CommandError, EXIT } from './failure.js';

interface PromoteOptions {
  name?: string;
  tag?: string[];
}

export function register(program: Command): void {
  program
    .command('promote')
    .description('write a session of the running daemon as a case for `curated eval`')
    .argument('<session>', 'its id')
    .argument('<dir>', 'folder of the case; must not hold anything yet')
    .option('--name <name>', 'of the case; default is the session')
    .option('--tag <tag...>', 'tags of the case')
    .action(async (session: string, dir: string, o: PromoteOptions) => {
      if (existsSync(dir) && readdirSync(dir).length > 0)
        throw new CommandError(`${dir} is not empty`, { exit: EXIT.usage });
      const journal = await withClient((client) => caseJournal(client, session));
      const assertions = writeCase(dir, journal, { name: o.name ?? session, tags: o.tag ?? [] });
      say(`${dir}: a case with ${assertions} assertions to start from; run \`curated eval --data ${dir}\``);
    });
}
