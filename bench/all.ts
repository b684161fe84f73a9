// Every benchmark after the other, each in a process of its own, as bench/results/<commit>.json. `npm run bench -- all
// [name..]` runs the named ones only; `--out FILE` writes elsewhere.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchResults } from './figures.js';
import { type BenchOptions, type BenchResult, machineLine } from './harness.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, '../..');
/** They make files, or compare files; they measure nothing. */
const NOT_MEASURING = new Set(['all', 'compare', 'train-word-links']);
/** They need packages that are installed on demand: only where they are named. */
const ON_DEMAND = new Set(['peers']);
/** A benchmark that takes longer hangs. */
const DEADLINE_MS = 30 * 60_000;

export function benchNames(): string[] {
  return readdirSync(HERE)
    .filter((f) => f.endsWith('.js') && /^export default /m.test(readFileSync(join(HERE, f), 'utf8')))
    .map((f) => f.slice(0, -3))
    .filter((name) => !NOT_MEASURING.has(name) && !ON_DEMAND.has(name));
}

export default async function run({ args }: BenchOptions): Promise<BenchResult> {
  const at = args.indexOf('--out');
  const named = args.filter((a, i) => !a.startsWith('--') && (at < 0 || i !== at + 1));
  const results: BenchResults = {
    ...commit(),
    machine: machineLine(),
    day: new Date().toISOString().slice(0, 10),
    benches: {},
  };
  const file = resolve(
    at < 0 ? join(ROOT, `bench/results/${results.commit.slice(0, 12)}.json`) : args[at + 1]!,
  );
  mkdirSync(dirname(file), { recursive: true });
  let failed = 0;
  for (const name of named.length > 0 ? named : benchNames()) {
    process.stderr.write(`${name} …\n`);
    const figures = await one(name);
    if ('error' in figures) failed++;
    results.benches[name] = figures;
    // After each, so that an interrupted run keeps what it has.
    writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  }
  if (failed > 0) process.exitCode = 1;
  return { name: 'all', figures: { file, benches: Object.keys(results.benches).length, failed } };
}

function one(name: string): Promise<Record<string, number | string> | { error: string }> {
  return new Promise((done) => {
    const options = { cwd: ROOT, timeout: DEADLINE_MS, maxBuffer: 64 * 2 ** 20 };
    execFile(
      process.execPath,
      [join(ROOT, 'bench/run.mjs'), name, '--json'],
      options,
      (error, stdout, stderr) => {
        const last = stdout.trimEnd().split('\n').at(-1) ?? '';
        try {
          if (error !== null) throw error;
          done((JSON.parse(last) as BenchResult).figures);
        } catch {
          done({ error: (stderr.trim() || String(error ?? 'no figures')).slice(-500) });
        }
      },
    );
  });
}

function commit(): { commit: string; dirty: boolean } {
  const git = (...a: string[]): string => execFileSync('git', a, { cwd: ROOT, encoding: 'utf8' }).trim();
  try {
    return { commit: git('rev-parse', 'HEAD'), dirty: git('status', '--porcelain') !== '' };
  } catch {
    return { commit: 'unknown', dirty: true };
  }
}
