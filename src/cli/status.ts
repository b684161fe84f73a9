// curated status: what the running daemon is doing.
import type { Command } from 'commander';
import { resolvePaths } from '../paths.js';
import { printJson, say, withClient } from './connection.js';
import { liveDaemon } from './daemon-file.js';
import { redChecks } from './daemon-health.js';
import { EXIT } from './failure.js';
import { bytes, whole } from './table.js';

export function register(program: Command): void {
  program
    .command('status')
    .description('what the daemon is doing; exits 1 when none runs')
    .option('--json', 'as JSON')
    .action(async (o: { json?: boolean }) => {
      process.exitCode = await status(o.json === true);
    });
}

async function status(json: boolean): Promise<number> {
  const live = liveDaemon(resolvePaths());
  if (live === undefined) {
    if (json) printJson({ running: false });
    else say('no daemon runs; curated start --detach starts one');
    return EXIT.failed;
  }
  const s = await withClient((c) => c.call('daemon.status', {}));
  if (json) {
    printJson({ running: true, url: live.url, socket: live.socket, ...s });
    return EXIT.ok;
  }
  const memory = (s.memory ?? {}) as { rss?: number };
  const rows: [string, string][] = [
    ['running', `version ${s.version}, pid ${s.pid}, for ${duration(s.uptime_ms)}`],
    ['listens on', [live.url, live.socket].filter((p) => p !== undefined).join(' and ')],
    ['connections', `${whole(s.connections)}, this one included`],
    ['sessions', `${whole(s.sessions.open)} in memory, ${whole(s.sessions.stored)} stored`],
    ...(memory.rss === undefined ? [] : [['memory', bytes(memory.rss)] as [string, string]]),
    ...redChecks(s.health).map(([name, message]): [string, string] => ['not well', `${name}: ${message}`]),
    ...(s.draining ? [['draining', 'yes: it will end soon'] as [string, string]] : []),
  ];
  for (const [name, value] of rows) say(`${name.padEnd(12)} ${value}`);
  return EXIT.ok;
}

function duration(ms: number): string {
  const s = Math.floor(ms / 1000);
  if (s < 120) return `${s} s`;
  if (s < 7200) return `${Math.floor(s / 60)} min`;
  return s < 172_800 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86_400)} days`;
}
