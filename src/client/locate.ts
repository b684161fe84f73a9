// Finds the running daemon through run/daemon.json, and starts one if asked to.
import { readFile } from 'node:fs/promises';
import { checkSocketPath, resolvePaths } from '../paths.js';
import { daemonLives } from '../process-life.js';
import { ClientError } from './errors.js';
import { type StartOptions, startDaemonFor } from './start-daemon.js';

export interface LocateOptions extends StartOptions {
  /** Path of the daemon's unix socket. */
  socket?: string;
  /** `ws://127.0.0.1:PORT/v1`. */
  url?: string;
  /** For TCP; read from the daemon's token file when absent. */
  token?: string;
  /** Which of the daemon's listeners to take when both are known; default unix. */
  prefer?: 'unix' | 'tcp';
  /** Start a daemon when none runs; default false. */
  autostart?: boolean;
}

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
  if (daemon === undefined && o.autostart === true)
    daemon = await startDaemonFor(o, () => readDaemonFile(o.home));
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
