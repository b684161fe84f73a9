// Files that hold what people wrote: for their owner alone. Knows no store.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CuratedError, exists } from '../errors.js';

/** Makes sure that the file exists with mode 0600, and its folder (0700 when it is made here). */
export function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

const PIECE = Buffer.alloc(1024 * 1024);

/** Proves that the disk takes so many bytes beside `path`, of which nothing stays. @throws the system's error */
export function proveRoom(path: string, bytes: number): void {
  const trial = `${path}-trial`;
  const fd = openSync(trial, 'w', 0o600);
  try {
    for (let left = bytes; left > 0; ) left -= writeSync(fd, PIECE, 0, Math.min(left, PIECE.length));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
    rmSync(trial, { force: true });
  }
}

/** A file that somebody names for a copy: nothing is written over, and no folder is made of a name that was mistyped. @throws STORAGE */
export function needsNew(path: string): void {
  if (existsSync(path)) throw exists(path);
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CuratedError('STORAGE', `${path}: there is no folder ${folder}`, {
      detail: { reason: 'no_folder' },
    });
}

/** A database that was begun, with what SQLite keeps beside it. */
export function removeFile(path: string): void {
  for (const end of ['', '-journal', '-wal', '-shm', '-redo0', '-redo1', '-trial'])
    rmSync(`${path}${end}`, { force: true });
}

/** Tells a file from any other under the same name; '' when there is none. */
export function fileIdentity(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}`;
}

/** Size in bytes; 0 when there is no such file. */
export function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
