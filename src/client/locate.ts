// Finds the running daemon through run/daemon.json, and starts one if asked to.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkSocketPath, resolvePaths } from '../paths.js';
import { daemonLives } from '../process-life.js';
import { ClientError } from './errors.js';

export interface LocateOptions {
  /** Path of the daemon's unix socket. */
  socket?: string;
  /** `ws://127.0.0.1:PORT/v1`. */
  url?: string;
  /** For TCP; read from the daemon's token file when absent. */
  token?: string;
  /** In the place of CURATED_HOME. */
  home?: string;
  /** Which of the daemon's listeners to take when both are known; default unix. */
  prefer?: 'unix' | 'tcp';
  /** Start a daemon when none runs; default false. */
  autostart?: boolean;
  /** Program and arguments that start a daemon which goes on by itself; default: `start --detach` of this very build. */
  startCommand?: readonly [string, ...string[]];
  /** How long a daemon may take to start, in ms; default 15,000. */
  startMs?: number;
}

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** Where to connect: a unix socket, or TCP with a token. */
export type Address = { socket: string } | { url: string; token?: string };

interface DaemonFile {
  pid: number;
  socket?: string;
  url?: string;
  token_file?: string;
  process?: string;
}

/** Throws ClientError NOT_RUNNING when no daemon is there. */
export async function locate(o: LocateOptions): Promise<Address> {
  if (o.socket !== undefined) return { socket: checkSocketPath(o.socket) };
  if (o.url !== undefined && o.token !== undefined) return { url: o.url, token: o.token };
  let daemon = await readDaemonFile(o.home);
  if (o.url !== undefined) {
    const token = await tokenOf(daemon);
    return { url: o.url, ...(token === undefined ? {} : { token }) };
  }
  if (daemon === undefined && o.autostart === true) daemon = await start(o);
  if (daemon === undefined) throw notRunning(o.home);
  const wantsTcp = o.prefer === 'tcp' || daemon.socket === undefined;
  if (!wantsTcp) return { socket: checkSocketPath(daemon.socket!) };
  const token = o.token ?? (await tokenOf(daemon));
  if (daemon.url === undefined) throw new ClientError('NOT_RUNNING', 'the daemon has no TCP listener');
  return { url: daemon.url, ...(token === undefined ? {} : { token }) };
}

function notRunning(home: string | undefined): ClientError {
  const { daemonJson } = resolvePaths(process.env, home);
  return new ClientError(
    'NOT_RUNNING',
    `no daemon runs (${daemonJson}); start one with: curated start --detach`,
  );
}

/** The file of a daemon that lives, or undefined. */
async function readDaemonFile(home: string | undefined): Promise<DaemonFile | undefined> {
  let daemon: DaemonFile;
  try {
    daemon = JSON.parse(await readFile(resolvePaths(process.env, home).daemonJson, 'utf8')) as DaemonFile;
  } catch {
    // Absent, or half written by a daemon that is just starting: none yet.
    return undefined;
  }
  return daemonLives(daemon) ? daemon : undefined;
}

async function tokenOf(daemon: DaemonFile | undefined): Promise<string | undefined> {
  if (daemon?.token_file === undefined) return undefined;
  return (await readFile(daemon.token_file, 'utf8')).trim();
}

/** Runs the start command, then waits for the daemon.json of the daemon. */
async function start(o: LocateOptions): Promise<DaemonFile> {
  const [program, ...args] = o.startCommand ?? [process.execPath, MAIN, 'start', '--detach'];
  const env = o.home === undefined ? process.env : { ...process.env, CURATED_HOME: o.home };
  const child = spawn(program, args, {
    env,
    stdio: 'ignore',
    detached: true,
  });
  let failure: Error | undefined;
  child.once('error', (e) => {
    failure = e;
  });
  child.once('exit', (code) => {
    // 3: somebody else started one in the meantime, which is as good.
    if (code !== 0 && code !== 3) failure ??= new Error(`curated start ended with code ${code}`);
  });
  child.unref();
  const end = performance.now() + (o.startMs ?? 15_000);
  while (performance.now() < end) {
    const daemon = await readDaemonFile(o.home);
    if (daemon !== undefined) return daemon;
    if (failure !== undefined) break;
    await sleep(50);
  }
  throw new ClientError('NOT_RUNNING', 'the daemon did not start', { cause: failure });
}
