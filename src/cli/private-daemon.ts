// A daemon of one's own in a folder that goes away with it: for `run` and `demo`.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { START_MS } from '../client/start-daemon.js';
import { resolvePaths } from '../paths.js';
import { readDaemonFile, until } from './daemon-file.js';
import { CommandError } from './failure.js';
import { nodeArgs } from './node-args.js';

export interface PrivateDaemon {
  /** Its CURATED_HOME. */
  home: string;
  pid: number;
  stop(): Promise<void>;
}

const STOP_MS = 10_000;

/** A child process on a free port; it ends with `stop`, or when this process ends. */
export async function startPrivateDaemon(o: { config?: string } = {}): Promise<PrivateDaemon> {
  const home = await mkdtemp(join(tmpdir(), 'curated-'));
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const config = o.config === undefined ? [] : ['--config', o.config];
  const child = spawn(process.execPath, [...nodeArgs(), main, 'start', '--port', '0', ...config], {
    env: { ...process.env, CURATED_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000);
  });
  let isGone = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      isGone = true;
      resolve();
    });
  });
  const reap = () => child.kill('SIGKILL');
  process.once('exit', reap);
  const stop = async (): Promise<void> => {
    const cut = setTimeout(reap, STOP_MS);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(cut);
    process.removeListener('exit', reap);
    await rm(home, { recursive: true, force: true });
  };
  const paths = resolvePaths(process.env, home);
  const isUp = () => readDaemonFile(paths)?.pid === child.pid;
  await until(() => isGone || isUp(), START_MS);
  if (isGone || !isUp()) {
    await stop();
    const why = said.replace(/^curated: /gm, '').trim();
    throw new CommandError(`the private daemon did not start\n${why}`.trim(), { hint: 'curated doctor' });
  }
  return { home, pid: child.pid!, stop };
}
