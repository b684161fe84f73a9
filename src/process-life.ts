// Does the process that wrote a file still live? A pid alone does not tell: it may be a zombie that nobody reaps (a container
// without an init), or belong to another program since the machine was started anew.
import { existsSync, readFileSync } from 'node:fs';

/**
 * What tells this run of a process from any other that had its pid: the boot's id and the tick at which it started.
 * Undefined where the system has no /proc (macOS), and for a process that is gone or dead and not yet reaped.
 */
export function processMark(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in brackets and may itself hold brackets and spaces: the fields start behind the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Is the process `pid` there, and is it the one with this mark? Without a mark, or without /proc, the pid alone decides. */
export function lives(pid: number, mark?: string): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (processMark(process.pid) === undefined) return true;
  const now = processMark(pid);
  return now !== undefined && (mark === undefined || now === mark);
}

/**
 * Is the daemon there that a `run/daemon.json` tells of? One without a mark was not written by a daemon of this build where the
 * system has marks, so its pid may be anybody's: it counts only while the socket that it names is there.
 */
export function daemonLives(file: { pid: number; process?: string; socket?: string }): boolean {
  if (!lives(file.pid, file.process)) return false;
  return file.process !== undefined || file.socket === undefined || existsSync(file.socket);
}
