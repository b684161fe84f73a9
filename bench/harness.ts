// How benchmarks measure: CPU time of this process (a busy machine disturbs it less than the wall), rivals in turns
// within one run, medians. Knows nothing of what is measured.
import { cpus } from 'node:os';

export interface BenchOptions {
  json: boolean;
  args: readonly string[];
}
export interface BenchResult {
  name: string;
  figures: Record<string, number | string>;
}

/** The machine and runtime a run belongs to: figures are compared within a run, never across. */
export function machineLine(): string {
  const list = cpus();
  return `node ${process.versions.node}, V8 ${process.versions.v8}, ${list.length} x ${list[0]?.model ?? 'unknown'}`;
}

/** CPU microseconds of this process so far, all threads. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Three significant digits. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

/**
 * CPU microseconds of one call of each job, in turns: per round every job runs until `sliceMs` of CPU time are
 * gone; the median over the rounds counts. Each job is warmed up first, so that compilers have settled.
 */
export function inTurns(
  jobs: ReadonlyMap<string, () => void>,
  options: { rounds?: number; sliceMs?: number; warmMs?: number } = {},
): Map<string, number> {
  const { rounds = 5, sliceMs = 60, warmMs = 150 } = options;
  const spend = (job: () => void, ms: number): number => {
    const start = cpuMicros();
    let calls = 0;
    let batch = 1;
    for (;;) {
      for (let i = 0; i < batch; i++) job();
      calls += batch;
      const used = cpuMicros() - start;
      if (used >= ms * 1000) return used / calls;
      if (used < ms * 100) batch *= 2; // the clock's grain is coarse against a short job
    }
  };
  for (const job of jobs.values()) spend(job, warmMs);
  const samples = new Map([...jobs.keys()].map((name) => [name, [] as number[]]));
  for (let r = 0; r < rounds; r++) {
    for (const [name, job] of jobs) samples.get(name)!.push(spend(job, sliceMs));
  }
  return new Map([...samples].map(([name, list]) => [name, median(list)]));
}
