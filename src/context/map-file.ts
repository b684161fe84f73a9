// Files of this room: written whole or not at all, read in the order project, global, nothing.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface MapText {
  text: string;
  /** Epoch ms of the last refresh; 0 when there is no file. */
  writtenAt: number;
  from: 'project' | 'global' | 'none';
}

/** Replaces the file at once; a reader sees the old text or the new one. Mode 0600: it tells what a person works on. */
export function writeWhole(path: string, text: string): void {
  writeFileWhole(path, text);
}

/** The same for bytes. */
export function writeFileWhole(path: string, data: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(draft, data, { mode: 0o600 });
    renameSync(draft, path);
  } catch (e) {
    rmSync(draft, { force: true });
    throw e;
  }
}

/** No text: no file. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

/** undefined when there is no such file; other faults are thrown: unreadable is not empty (M-6). */
export function readWhole(path: string): { text: string; writtenAt: number } | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return { text, writtenAt: Math.floor(statSync(path).mtimeMs) };
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw e;
  }
}

/** a project's file that exists and is empty means "no topics" and is the last word. */
export function readMap(at: { map: string; global: string }): MapText {
  const own = readWhole(at.map);
  if (own !== undefined) return { text: own.text.trim(), writtenAt: own.writtenAt, from: 'project' };
  const global = readWhole(at.global);
  if (global !== undefined) return { text: global.text.trim(), writtenAt: global.writtenAt, from: 'global' };
  return { text: '', writtenAt: 0, from: 'none' };
}
