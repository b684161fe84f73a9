// Opens the unix socket: a private folder, a private socket, a stale one replaced, a live one respected. Knows paths, no requests.
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Server } from 'node:http';
import { dirname } from 'node:path';
import { CuratedError, fail } from '../errors.js';
import { lives } from '../process-life.js';
import { AlreadyRunningError, probe } from './already-running.js';
import { listening } from './listening.js';

const LOCK_MS = 10_000;
/** sun_path is 108 bytes on Linux (104 on macOS) with its final NUL. */
const PATH_BYTES = process.platform === 'darwin' ? 103 : 107;

/**
 * Listens at `path` with mode 0600 in a folder of mode 0700, which is made if missing.
 * @throws CuratedError CONFIG for a path too long, a folder others can enter or another file in the way; AlreadyRunningError.
 */
export async function listenUnix(server: Server, path: string, backlog: number): Promise<void> {
  const bytes = Buffer.byteLength(path);
  if (bytes > PATH_BYTES) {
    fail(
      'CONFIG',
      `socket path of ${bytes} bytes: the operating system takes at most ${PATH_BYTES}: ${path}`,
    );
  }
  privateFolder(dirname(path));
  // Two daemons that start at once would both find the socket stale, and the second unlink the first one's.
  const unlock = startLock(`${path}.lock`);
  try {
    await clearStale(path);
    const umask = process.umask(0o177);
    try {
      await listening(server, { path, backlog });
    } finally {
      process.umask(umask);
    }
    chmodSync(path, 0o600);
  } finally {
    unlock();
  }
}

function privateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const s = statSync(folder);
    const uid = process.getuid?.();
    if (uid !== undefined && s.uid !== uid)
      fail('CONFIG', `socket folder ${folder}: belongs to uid ${s.uid}, not to ${uid}`);
    if ((s.mode & 0o077) !== 0) {
      const mode = (s.mode & 0o7777).toString(8).padStart(4, '0');
      fail(
        'CONFIG',
        `socket folder ${folder}: mode is ${mode}, it must be 0700 (chmod 700 it, or choose another --socket)`,
      );
    }
  } catch (e) {
    if (e instanceof CuratedError) throw e;
    fail('CONFIG', `socket folder ${folder}: cannot be used (${(e as NodeJS.ErrnoException).code})`, {
      cause: e,
    });
  }
}

async function clearStale(path: string): Promise<void> {
  const s = lstatSync(path, { throwIfNoEntry: false });
  if (s === undefined) return;
  if (!s.isSocket()) fail('CONFIG', `socket path ${path}: something that is no socket is there`);
  const who = await probe({ path }, 'daemon').catch((e: NodeJS.ErrnoException) =>
    fail('CONFIG', `socket path ${path}: cannot be probed (${e.code})`, { cause: e }),
  );
  if (who === 'daemon') throw new AlreadyRunningError(path);
  if (who === 'stranger') fail('CONFIG', `socket path ${path}: another program listens there`);
  unlinkSync(path);
}

/** An exclusive file for the moment of starting; one that a dead process left behind is taken over. */
function startLock(path: string): () => void {
  for (let tries = 0; ; tries++) {
    try {
      makeLock(path);
      return () => unlinkSync(path);
    } catch (e) {
      const code = (e as NodeJS.ErrnoException).code;
      if (code !== 'EEXIST' || tries > 0)
        fail('CONFIG', `start lock ${path}: cannot be made (${code})`, { cause: e });
    }
    if (lockHolderLives(path)) throw new AlreadyRunningError(path);
    try {
      unlinkSync(path);
    } catch {
      // Its holder was quicker; the next try decides.
    }
  }
}

/** With its maker's pid in it from the first moment on: one that was killed between two steps leaves no lock of nobody. */
function makeLock(path: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, String(process.pid), { mode: 0o600 });
  try {
    linkSync(draft, path);
  } finally {
    unlinkSync(draft);
  }
}

function lockHolderLives(path: string): boolean {
  try {
    // Starting takes milliseconds: an old lock is a dead one, whoever has its pid by now.
    if (Date.now() - statSync(path).mtimeMs > LOCK_MS) return false;
    return lives(Number(readFileSync(path, 'utf8')));
  } catch {
    return false;
  }
}
