// Figures of recall: what a search costs over 60,000 and over a million turns, on the index's own thread, and what it finds.
// `npm run bench -- recall [turns..]`; `recall quality` looks at what it finds alone.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attach } from '../native/index.js';
import { IndexThread } from '../src/context/recall/index-thread.js';
import { evidenceIn } from './evidence.js';
import { type BenchOptions, type BenchResult, cpuMicros, round } from './harness.js';
import { question, TURNS_A_SESSION, type Turns, turns } from './recall/turns.js';

const SIZES = [60_000, 1_000_000];
const QUESTIONS = 500;
const BATCH = 500;

export default async function run(o: BenchOptions): Promise<BenchResult> {
  const figures: Record<string, number | string> = {};
  const root = resolve(fileURLToPath(import.meta.url), '../../..');
  const shared = process.env['CURATED_SHARED'] ?? join(root, '..', 'shared');
  const tokenizer = attach();
  const found = evidenceIn(join(shared, 'data', 'memoryqa'), (text) => tokenizer.count(text, 'o200k_base'));
  if (found === undefined) {
    console.error('no ../shared/data/memoryqa: what is found is not measured');
    figures['quality'] = 'not measured: no data';
  }
  for (const { set, search, bm25 } of found ?? []) {
    figures[`bm25_10pct_${set}`] = bm25;
    figures[`search_10pct_${set}`] = search;
  }
  if (o.args[0] !== 'quality') {
    const sizes = o.args.length > 0 ? o.args.map(Number) : SIZES;
    await speed(turns(), sizes, figures);
  }
  return { name: 'recall', figures };
}

/** One index that grows through the sizes; the last one's figures have no size in their name. */
async function speed(
  t: Turns,
  sizes: readonly number[],
  figures: Record<string, number | string>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'curated-bench-recall-'));
  const index = new IndexThread(join(folder, 'recall.db'));
  figures['turns_from'] = t.source;
  try {
    let n = 0;
    for (const size of sizes) {
      const before = cpuMicros();
      const from = n;
      for (; n < size; n += BATCH) {
        await grow(index, t, n, Math.min(BATCH, size - n));
        if (n % 100_000 === 0 && n > 0) console.error(`${n} turns`);
      }
      const name = size >= 1_000_000 ? `${size / 1_000_000}m` : `${size / 1000}k`;
      figures[`index_us_a_turn_${name}`] = round((cpuMicros() - before) / (size - from));
      figures[`file_mb_${name}`] = round(statSync(join(folder, 'recall.db')).size / 1e6);
      for (const [scope, session] of [
        ['', undefined],
        ['session_', `s${Math.floor(size / TURNS_A_SESSION / 2)}`],
      ] as const) {
        const cost = await ask(index, t, size, session);
        for (const [key, value] of Object.entries(cost)) {
          figures[`search_${scope}${key}_${name}`] = value;
          if (scope === '') figures[`search_${key}`] = value;
        }
      }
    }
  } finally {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function grow(index: IndexThread, t: Turns, from: number, n: number): Promise<void> {
  const bySession = new Map<number, number[]>();
  for (let i = from; i < from + n; i += 1) {
    const s = Math.floor(i / TURNS_A_SESSION);
    bySession.set(s, [...(bySession.get(s) ?? []), i]);
  }
  for (const [s, numbers] of bySession) {
    const rows = numbers.map((i) => {
      const text = t.text(i);
      const tool = i % 3 === 2 ? 'read' : null;
      return {
        seq: i + 1,
        part: 0,
        turn: i,
        role: 'user',
        tool,
        handle: `r${i}`,
        tokens: text.length >> 2,
        text,
      };
    });
    const at = { seq: numbers.at(-1)! + 1, hash: 'h', format: 'anthropic', project: '', inputs: 0 };
    await index.add('t', `s${s}`, rows, at);
  }
}

/** Milliseconds of a search from the caller to the caller, and of CPU (all threads; nothing else runs here). */
async function ask(
  index: IndexThread,
  t: Turns,
  among: number,
  session: string | undefined,
): Promise<Record<string, number>> {
  const walls: number[] = [];
  const cpus: number[] = [];
  for (let i = 0; i < QUESTIONS; i += 1) {
    const query = question(t, i, among);
    const [wall, cpu] = [performance.now(), cpuMicros()];
    await index.search({ tenant: 't', query, must: '', k: 10, session });
    walls.push(performance.now() - wall);
    cpus.push((cpuMicros() - cpu) / 1000);
  }
  const at = (list: number[], share: number) =>
    round([...list].sort((a, b) => a - b)[Math.floor(list.length * share)]!);
  return {
    p50_ms: at(walls, 0.5),
    p99_ms: at(walls, 0.99),
    cpu_p50_ms: at(cpus, 0.5),
    cpu_p99_ms: at(cpus, 0.99),
  };
}
