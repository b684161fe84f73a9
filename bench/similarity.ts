// Figures of nearest-neighbour search at 384 dimensions: the flat scan, the graph in its own thread, hnswlib-node alone, and
// the plainest JavaScript. All in one run.
import hnswlib from 'hnswlib-node';
import { Owner } from '../src/topics/index/owner.js';
import { Rows, unit } from '../src/topics/index/rows.js';
import { VectorIndex } from '../src/topics/index/vector-index.js';

const DIMS = 384;
const ROUNDS = 5;

let state = 12345;
function next(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32 - 0.5;
}

/** Vectors around 200 centres: as texts of as many topics lie. */
const centres = Array.from({ length: 200 }, () => Float32Array.from({ length: DIMS }, next));
function vector(i: number): Float32Array {
  return unit(centres[i % 200]!.map((x) => x + 0.5 * next()));
}

function micros(calls: number, f: (i: number) => unknown): number {
  // Steady state: the compiler has done its work.
  const warm = performance.now() + 250;
  for (let i = 0; performance.now() < warm; i += 1) f(i);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = performance.now();
    for (let i = 0; i < calls; i += 1) f(i);
    least = Math.min(least, ((performance.now() - from) * 1000) / calls);
  }
  return least;
}

async function microsOf(calls: number, f: (i: number) => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 20; i += 1) await f(i);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const from = performance.now();
    for (let i = 0; i < calls; i += 1) await f(i);
    least = Math.min(least, ((performance.now() - from) * 1000) / calls);
  }
  return least;
}

/** The way one writes it first: arrays of arrays, one sum. */
function plain(rows: readonly number[][], q: readonly number[]): number {
  let best = -1;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i]!;
    let sum = 0;
    for (let j = 0; j < q.length; j += 1) sum += row[j]! * q[j]!;
    if (sum > most) {
      most = sum;
      best = i;
    }
  }
  return best;
}

export default async function run(o: {
  args: string[];
}): Promise<{ name: string; figures: Record<string, number> }> {
  const large = Number(o.args[0] ?? 100_000);
  const queries = Array.from({ length: 200 }, (_, i) => vector(i * 7));
  const figures: Record<string, number> = {};
  const flat: Record<number, number> = {};
  const graph: Record<number, number> = {};
  const owner = new Owner();
  try {
    for (const n of [1000, 2000, 4000, 8000, 16_000, 32_000]) {
      const rows = new Rows(DIMS);
      const index = new VectorIndex(DIMS, { promoteAt: 1, owner });
      for (let i = 0; i < n; i += 1) {
        const v = vector(i);
        rows.add(i, v);
        index.add(i, v);
      }
      await index.settled();
      flat[n] = micros(Math.ceil(200_000 / n), (i) => rows.nearest(queries[i % 200]!, 5));
      graph[n] = await microsOf(300, (i) => index.nearest(queries[i % 200]!, 5));
      console.log(
        `${n} vectors: flat ${flat[n]!.toFixed(1)} us, graph in its thread ${graph[n]!.toFixed(1)} us`,
      );
      if (n === 1000) {
        const arrays = Array.from({ length: n }, (_, i) => Array.from(rows.row(i)));
        figures['plain_js_us_per_1000x384'] = round(
          micros(100, (i) => plain(arrays, Array.from(queries[i % 200]!))),
        );
      }
      await index.drop();
    }
    figures['us_per_1000x384'] = round(flat[1000]!);
    figures['crossover'] = crossing(flat, graph);

    const alone = new hnswlib.HierarchicalNSW('ip', DIMS);
    alone.initIndex(large, 16, 200, 100);
    alone.setEf(64);
    const index = new VectorIndex(DIMS, { owner });
    const rows = new Rows(DIMS);
    const vectors = Array.from({ length: large }, (_, i) => vector(i));
    const built = performance.now();
    for (const [i, v] of vectors.entries()) {
      index.add(i, v);
      rows.add(i, v);
    }
    await index.settled();
    figures['graph_build_s'] = round((performance.now() - built) / 1000);
    const builtAlone = performance.now();
    for (const [i, v] of vectors.entries()) alone.addPoint(Array.from(v), i);
    figures['hnswlib_alone_build_s'] = round((performance.now() - builtAlone) / 1000);
    figures['hnsw_us_100k'] = round(await microsOf(300, (i) => index.nearest(queries[i % 200]!, 10)));
    figures['hnswlib_alone_us_100k'] = round(
      micros(300, (i) => alone.searchKnn(Array.from(queries[i % 200]!), 10)),
    );
    figures['flat_us_100k'] = round(micros(5, (i) => rows.nearest(queries[i % 200]!, 10)));
    let hits = 0;
    for (let q = 0; q < 50; q += 1) {
      const exact = new Set(rows.nearest(queries[q]!, 10).map((n) => n.label));
      for (const n of await index.nearest(queries[q]!, 10)) if (exact.has(n.label)) hits += 1;
    }
    figures['recall_at_10'] = round(hits / 500);
    figures['vectors'] = large;
    return { name: 'similarity', figures };
  } finally {
    await owner.close();
  }
}

/** Vectors from which on the graph costs no more than the scan, between measured points. */
function crossing(flat: Record<number, number>, graph: Record<number, number>): number {
  const sizes = Object.keys(flat).map(Number);
  for (const [i, n] of sizes.entries()) {
    if (flat[n]! < graph[n]!) continue;
    if (i === 0) return n;
    const before = sizes[i - 1]!;
    const gapBefore = graph[before]! - flat[before]!;
    const gap = flat[n]! - graph[n]!;
    return Math.round(before + ((n - before) * gapBefore) / (gapBefore + gap));
  }
  return Number.POSITIVE_INFINITY;
}

function round(v: number): number {
  return Math.round(v * 100) / 100;
}
