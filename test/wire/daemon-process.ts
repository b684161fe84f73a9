// A daemon in a process of its own, started by the command line, with means to end it in both ways.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

export interface DaemonProcess {
  home: string;
  pid: number;
  /** Sends the signal and waits for the end; milliseconds it took, and the exit code. */
  end(signal: NodeJS.Signals): Promise<{ ms: number; code: number | null }>;
}

/** Started in `home`, or in a folder of its own; it ends with the test at the latest. */
export async function daemonProcess(t: TestContext, home?: string): Promise<DaemonProcess> {
  const folder = home ?? mkdtempSync(join(tmpdir(), 'curated-wire-'));
  const child: ChildProcess = spawn(process.execPath, [MAIN, 'start', '--port', '0'], {
    env: { ...process.env, CURATED_HOME: folder },
    stdio: 'ignore',
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  t.after(async () => {
    child.kill('SIGKILL');
    await exit;
    if (home === undefined) rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'run/daemon.json');
  const isUp = () => existsSync(file) && readFileSync(file, 'utf8').includes(`"pid":${child.pid}`);
  for (let i = 0; !isUp(); i++) {
    if (i > 1500 || child.exitCode !== null) throw new Error('the daemon did not start');
    await sleep(20);
  }
  return {
    home: folder,
    pid: child.pid!,
    async end(signal) {
      const start = performance.now();
      child.kill(signal);
      const code = await exit;
      return { ms: performance.now() - start, code };
    },
  };
}
