// How a command fails: one message, a hint, an exit code; never a stack.
import { ClientError } from '../client/errors.js';
import { CuratedError } from '../errors.js';
import { fileFault } from '../named-file.js';
import { hasSaid } from './connection.js';
import { paint } from './paint.js';

/** Exit codes of the command line. */
export const EXIT = {
  ok: 0,
  /** Something was found wrong, or the call failed. */
  failed: 1,
  /** The command line itself was wrong, or the configuration that a start needs. */
  usage: 2,
  /** `start` beside a live daemon (PROTOCOL 9). */
  alreadyRunning: 3,
} as const;

/** A failure with what to do about it. */
export class CommandError extends Error {
  readonly hint: string | undefined;
  readonly exit: number;

  constructor(message: string, o: { hint?: string; exit?: number } = {}) {
    super(message);
    this.name = 'CommandError';
    this.hint = o.hint;
    this.exit = o.exit ?? EXIT.failed;
  }
}

/** Prints the failure on stderr, and with `--json` as one value on stdout too: {error: {message, kind, path?, detail?, hint?}}. Gives the exit code. */
export function report(e: unknown, args: readonly string[] = process.argv.slice(2)): number {
  const { message, hint, exit } = describeFailure(e, args);
  if (args.includes('--json') && !hasSaid()) {
    const { kind, path, detail } = told(e);
    process.stdout.write(`${JSON.stringify({ error: { message, kind, path, detail, hint } })}\n`);
  }
  process.stderr.write(`${paint.red('curated:')} ${message}\n`);
  if (hint !== undefined) process.stderr.write(`${paint.dim('hint:')} ${hint}\n`);
  return exit;
}

/** A command line that the parser refused, and told on stderr: with `--json` as one value on stdout too. */
export function misused(e: Error, args: readonly string[] = process.argv.slice(2)): number {
  const message = e.message.replace(/^error: /, '');
  if (args.includes('--json'))
    process.stdout.write(`${JSON.stringify({ error: { message, kind: 'USAGE' } })}\n`);
  return EXIT.usage;
}

/** What a script tells failures apart by. */
function told(e: unknown): { kind: string; path?: string | undefined; detail?: unknown } {
  if (e instanceof CuratedError) return { kind: e.kind, path: e.path, detail: e.detail };
  if (e instanceof CommandError) return { kind: EXIT_KINDS[e.exit] ?? 'FAILED' };
  const { code, path } = e as NodeJS.ErrnoException;
  return { kind: code ?? 'FAILED', path };
}

/** Of failures that have no kind of their own. */
const EXIT_KINDS: Record<number, string> = {
  [EXIT.usage]: 'USAGE',
  [EXIT.alreadyRunning]: 'ALREADY_RUNNING',
};

function describeFailure(
  e: unknown,
  args: readonly string[],
): { message: string; hint?: string | undefined; exit: number } {
  if (e instanceof CommandError) return e;
  if (e instanceof ClientError) return { message: e.message, hint: CLIENT_HINTS[e.code], exit: EXIT.failed };
  if (e instanceof CuratedError) {
    const exit = e.kind === 'CONFIG' ? EXIT.usage : EXIT.failed;
    return { message: `${e.message} (${e.kind})`, hint: kindHint(e), exit };
  }
  const error = e as NodeJS.ErrnoException;
  const hint = error.code === undefined ? undefined : SYSTEM_HINTS[error.code];
  // A file that the command line names and that is not there, or is none: the command line is wrong.
  const isNamed = NO_FILE.has(error.code ?? '') && error.path !== undefined && args.includes(error.path);
  const exit = isNamed ? EXIT.usage : EXIT.failed;
  return { message: fileFault(error) ?? error.message ?? String(e), hint, exit };
}

/** Of what is called CONFIG only the faults of a configuration file are for `config check`: the others are of files and ports. */
function kindHint(e: CuratedError): string | undefined {
  if (e.kind !== 'CONFIG') return KIND_HINTS[e.kind];
  const inFile = (e.detail as { errors?: unknown } | undefined)?.errors !== undefined;
  return inFile
    ? 'curated config check FILE names every fault with its line'
    : 'curated doctor looks at folders, tokens and sockets';
}

const CLIENT_HINTS: Partial<Record<ClientError['code'], string>> = {
  TIMEOUT: 'curated status tells whether the daemon is busy',
  CONNECTION_LOST: 'curated doctor looks at what is left of it',
};

const KIND_HINTS: Partial<Record<CuratedError['kind'], string>> = {
  UNKNOWN_SESSION: 'curated sessions lists the sessions there are',
  SUPERSEDED: 'an agent holds the session; --force where the command has it takes it away',
  STORAGE_FULL: 'make room on that disk; curated doctor tells how much the one of the data folder has left',
};

const NO_FILE: ReadonlySet<string> = new Set(['ENOENT', 'EISDIR', 'ENOTDIR']);

const SYSTEM_HINTS: Record<string, string> = {
  EADDRINUSE: 'another program listens there; take another --port, or --port 0 for any free one',
  EACCES: 'check its permissions; curated doctor looks at those of the folders of curated',
  ENOENT: 'check the path',
  EISDIR: 'name a file',
  ENOTDIR: 'check the path',
  ENOSPC: 'make room there, or name a place on another disk',
  EDQUOT: 'make room there, or name a place on another disk',
  EROFS: 'name a place that can be written',
  EPERM: 'check who owns it and its permissions',
  EEXIST: 'what is there is never written over: name another',
};
