// curated savings: what curation has saved in production, measured against the sessions that were held out.
import type { Command } from 'commander';
import { type Group, type HoldoutReport, holdoutReport } from '../eval/live/holdout-report.js';
import { type SessionBill, sessionBill } from '../eval/live/session-bill.js';
import type { Interval } from '../eval/stats.js';
import { printJson, withClient } from './connection.js';
import { Progress } from './progress.js';
import { sessionEvents } from './session-events.js';
import { money, short, table, whole } from './table.js';

export function register(program: Command): void {
  program
    .command('savings')
    .description(
      'what curated sessions cost against held-out ones, by the providers’ reports (curated.holdout)',
    )
    .option('--seed <n>', 'of the intervals', Number, 1)
    .option('--json', 'as JSON')
    .action(async (o: { seed: number; json?: boolean }) => {
      const report = holdoutReport(await bills(), o.seed);
      if (o.json === true) printJson(report);
      else process.stdout.write(text(report));
    });
}

function bills(): Promise<SessionBill[]> {
  return withClient(async (client) => {
    const { sessions } = await client.call('session.list', {});
    const progress = new Progress(sessions.length);
    const found: SessionBill[] = [];
    try {
      for (const { session } of sessions) {
        progress.show(session);
        const events: string[] = [];
        for await (const event of sessionEvents(client, session)) events.push(event);
        found.push(sessionBill(session, events, Date.now()));
        progress.step();
      }
    } finally {
      progress.end();
    }
    return found;
  });
}

function text(r: HoldoutReport): string {
  const row = (name: string, g: Group): string[] => [
    name,
    whole(g.sessions),
    whole(g.requests),
    g.tokens_a_request === null ? '-' : short(g.tokens_a_request),
    money(g.cost),
    g.cost_a_request === null ? '-' : `$${g.cost_a_request.toFixed(4)}`,
  ];
  const rows = table(
    [
      { title: 'sessions' },
      { title: 'n', right: true },
      { title: 'requests', right: true },
      { title: 'tokens a request', right: true },
      { title: 'cost', right: true },
      { title: 'cost a request', right: true },
    ],
    [row('curated', r.curated), row('held out', r.held_out)],
  );
  if (r.held_out.sessions === 0)
    return `${rows}\nno session was held out: set curated.holdout (a share, such as 0.1) to have something to compare with\n`;
  return `${rows}\nsaved tokens ${interval(r.saved_tokens)}, saved cost ${interval(r.saved_cost)}\n`;
}

function interval(i: Interval | null): string {
  if (i === null) return 'not known yet: five sessions of each are the least';
  const p = (v: number) => (100 * v).toFixed(1);
  return `${p(i.mean)} % (95 %: ${p(i.low)} to ${p(i.high)})`;
}
