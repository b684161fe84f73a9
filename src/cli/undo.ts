// curated undo: one decision of a session taken back, from the next turn boundary.
import type { Command } from 'commander';
import { printJson, say, withClient } from './connection.js';
import { seqNumber } from './seq-number.js';

export function register(program: Command): void {
  program
    .command('undo')
    .description('take one decision back: what it cleared stands in the requests again, for good')
    .argument('<session>', 'id of the session')
    .argument('<seq>', 'of the decision, as tail and bisect print it', seqNumber)
    .option('--json', 'as JSON')
    .action(async (session: string, seq: number, o: { json?: boolean }) => {
      const done = await withClient((c) => c.call('session.undo', { session, seq }));
      if (o.json === true) return printJson({ session, ...done });
      const what = done.undoes.map((n) => `#${n}`).join(' and ');
      const when = done.applies === 'turn_end' ? 'when the running turn ends' : 'with the next request';
      say(
        `${what} taken back: ${when} the original stands in the request again, and is not cleared any more`,
      );
    });
}
