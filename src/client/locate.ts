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
  /** The one listener to take; default: the unix socket, and TCP where that cannot be reached (its file was removed). */
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

/**
 * The daemon's addresses, in the order to try them. Throws ClientError NOT_RUNNING when no daemon is there, UNAUTHORIZED when the
 * daemon's file, or the token of the only way in, cannot be read.
 */
export async function locate(o: LocateOptions): Promise<[Address, ...Address[]]> {
  if (o.socket !== undefined) return [{ socket: checkSocketPath(o.socket) }];
  if (o.url !== undefined && o.token !== undefined) return [{ url: o.url, token: o.token }];
  let daemon = await readDaemonFile(o.home);
  if (o.url !== undefined) {
    const token = daemon === undefined ? undefined : await tokenOf(daemon);
    return [{ url: o.url, ...(token === undefined ? {} : { token }) }];
  }
  if (daemon === undefined && o.autostart === true)
    daemon = await startDaemonFor(o, () => readDaemonFile(o.home));
  if (daemon === undefined) throw notRunning(o.home);
  if (o.prefer === 'tcp' || daemon.socket === undefined) return [await overTcp(o, daemon)];
  const unix = { socket: checkSocketPath(daemon.socket) };
  const tcp = o.prefer === 'unix' ? undefined : await overTcp(o, daemon).catch(() => undefined);
  return tcp === undefined ? [unix] : [unix, tcp];
}

async function overTcp(o: LocateOptions, daemon: DaemonFile): Promise<Address> {
  if (daemon.url === undefined) throw new ClientError('NOT_RUNNING', 'the daemon has no TCP listener');
  const token = o.token ?? (await tokenOf(daemon));
  return { url: daemon.url, ...(token === undefined ? {} : { token }) };
}

function notRunning(home: string | undefined): ClientError {
  const { daemonJson } = resolvePaths(process.env, home);
  return new ClientError(
    'NOT_RUNNING',
    `no daemon runs (${daemonJson}); start one with: curated start --detach`,
  );
}

/** The file of a daemon that lives, or undefined. @throws ClientError UNAUTHORIZED when it is not ours to read */
async function readDaemonFile(home: string | undefined): Promise<DaemonFile | undefined> {
  const { daemonJson } = resolvePaths(process.env, home);
  let daemon: DaemonFile;
  try {
    daemon = JSON.parse(await readFile(daemonJson, 'utf8')) as DaemonFile;
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'EACCES')
      throw new ClientError('UNAUTHORIZED', `${daemonJson} cannot be read (EACCES): it is another user's`, {
        cause: e,
      });
    // Absent, or half written by a daemon that is just starting: none yet.
    return undefined;
  }
  return daemonLives(daemon) ? daemon : undefined;
}

async function tokenOf(daemon: DaemonFile): Promise<string | undefined> {
  if (daemon.token_file === undefined) return undefined;
  try {
    return (await readFile(daemon.token_file, 'utf8')).trim();
  } catch (e) {
    const { code, message } = e as NodeJS.ErrnoException;
    throw new ClientError(
      'UNAUTHORIZED',
      `the token file ${daemon.token_file} cannot be read (${code ?? message})`,
      {
        cause: e,
      },
    );
  }
}
