// Evidence recall on long chats within a tenth of their tokens, as benchmarks name it: the product's search and plain BM25.
import { existsSync } from 'node:fs';
import { rateMemory } from '../src/eval/sets/memory.js';

const SHARE = 0.1;

export interface Evidence {
  /** As a part of a figure's name. */
  set: string;
  search: number;
  bm25: number;
}

/** By set; undefined when the folder is absent. */
export function evidenceIn(folder: string, count: (text: string) => number): Evidence[] | undefined {
  if (!existsSync(folder)) return undefined;
  return rateMemory(folder, { count, seed: 1, budgets: [SHARE] }).sets.map(({ set, budgets }) => ({
    set: set.replace(/-/g, '_').toLowerCase(),
    search: Number(budgets[0]!.search.recall.toFixed(3)),
    bm25: Number(budgets[0]!.bm25.recall.toFixed(3)),
  }));
}
