// Results of benchmarks on disk, and which of their figures got worse. A figure's name tells its direction by its unit.

/** One run of several benchmarks: bench/results/<commit>.json. */
export interface BenchResults {
  commit: string;
  /** The tree had changes that are not in the commit. */
  dirty: boolean;
  machine: string;
  /** ISO day. */
  day: string;
  /** Figures by benchmark; an error's text where one failed. */
  benches: Record<string, Record<string, number | string> | { error: string }>;
}

export interface Change {
  bench: string;
  figure: string;
  before: number;
  after: number;
  /** How many times worse; below 1: better. */
  worse: number;
}

const LESS_IS_BETTER =
  /(^|_|\.)(us|ms|mb|kb|bytes|pct|points|lost|rate|ratio|p50|p99|s)(_|$|\.)|^bytes_per|worst_cell/;
const MORE_IS_BETTER =
  /per_s(_|$|\.)|vs_|saved|recall|gold|f1|kept|covers|returns|mb_per_s|evidence|gain|coverage/;
/** What describes the machine or a rival that runs beside ours for comparison. */
const NEITHER =
  /^(naive|plain|bm25|fdatasync|hnswlib|client|crossover|vectors|graph_build|flat_us|known)|_of$|bm25/;

/** 1: more is better, -1: less is better, 0: neither. */
export function directionOf(figure: string): -1 | 0 | 1 {
  if (NEITHER.test(figure)) return 0;
  if (MORE_IS_BETTER.test(figure)) return 1;
  return LESS_IS_BETTER.test(figure) ? -1 : 0;
}

/** Figures that are in both, the worst first. Zeros and negative numbers have no ratio and are left out. */
export function changesBetween(before: BenchResults, after: BenchResults): Change[] {
  const changes: Change[] = [];
  for (const [bench, figures] of Object.entries(after.benches)) {
    const old = before.benches[bench];
    if (old === undefined) continue;
    for (const [figure, now] of Object.entries(figures)) {
      const was = (old as Record<string, unknown>)[figure];
      const direction = directionOf(figure);
      if (direction === 0 || typeof now !== 'number' || typeof was !== 'number') continue;
      if (!(now > 0) || !(was > 0)) continue;
      changes.push({ bench, figure, before: was, after: now, worse: direction > 0 ? was / now : now / was });
    }
  }
  return changes.sort((a, b) => b.worse - a.worse);
}

/** Benchmarks that gave figures before and failed or are gone now. */
export function brokenSince(before: BenchResults, after: BenchResults): string[] {
  const isGood = (r: BenchResults, name: string): boolean => {
    const figures = r.benches[name];
    return figures !== undefined && !('error' in figures);
  };
  return Object.keys(before.benches).filter((name) => isGood(before, name) && !isGood(after, name));
}
