// Starts a daemon and waits for it: as long as the process that starts it lives, and says what it waits for.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { resolvePaths } from '../paths.js';
import { ClientError } from './errors.js';

export interface StartOptions {
  /** In the place of CURATED_HOME. */
  home?: string;
  /** Program and arguments that start a daemon which goes on by itself; default: `start --detach --port auto` of this very build. */
  startCommand?: readonly [string, ...string[]];
  /** How long a daemon may take to start while its process lives, in ms; default 120,000: a busy machine, a large journal. */
  startMs?: number;
  /** Told every few seconds what is waited for; default: a line on stderr where that is a terminal. */
  onWait?: (what: string) => void;
}

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
/** How long a daemon may take until it answers, while its process lives, in ms: a large journal, a busy machine. */
export const START_MS = 120_000;
/** After the command has said that the daemon is up, and it cannot be found. */
const FOUND_MS = 15_000;
const POLL_MS = 50;
const TELL_EVERY_MS = 5_000;
/** Somebody else starts one, or has the journal for a moment: the command is run again after so long. */
const AGAIN_MS = 1_000;
/** `curated start` beside a live daemon (PROTOCOL 9). */
const ALREADY_RUNNING = 3;
/** Of what the command says when it fails. */
const MOST_WORDS = 4_096;

/** @param find the daemon, once it can be connected to @throws ClientError NOT_RUNNING with what was waited for, and why it ended */
export async function startDaemonFor<T>(o: StartOptions, find: () => Promise<T | undefined>): Promise<T> {
  const began = performance.now();
  const deadline = began + (o.startMs ?? START_MS);
  const { run } = resolvePaths(process.env, o.home);
  const log = o.startCommand === undefined ? `; its log: ${join(run, 'daemon.log')}` : '';
  const tell = o.onWait ?? onTerminal;
  let told = began;
  for (let command = new Command(o); ; ) {
    const daemon = await find();
    if (daemon !== undefined) return daemon;
    const now = performance.now();
    const { failure, ended, code } = command;
    if (failure !== undefined) throw notStarted(failure);
    if (ended !== undefined && code === ALREADY_RUNNING && now > ended + AGAIN_MS) command = new Command(o);
    const what =
      code === ALREADY_RUNNING
        ? 'another process starts a daemon, or has the journal'
        : ended === undefined
          ? `the daemon is still starting (pid ${command.pid})`
          : 'the command that starts the daemon has ended, and no daemon is to be found';
    const isLost = ended !== undefined && code === 0 && now > ended + FOUND_MS;
    if (now > deadline || isLost)
      throw notStarted(new Error(`after ${Math.round((now - began) / 1000)} s ${what}${log}`));
    if (now > told + TELL_EVERY_MS) {
      told = now;
      tell(`${what}: ${Math.round((now - began) / 1000)} s so far${log}`);
    }
    await sleep(POLL_MS);
  }
}

function notStarted(cause: Error): ClientError {
  return new ClientError('NOT_RUNNING', `the daemon did not start: ${cause.message}`, { cause });
}

function onTerminal(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`curated: ${what}\n`);
}

/** One run of the command. */
class Command {
  readonly #child: ChildProcess;
  failure: Error | undefined;
  /** When it ended, and how. */
  ended: number | undefined;
  code: number | null | undefined;
  #words = '';

  constructor(o: StartOptions) {
    const [program, ...args] = o.startCommand ?? [
      process.execPath,
      MAIN,
      'start',
      '--detach',
      '--port',
      'auto',
    ];
    const env = o.home === undefined ? process.env : { ...process.env, CURATED_HOME: o.home };
    // A command of somebody else's may be the daemon itself, which would lose its stderr when this process ends.
    const stderr = o.startCommand === undefined ? 'pipe' : 'ignore';
    this.#child = spawn(program, args, { env, stdio: ['ignore', 'ignore', stderr], detached: true });
    this.#child.stderr?.setEncoding('utf8').on('data', (words: string) => {
      this.#words = (this.#words + words).slice(-MOST_WORDS);
    });
    this.#child.once('error', (e) => {
      this.failure = e;
    });
    // `close`, not `exit`: by then all that it said has been read.
    this.#child.once('close', (code) => {
      this.ended = performance.now();
      this.code = code;
      if (code === 0 || code === ALREADY_RUNNING) return;
      const why = this.#words.trim().replace(/^curated: /, '');
      this.failure ??= new Error(`curated start ended with code ${code}${why === '' ? '' : `: ${why}`}`);
    });
    this.#child.unref();
    (this.#child.stderr as unknown as { unref?(): void } | null)?.unref?.();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }
}
