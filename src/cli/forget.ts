// curated forget: a session erased, with its archives, texts, handles and what the search knows of it.
import type { Command } from 'commander';
import { printJson, say, withClient } from './connection.js';

export function register(program: Command): void {
  program
    .command('forget')
    .description('erase a session for good: journal, archives, texts, handles, search')
    .argument('<session>', 'id of the session')
    .option('--force', 'also while an agent holds it; that one is told')
    .option('--json', 'as JSON')
    .action(async (session: string, o: { force?: boolean; json?: boolean }) => {
      const force = o.force === true ? { force: true } : {};
      const { erased } = await withClient((c) => c.call('session.forget', { session, ...force }));
      if (o.json === true) printJson({ session, erased });
      else say(`${session}: erased, with its archives and whatever no other session holds of its texts`);
    });
}
