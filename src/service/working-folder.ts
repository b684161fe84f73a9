// The folder of one session's derived files: its place, and writing that is whole or appends. Knows no session.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 } from '../hash.js';
import type { SessionKey } from '../journal/index.js';

/** Mode of files that their owner alone reads. */
const PRIVATE = 0o600;

/** A name that is safe as a folder on any file system, and no other id's. */
function safe(id: string): string {
  if (/^[a-z0-9_-][a-z0-9._-]{0,79}$/.test(id) && !id.endsWith('.')) return id;
  const hash = sha256(id).slice(0, 32);
  return `${id.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 40)}~${hash}`;
}

export function folderOf(root: string, key: SessionKey): string {
  return join(root, safe(key.tenant), safe(key.session));
}

/** As `writeWhole` names what is not whole yet. */
const DRAFT = /\.[0-9a-f]{8}\.tmp$/;

/** Characters that are written at once. */
const CHUNK = 64 * 1024;

/** Parts that are long enough to be written, each made when its turn comes. */
function* gathered(parts: Iterable<string>): Generator<string> {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** A file of these parts, in the place of what there is. It is made piece by piece: a session may be long. */
export async function writeWhole(path: string, parts: Iterable<string>): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = await openNew(draft);
    try {
      for (const text of gathered(parts)) await file.appendFile(text);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (e) {
    await rm(draft, { force: true });
    throw e;
  }
}

/** The folder is there but for the first time. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'w', PRIVATE);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== 'ENOENT') throw e;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, 'w', PRIVATE);
  }
}

export async function append(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await appended(path, bytes);
  } catch (e) {
    // The folder is there but for the first time.
    if ((e as NodeJS.ErrnoException).code !== 'ENOENT') throw e;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await appended(path, bytes);
  }
}

/**
 * Many sessions are appended to each second: with callbacks that takes the main thread a third of what promises of the same calls
 * do. Calls that block would take the whole no longer, but a slow disk would hold up every session.
 */
function appended(path: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.open(path, 'a', PRIVATE, (unopened, fd) => {
      if (unopened) return reject(unopened);
      const write = (from: number): void => {
        fs.write(fd, bytes, from, (unwritten, n) => {
          if (!unwritten && from + n < bytes.length) return write(from + n);
          fs.close(fd, (unclosed) => {
            const failed = unwritten ?? unclosed;
            if (failed) reject(failed);
            else resolve();
          });
        });
      };
      write(0);
    });
  });
}

/** Whole lines of a file that are JSON, and how many were not (H-3). No file: none. */
export async function load(path: string): Promise<{ lines: string[]; skipped: number } | undefined> {
  const text = await ifThere(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  const lines: string[] = [];
  let skipped = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (isJson(line)) lines.push(`${line}\n`);
    else skipped += 1;
  }
  return { lines, skipped };
}

/** Takes away what a kill left half written in a folder. Nobody may write there meanwhile. */
export async function removeDrafts(at: string): Promise<void> {
  for (const name of await names(at)) if (DRAFT.test(name)) await remove(join(at, name));
}

/** Names in a folder; none where there is no such folder. */
export async function names(folder: string): Promise<string[]> {
  return (await ifThere(readdir(folder))) ?? [];
}

export function remove(path: string): Promise<void> {
  return rm(path, { force: true, recursive: true });
}

async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw e;
  }
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
