// Two results of `bench all` held against each other: `npm run bench -- compare OLD.json NEW.json [--ratio 1.25]`. Exits 1
// when a figure is worse by more than that, or a benchmark no longer gives figures.
import { readFileSync } from 'node:fs';
import { type BenchResults, brokenSince, changesBetween } from './figures.js';
import type { BenchOptions, BenchResult } from './harness.js';

/** Runs of one commit on a busy machine differ by this much. */
const RATIO = 1.25;

export default async function run({ args, json }: BenchOptions): Promise<BenchResult> {
  const at = args.indexOf('--ratio');
  const ratio = at < 0 ? RATIO : Number(args[at + 1]);
  const [before, after] = args.filter((_, i) => at < 0 || (i !== at && i !== at + 1)).map(resultsOf);
  if (before === undefined || after === undefined || !(ratio >= 1))
    throw new Error('usage: npm run bench -- compare OLD.json NEW.json [--ratio 1.25]');
  const changes = changesBetween(before, after);
  const worse = changes.filter((c) => c.worse > ratio);
  const broken = brokenSince(before, after);
  if (!json) {
    if (before.machine !== after.machine)
      console.log(`different machines, so compare ratios only:\n  ${before.machine}\n  ${after.machine}`);
    for (const c of worse)
      console.log(`${c.bench} ${c.figure}: ${c.before} -> ${c.after}, ${c.worse.toFixed(2)} times worse`);
    for (const name of broken) console.log(`${name}: no figures any more`);
  }
  if (worse.length + broken.length > 0) process.exitCode = 1;
  return {
    name: 'compare',
    figures: {
      compared: changes.length,
      worse: worse.length,
      better: changes.filter((c) => c.worse < 1 / ratio).length,
      broken: broken.length,
    },
  };
}

function resultsOf(file: string): BenchResults {
  return JSON.parse(readFileSync(file, 'utf8')) as BenchResults;
}
