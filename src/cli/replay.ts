// curated replay: every request of a session rebuilt from its journal, its hash compared with the recorded one.
import type { Command } from 'commander';
import { printJson, say, withClient } from './connection.js';
import { EXIT } from './failure.js';
import { paint } from './paint.js';
import { counted } from './table.js';

export function register(program: Command): void {
  program
    .command('replay')
    .description('rebuild every request from the recorded decisions alone')
    .argument('<session>', 'id of the session')
    .option('--verify', 'exit 1 unless every request comes out as it was sent')
    .option('--json', 'as JSON')
    .action(async (session: string, o: { verify?: boolean; json?: boolean }) => {
      const r = await withClient((c) => c.call('journal.replay', { session }));
      if (o.json === true) printJson({ session, ...r });
      else {
        say(
          `${counted(r.requests, 'request')}, ${r.identical ? paint.green('all identical') : paint.red('not all identical')}`,
        );
        for (const m of r.mismatches) say(`  #${m.seq} recorded ${m.hash}, replayed ${m.replayed}`);
      }
      if (o.verify === true && !r.identical) process.exitCode = EXIT.failed;
    });
}
