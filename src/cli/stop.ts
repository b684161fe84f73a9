// curated stop: asks the daemon to drain and waits until it is gone.
import type { Command } from 'commander';
import { LIMITS } from '../config.js';
import { resolvePaths } from '../paths.js';
import { lives } from '../process-life.js';
import { say } from './connection.js';
import { liveDaemon, until } from './daemon-file.js';
import { CommandError, EXIT } from './failure.js';

/** The drain is cut by its own limit; the rest is closing the journal. */
const STOP_MS = LIMITS.drain_ms.default + 10_000;

export function register(program: Command): void {
  program
    .command('stop')
    .description('end the daemon: calls in flight finish, the journal is synced')
    .action(async () => {
      process.exitCode = await stop();
    });
}

async function stop(): Promise<number> {
  const live = liveDaemon(resolvePaths());
  if (live === undefined) {
    say('no daemon runs');
    return EXIT.ok;
  }
  process.kill(live.pid, 'SIGTERM');
  if (!(await until(() => !lives(live.pid, live.process), STOP_MS)))
    throw new CommandError(`the daemon (pid ${live.pid}) still runs after ${STOP_MS / 1000} s`, {
      hint: `kill -9 ${live.pid} ends it; what was acknowledged is in the journal`,
    });
  say(`stopped (pid ${live.pid})`);
  return EXIT.ok;
}
