// A private daemon as a child process with its own CURATED_HOME: start, hard kill, torn journal tail, cleaning up.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** dist/test/conformance/adapter -> the folder of package.json. */
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
const START_MS = 30_000;
const STOP_MS = 5_000;

interface DaemonFile {
  pid: number;
  url: string;
  token_file: string;
}

export class DaemonProcess {
  readonly home = mkdtempSync(join(tmpdir(), 'curated-case-'));
  #child: ChildProcess | undefined;
  #file: DaemonFile | undefined;
  #log = '';
  readonly #tokens = new Map<string, string>();

  get url(): string {
    return this.#running().url;
  }

  /** The owner's token, or the one made for a tenant. */
  token(tenant?: string): string {
    if (tenant === undefined) return readFileSync(this.#running().token_file, 'utf8').trim();
    const token = this.#tokens.get(tenant);
    if (token === undefined) throw new Error(`no token was made for tenant ${tenant}`);
    return token;
  }

  #running(): DaemonFile {
    if (this.#file === undefined) throw new Error('the daemon is not running');
    return this.#file;
  }

  /** Starts the daemon; with tenants, once more after their tokens were written. */
  async start(tenants: readonly string[] = []): Promise<void> {
    await this.#spawn();
    const missing = tenants.filter((t) => !this.#tokens.has(t));
    if (missing.length === 0) return;
    for (const t of missing) this.#tokens.set(t, randomBytes(32).toString('base64url'));
    const path = join(this.home, 'data', 'tokens.json');
    const tokens = [...this.#tokens].map(([tenant, token]) => ({
      name: `case-${tenant}`,
      tenant,
      scopes: ['agent'],
      sha256: createHash('sha256').update(token).digest('hex'),
    }));
    writeFileSync(path, JSON.stringify({ version: 1, tokens }), { mode: 0o600 });
    await this.#end('SIGTERM');
    await this.#spawn();
  }

  async #spawn(): Promise<void> {
    const file = join(this.home, 'run', 'daemon.json');
    rmSync(file, { force: true });
    const child = spawn(process.execPath, [join(ROOT, 'dist/src/main.js'), 'start', '--port', '0'], {
      cwd: ROOT,
      env: { ...process.env, CURATED_HOME: this.home, CURATED_TEST_CLOCK: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const keep = (chunk: Buffer): void => {
      this.#log = (this.#log + chunk.toString()).slice(-4000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    const until = Date.now() + START_MS;
    while (Date.now() < until) {
      if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}: ${this.#log}`);
      if (existsSync(file)) {
        try {
          this.#file = JSON.parse(readFileSync(file, 'utf8')) as DaemonFile;
          return;
        } catch {
          // written only in part yet
        }
      }
      await new Promise((r) => setTimeout(r, 20));
    }
    throw new Error(`the daemon did not start: ${this.#log}`);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#file = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((r) => child.once('exit', r));
    child.kill(signal);
    const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await gone;
    clearTimeout(hard);
  }

  /** The process ends without warning; `torn` leaves half a record at the end of what it wrote last. */
  async crash(torn: boolean): Promise<void> {
    await this.#end('SIGKILL');
    if (torn) this.#tear();
  }

  #tear(): void {
    const data = join(this.home, 'data');
    const files = readdirSync(data, { recursive: true, encoding: 'utf8' })
      .map((f) => join(data, f))
      .filter((f) => statSync(f).isFile() && !f.endsWith('-shm'));
    const logs = files.filter((f) => /-wal$|\.(?:log|jsonl|seg|journal)$/.test(f));
    const newest = (logs.length > 0 ? logs : files).sort(
      (a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs,
    )[0];
    if (newest !== undefined) appendFileSync(newest, randomBytes(300));
  }

  async dispose(): Promise<void> {
    await this.#end('SIGTERM');
    rmSync(this.home, { recursive: true, force: true });
  }
}
