// run/daemon.json as the commands need it: is a daemon there, and is it the one the file tells of?
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Paths } from '../paths.js';
import { daemonLives } from '../process-life.js';

export interface DaemonFile {
  pid: number;
  version: string;
  socket?: string;
  url?: string;
  token_file?: string;
  started_at?: number;
  /** Tells this process from another that gets its pid later; absent where the system cannot say. */
  process?: string;
}

/** The file's content, or undefined when there is none, or no such one. @throws the system's error where we may not look: a daemon of another user's */
export function readDaemonFile(paths: Paths): DaemonFile | undefined {
  try {
    const value = JSON.parse(readFileSync(paths.daemonJson, 'utf8')) as DaemonFile;
    return Number.isSafeInteger(value.pid) && value.pid > 0 ? value : undefined;
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'EACCES') throw e;
    return undefined;
  }
}

/** The running daemon's file, or undefined. */
export function liveDaemon(paths: Paths): DaemonFile | undefined {
  const file = readDaemonFile(paths);
  return file !== undefined && daemonLives(file) ? file : undefined;
}

/** Waits until `test` holds; false when it did not within `ms`. */
export async function until(test: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (!test()) {
    if (performance.now() > end) return false;
    await sleep(20);
  }
  return true;
}
