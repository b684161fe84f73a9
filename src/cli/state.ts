// curated state: where a session stands, or stood at any seq, and its request there.
import type { Command } from 'commander';
import { printJson, say, withClient } from './connection.js';
import { paint } from './paint.js';
import { seqNumber } from './seq-number.js';
import { counted, whole } from './table.js';

interface StateOptions {
  at?: number;
  messages?: boolean;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command('state')
    .description('show where a session stands, or stood at any event')
    .argument('<session>', 'id of the session')
    .option('--at <seq>', 'as it was there; default is now', seqNumber)
    .option('--messages', 'the messages of the request there, as JSON, one a line')
    .option('--json', 'as JSON')
    .action(async (session: string, o: StateOptions) => {
      const at = o.at === undefined ? {} : { at_seq: o.at };
      if (o.messages === true) {
        const r = await withClient((c) => c.call('session.messages', { session, view: 'curated', ...at }));
        for (const m of r.messages) say(JSON.stringify(m.message));
        return;
      }
      const s = await withClient((c) => c.call('session.state', { session, ...at }));
      if (o.json === true) return printJson(s);
      const { tokens } = s;
      say(paint.bold(`${session} at #${s.seq}, turn ${s.turn}`));
      say(`  ${counted(s.messages, 'message')} stored, ${counted(tokens.total, 'token')} in the request:`);
      say(
        `  ${whole(tokens.static)} static, ${whole(tokens.session)} of ours, ${whole(tokens.volatile)} volatile`,
      );
      const shaped = s.cleared.filter((c) => (c as { shaped?: boolean }).shaped === true).length;
      say(
        `  ${whole(s.cleared.length - shaped)} results cleared, ${whole(shaped)} shortened, ${whole(s.pruned_tools.length)} tools pruned`,
      );
      if (s.pending.length > 0) say(`  calls without a result: ${s.pending.join(', ')}`);
      if (s.undo !== undefined)
        say(`  to be taken back at the turn's end: ${s.undo.map((n) => `#${n}`).join(', ')}`);
    });
}
