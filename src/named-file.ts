// Files of a name: what the system says of one that cannot be read or written always tells which it was. Foundation.
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs';

/** The error with the file's path, where the system left it out: it does so of a read or a write on an open file (EISDIR, ENOSPC). */
export function withPath(e: unknown, path: string): unknown {
  const error = e as NodeJS.ErrnoException;
  if (error instanceof Error && error.code !== undefined && error.path === undefined) error.path = path;
  return e;
}

/** Is anything there? Not to be allowed to look is no answer. @throws the system's error */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The file as text. @throws the system's error, its `path` set */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (e) {
    throw withPath(e, path);
  }
}

/** The file's bytes, a piece at a time. @param pieceBytes at most so many; rejects with the system's error, its `path` set */
export async function* readPieces(
  path: string,
  pieceBytes = 64 * 1024,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* createReadStream(path, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>;
  } catch (e) {
    throw withPath(e, path);
  }
}

/** In place of what is there. @throws the system's error, its `path` set */
export function writeText(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (e) {
    throw withPath(e, path);
  }
}

/** `FILE: no such file or directory` in the place of `ENOENT: no such file or directory, open 'FILE'`; undefined of what is no error of a file. */
export function fileFault({ code, path, message }: NodeJS.ErrnoException): string | undefined {
  if (code === undefined || path === undefined) return undefined;
  const words = WORDS[code] ?? /^[A-Z0-9]+: ([^,]+),/.exec(message)?.[1];
  return words === undefined ? undefined : `${path}: ${words}`;
}

/** Where the system's own words are for programmers. */
const WORDS: Readonly<Record<string, string>> = {
  EISDIR: 'that is a folder, and a file is needed',
  ENOTDIR: 'a file stands where a folder is needed',
  ENOTEMPTY: 'the folder is not empty',
  EROFS: 'its disk is mounted read-only',
  ENOSPC: 'no space left on its disk',
  EDQUOT: 'the quota of its disk is used up',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
};
