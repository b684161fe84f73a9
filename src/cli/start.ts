// curated start: the daemon in the foreground, or detached.

import { startDaemon } from '../daemon.js';
import { AlreadyRunningError } from '../gate/index.js';
import { resolvePaths } from '../paths.js';

export interface StartOptions {
  config?: string;
  port?: number;
  socket?: string;
  detach?: boolean;
}

/** Exit code of a start beside a live daemon (PROTOCOL 9). */
const ALREADY_RUNNING = 3;

export async function start(o: StartOptions): Promise<number> {
  const found = resolvePaths();
  const paths = o.config === undefined ? found : { ...found, config: o.config };
  try {
    const daemon = await startDaemon({
      paths,
      port: o.port,
      socket: o.socket,
      testClock: process.env['CURATED_TEST_CLOCK'] === '1',
    });
    process.stdout.write(`curated listens on ${daemon.url} and ${daemon.socket}\n`);
    const stop = () => void daemon.stop();
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('SIGHUP', () => daemon.reload());
    await daemon.ended;
    return 0;
  } catch (e) {
    if (e instanceof AlreadyRunningError) {
      process.stderr.write(`${e.message}\n`);
      return ALREADY_RUNNING;
    }
    throw e;
  }
}
