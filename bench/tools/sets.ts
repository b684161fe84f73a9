// The development sets for tool retrieval, and what is learned from them: which words of questions go with which words of
// tools. Used by the bench (on parts of the data) and by the script that writes the table that ships.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stems } from '../../src/curation/tools/ranking/words.js';
import type { ToolSet } from '../../src/eval/sets/tools.js';

export const SETS = [
  'bfcl-live_multiple',
  'bfcl-multiple',
  'bfcl-multi_turn_base',
  'bfcl-multi_turn_long_context',
  'livemcpbench',
  'metatool',
  'sealtools',
] as const;

export function toolSetsFolder(): string | undefined {
  const root = resolve(fileURLToPath(import.meta.url), '../../../..');
  const folder = resolve(process.env['CURATED_SHARED'] ?? resolve(root, '../shared'), 'data/toolretrieval');
  return existsSync(folder) ? folder : undefined;
}

/** One question word set and the words of one tool that answered it. */
export interface Pair {
  /** Questions of one conversation are in one fold. */
  fold: number;
  question: Set<string>;
  tool: Set<string>;
}

export const FOLDS = 5;

export function foldOf(id: string): number {
  let hash = 7;
  // The long-context set has the conversations of the base set once more: they share their fold.
  for (const c of id.split('#')[0]!.replace('long_context', 'base'))
    hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
  return hash % FOLDS;
}

export function pairsOf(set: ToolSet): Pair[] {
  const words = new Map(
    set.tools.map((t) => {
      // What all tools of one API say first says nothing about the tool.
      const own = (t.description ?? '').replace(/^This tool belongs.*?Tool description:/s, '').slice(0, 200);
      return [t.name, new Set([...stems(t.name), ...stems(own)])];
    }),
  );
  return set.queries.flatMap((q) =>
    [...new Set(q.gold)].flatMap((name) => {
      const tool = words.get(name);
      return tool === undefined ? [] : [{ fold: foldOf(q.id), question: new Set(stems(q.query)), tool }];
    }),
  );
}

export type Links = Map<string, [string, number][]>;

const MIN_PAIRS = 3;
const MIN_PMI = 0.7;
const FULL_PMI = 3;
const MIN_WEIGHT = 0.05;
const KEPT = 8;

/** Links between words that stand together in at least 3 pairs: share of the pairs, by how far that is from chance. */
export function learn(pairs: readonly Pair[]): Links {
  const questions = new Map<string, number>();
  const tools = new Map<string, number>();
  const both = new Map<string, Map<string, number>>();
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const { question, tool } of pairs) {
    for (const w of tool) count(tools, w);
    for (const u of question) {
      count(questions, u);
      const row = both.get(u) ?? new Map<string, number>();
      both.set(u, row);
      for (const w of tool) count(row, w);
    }
  }
  const links: Links = new Map();
  for (const [u, row] of both) {
    const kept: [string, number][] = [];
    for (const [w, n] of row) {
      if (n < MIN_PAIRS || u === w) continue;
      const pmi = Math.log((n * pairs.length) / (questions.get(u)! * tools.get(w)!));
      const weight = (n / (questions.get(u)! + 1)) * Math.min(1, pmi / FULL_PMI);
      if (pmi >= MIN_PMI && weight >= MIN_WEIGHT) kept.push([w, weight]);
    }
    kept.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    if (kept.length > 0) links.set(u, kept.slice(0, KEPT));
  }
  return links;
}
