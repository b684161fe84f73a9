// What a count costs the calling thread, inline and through the pool, by the size of its text; where the two cross is
// the pool's inline threshold. Also the pool's own rate with tiny tasks, batched by load.
import { performance } from 'node:perf_hooks';
import { createPool, type Pool } from '../src/pool/pool.js';

const SIZES = [64, 256, 512, 1024, 1536, 2048, 4096, 8192, 16_384, 32_768, 65_536];
const SYLLABLES =
  'ka re to min sol ver da lu pre con ter ing able get set list node path err ctx buf str map'.split(' ');
const JOINS = [
  ' ',
  ' ',
  ' ',
  ' ',
  '.',
  '_',
  '(',
  ') ',
  ', ',
  ' = ',
  '\n',
  '\n  ',
  ' "',
  '" ',
  ': ',
  ' 17 ',
  '/',
];

/** Text like code and prose in mixture from some 100,000 made-up words, so that no cache of pieces is too warm. */
const CORPUS = (() => {
  let seed = 11;
  const pick = (list: readonly string[]) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return list[(seed >> 8) % list.length]!;
  };
  let text = '';
  while (text.length < 1 << 20) {
    const word = pick(SYLLABLES) + pick(SYLLABLES) + (seed & 1024 ? pick(SYLLABLES) : '');
    text += (seed & 4096 ? word : word.charAt(0).toUpperCase() + word.slice(1)) + pick(JOINS);
  }
  return text;
})();

function texts(size: number, n: number): string[] {
  const room = CORPUS.length - size;
  return Array.from({ length: n }, (_, i) => CORPUS.slice((i * 7919) % room, ((i * 7919) % room) + size));
}

/** Microseconds the event loop was active per call, with `lanes` callers that each wait for their answer. */
async function activeMicros(pool: Pool, size: number, calls: number, lanes: number): Promise<number> {
  const work = texts(size, calls);
  let next = 0;
  const before = performance.eventLoopUtilization();
  const lane = async () => {
    while (next < calls) await pool.countTokens([work[next++]!], 'o200k_base');
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (performance.eventLoopUtilization(before).active * 1000) / calls;
}

/** The least of three: what else runs on the machine only ever adds. */
async function least(measure: () => Promise<number>): Promise<number> {
  return Math.min(await measure(), await measure(), await measure());
}

/** Median wall microseconds of a call that is alone. */
async function latencyMicros(pool: Pool, size: number, calls: number): Promise<number> {
  const times: number[] = [];
  for (const text of texts(size, calls)) {
    const start = performance.now();
    await pool.countTokens([text], 'o200k_base');
    times.push((performance.now() - start) * 1000);
  }
  return times.sort((a, b) => a - b)[calls >> 1]!;
}

/** The size from which on `pooled` costs no more than `inline`, between measured points; undefined if they never meet. */
export function crossover(
  sizes: readonly number[],
  inline: readonly number[],
  pooled: readonly number[],
): number | undefined {
  for (let i = 0; i < sizes.length; i++) {
    if (inline[i]! < pooled[i]!) continue;
    if (i === 0) return sizes[0];
    const gapBefore = pooled[i - 1]! - inline[i - 1]!;
    const gap = inline[i]! - pooled[i]!;
    return Math.round(sizes[i - 1]! + ((sizes[i]! - sizes[i - 1]!) * gapBefore) / (gapBefore + gap));
  }
  return undefined;
}

async function tasksPerSecond(pool: Pool): Promise<number> {
  const calls = 60_000;
  const work = texts(64, 512);
  let next = 0;
  const lane = async () => {
    while (next < calls) await pool.countTokens([work[next++ & 511]!], 'o200k_base');
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: 256 }, lane));
  return (calls * 1000) / (performance.now() - start);
}

/** p99 in microseconds of short counts through the pool, one after the other. */
async function shortP99(pool: Pool): Promise<number> {
  const times: number[] = [];
  for (const text of texts(200, 2000)) {
    const start = performance.now();
    await pool.countTokens([text], 'o200k_base');
    times.push((performance.now() - start) * 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
}

/** The same while another caller sends 1 MB of base64 after the other (FAULTS F30: at most doubled). */
async function floodedP99(pool: Pool): Promise<number> {
  const junk = Buffer.from(CORPUS.slice(0, 786_432)).toString('base64');
  let sending = true;
  const flood = (async () => {
    while (sending) await pool.countTokens([junk], 'o200k_base');
  })();
  const p99 = await shortP99(pool);
  sending = false;
  await flood;
  return p99;
}

/** The bench's entry. */
export default async function run(): Promise<{ name: string; figures: Record<string, number> }> {
  const inlinePool = createPool({ shards: 1, inlineUnits: Number.POSITIVE_INFINITY });
  const pool = createPool({ inlineUnits: 0 });
  const figures: Record<string, number> = {};
  try {
    for (const warm of [inlinePool, pool]) await activeMicros(warm, 512, 2000, 4);
    const inline: number[] = [];
    const alone: number[] = [];
    const loaded: number[] = [];
    const wall: number[] = [];
    console.log(
      'units     inline   pool, one caller   pool, 256 callers   latency through the pool   (us a call)',
    );
    for (const size of SIZES) {
      const calls = Math.max(300, Math.min(5000, Math.floor(10_000_000 / size)));
      inline.push(await least(() => activeMicros(inlinePool, size, calls, 1)));
      alone.push(await least(() => activeMicros(pool, size, Math.min(calls, 2000), 1)));
      loaded.push(await least(() => activeMicros(pool, size, calls, 256)));
      wall.push(await least(() => latencyMicros(pool, size, 200)));
      const row = [inline, alone, loaded, wall].map((column) => column.at(-1)!.toFixed(1).padStart(18));
      console.log(String(size).padStart(5) + row.join(''));
    }
    const one = crossover(SIZES, inline, alone);
    const many = crossover(SIZES, inline, loaded);
    const waits = crossover(SIZES, inline, wall);
    if (one !== undefined) figures['crossover_one_caller_units'] = one;
    if (many !== undefined) figures['crossover_loaded_units'] = many;
    if (waits !== undefined) figures['crossover_latency_units'] = waits;
    figures['inline_us_1536'] = Number(inline[SIZES.indexOf(1536)]!.toFixed(2));
    figures['pooled_us_1536'] = Number(loaded[SIZES.indexOf(1536)]!.toFixed(2));
    figures['batched_calls_per_s'] = Math.round(await tasksPerSecond(pool));
    figures['short_p99_us'] = Math.round(await least(() => shortP99(pool)));
    figures['short_p99_flooded_us'] = Math.round(await least(() => floodedP99(pool)));
    return { name: 'pool', figures };
  } finally {
    await Promise.all([inlinePool.close(), pool.close()]);
  }
}
