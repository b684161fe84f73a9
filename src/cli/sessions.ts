// curated sessions: what the daemon has stored.
import type { Command } from 'commander';
import { printJson, say, withClient } from './connection.js';
import { table, whole } from './table.js';

export function register(program: Command): void {
  program
    .command('sessions')
    .description('list the sessions')
    .option('--ids', 'their ids alone, one a line')
    .option('--json', 'as JSON')
    .action(async (o: { ids?: boolean; json?: boolean }) => {
      const { sessions } = await withClient((c) => c.call('session.list', {}));
      if (o.json === true) {
        printJson({ sessions });
        return;
      }
      const newest = [...sessions].sort((a, b) => Number(b.updated_at) - Number(a.updated_at));
      if (o.ids === true) {
        for (const s of newest) say(s.session);
        return;
      }
      if (newest.length === 0) {
        say('no sessions yet');
        return;
      }
      const rows = newest.map((s) => [
        s.session,
        s.model,
        whole(s.turn),
        whole(s.seq),
        whole(s.tokens),
        s.connected ? 'yes' : '',
        new Date(Number(s.updated_at)).toISOString().replace('T', ' ').slice(0, 19),
      ]);
      process.stdout.write(
        table(
          [
            { title: 'session' },
            { title: 'model' },
            { title: 'turns', right: true },
            { title: 'events', right: true },
            { title: 'tokens', right: true },
            { title: 'connected' },
            { title: 'last used (UTC)' },
          ],
          rows,
        ),
      );
    });
}
