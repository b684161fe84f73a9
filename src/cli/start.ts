// curated start: the daemon in the foreground, or detached.

import { spawn } from 'node:child_process';
import { closeSync, existsSync, fchmodSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { START_MS } from '../client/start-daemon.js';
import { AlreadyRunningError } from '../gate/index.js';
import { readText } from '../named-file.js';
import { type Paths, resolvePaths } from '../paths.js';
import { printConfig } from './config.js';
import { say } from './connection.js';
import { liveDaemon, readDaemonFile, until } from './daemon-file.js';
import { CommandError, EXIT } from './failure.js';
import { nodeArgs } from './node-args.js';
import { paint } from './paint.js';

interface StartOptions {
  config?: string;
  port?: number | 'auto';
  socket?: string;
  log?: string;
  detach?: boolean;
  printConfig?: boolean;
}

/** After so long without an answer it is said what is waited for. */
const TELL_MS = 5_000;

export function register(program: Command): void {
  program
    .command('start')
    .description('run the daemon; exits 3 when one runs already')
    .option('--config <file>', 'YAML configuration')
    .option('--port <n>', 'TCP port on 127.0.0.1; 0: any free one; auto: any free one if it is taken', portOf)
    .option('--socket <path>', 'unix socket')
    .option(
      '--log <file>',
      'write the log there, not to stderr: at most 16 MiB, and as much before it in FILE.1',
    )
    .option('--detach', 'run in the background, and return once it answers')
    .option('--print-config', 'print what it would run with, and end')
    .action(async (o: StartOptions) => {
      if (o.printConfig === true) return printConfig(o.config);
      process.exitCode = o.detach === true ? await detach(o) : await foreground(o);
    });
}

function portOf(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('a port is a whole number from 0 to 65535, or auto');
  return port;
}

async function foreground(o: StartOptions): Promise<number> {
  const found = resolvePaths();
  // The daemon and all it needs is loaded by this command alone: the others answer at once.
  const { startDaemon } = await import('../daemon.js');
  try {
    const daemon = await startDaemon({
      paths: o.config === undefined ? found : { ...found, config: existing(o.config) },
      ...(o.port === 'auto' ? { anyPort: true } : { port: o.port }),
      socket: o.socket,
      ...(o.log === undefined ? {} : { logFile: resolve(o.log) }),
      testClock: process.env['CURATED_TEST_CLOCK'] === '1',
    });
    const stop = () => void daemon.stop();
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('SIGHUP', () => daemon.reload());
    const places = [daemon.url, daemon.socket].filter((p) => p !== undefined);
    // Whoever read that line may go: the daemon stays.
    process.stdout.removeAllListeners('error').on('error', () => {});
    say(`curated listens on ${places.join(' and ')}`);
    await daemon.ended;
    return EXIT.ok;
  } catch (e) {
    if (e instanceof AlreadyRunningError) throw alreadyRunning(e.message, e.where !== found.data);
    throw e;
  }
}

/** A file named on the command line must be there; the default one need not. */
function existing(file: string): string {
  readText(file);
  return file;
}

/** @param isOthers the data folder is free: what has the port or the socket is the daemon of another CURATED_HOME, or of another user */
function alreadyRunning(message: string, isOthers = false): CommandError {
  return new CommandError(message, {
    hint: isOthers
      ? 'it is not the one of this data folder: take another --port (auto: any free one) or --socket'
      : 'curated status tells of it; curated stop ends it',
    exit: EXIT.alreadyRunning,
  });
}

export function logFile(paths: Paths): string {
  return join(paths.run, 'daemon.log');
}

async function detach(o: StartOptions): Promise<number> {
  const paths = resolvePaths();
  const live = liveDaemon(paths);
  if (live !== undefined) throw alreadyRunning(`already running: pid ${live.pid}`);
  mkdirSync(paths.run, { recursive: true, mode: 0o700 });
  const file = o.log === undefined ? logFile(paths) : resolve(o.log);
  // What a daemon that ended said last is kept for once: it is what one looks for after a crash.
  if (existsSync(file)) renameSync(file, `${file}.1`);
  const log = openSync(file, 'a', 0o600);
  fchmodSync(log, 0o600);
  const args = [
    ...(o.config === undefined ? [] : ['--config', o.config]),
    ...(o.port === undefined ? [] : ['--port', String(o.port)]),
    ...(o.socket === undefined ? [] : ['--socket', o.socket]),
    // The same file: what the log is not asked for, such as a crash, comes by stderr.
    '--log',
    file,
  ];
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const child = spawn(process.execPath, [...nodeArgs(), main, 'start', ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let code: number | undefined;
  child.once('error', () => {
    code = EXIT.failed;
  });
  child.once('exit', (exit) => {
    code = exit ?? EXIT.failed;
  });
  const isUp = () => readDaemonFile(paths)?.pid === child.pid;
  const isDecided = () => code !== undefined || isUp();
  if (!(await until(isDecided, TELL_MS))) {
    process.stderr.write(
      `${paint.dim(`the daemon is still starting (pid ${child.pid}); its log: ${file}`)}\n`,
    );
    await until(isDecided, START_MS - TELL_MS);
  }
  if (code === undefined && isUp()) {
    child.unref();
    const { url, socket } = readDaemonFile(paths)!;
    say(`curated runs (pid ${child.pid}) on ${[url, socket].filter((p) => p !== undefined).join(' and ')}`);
    return EXIT.ok;
  }
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  // The failure from its first line on; a crash has none, and ends with what matters.
  const from = lines.findLastIndex((line) => line.startsWith('curated: '));
  const said = lines.slice(from < 0 ? -5 : from).join('\n');
  // Two were started at once, and the other one has the data folder; or another home's daemon has the port.
  if (code === EXIT.alreadyRunning)
    throw new CommandError(said.replace(/^curated: /, ''), { exit: EXIT.alreadyRunning });
  if (code === undefined) {
    child.kill('SIGTERM');
    throw new CommandError(`the daemon did not answer within ${START_MS / 1000} s`, {
      hint: `its log: ${file}`,
    });
  }
  const exit = code === 0 ? EXIT.failed : code;
  if (said === '')
    throw new CommandError(`the daemon did not start, and its log is empty: ${file}`, {
      hint: 'on a full disk it cannot write one; curated start, in the foreground, says why',
      exit,
    });
  throw new CommandError(`the daemon did not start\n${said}`, { exit });
}
