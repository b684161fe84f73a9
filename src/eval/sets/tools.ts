// `curated eval --set tools`: how well the ranking of tools finds those that a question needs, beside plain BM25.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RankedTool } from '../../curation/tools/ranking/tool-ranking.js';
import { ToolRanking } from '../../curation/tools/ranking/tool-ranking.js';
import { WordIndex } from '../../curation/tools/ranking/word-index.js';
import { wordLinks } from '../../curation/tools/ranking/word-links.js';
import { stems } from '../../curation/tools/ranking/words.js';

export interface Question {
  id: string;
  query: string;
  history?: string[];
  gold: string[];
}

export interface ToolSet {
  tools: { name: string; description?: string; parameters?: unknown; server?: string }[];
  queries: Question[];
}

/** Among the first ten: share of the needed tools, and of the questions with all of them. */
export interface ToolScore {
  recall: number;
  all: number;
}

/** Names, best first. */
export type Rank = (q: Question) => string[];

/** Ranks that count. */
export const TOP = 10;

export interface ToolsReport {
  schema_version: '1';
  sets: { set: string; tools: number; questions: number; ranking: ToolScore; bm25: ToolScore }[];
}

/** @param folder of `*.json`: `{tools: [..], queries: [{id, query, history?, gold}]}`; other files are left out */
export function rateTools(folder: string, onSet?: (name: string) => void): ToolsReport {
  const sets: ToolsReport['sets'] = [];
  for (const file of readdirSync(folder).sort()) {
    const set = file.endsWith('.json') ? loadToolSet(folder, file.slice(0, -'.json'.length)) : undefined;
    if (set === undefined) continue;
    onSet?.(file);
    const ranking = new ToolRanking(rankedTools(set));
    sets.push({
      set: file.slice(0, -'.json'.length),
      tools: set.tools.length,
      questions: set.queries.length,
      ranking: scoreTools(set, (q) =>
        ranking.rank(q.query, 4 * TOP, { history: q.history ?? [], links: wordLinks }),
      ),
      bm25: scoreTools(set, plainWords(set)),
    });
  }
  return { schema_version: '1', sets };
}

/** Undefined: not there, or no set of questions (a mere list of tools). */
export function loadToolSet(folder: string, name: string): ToolSet | undefined {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) return undefined;
  const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<ToolSet>;
  if (!Array.isArray(value.tools) || !Array.isArray(value.queries) || value.queries.length === 0)
    return undefined;
  return value as ToolSet;
}

/** Keys are names: where two servers have a tool of one name, the set means either. */
export function rankedTools(set: ToolSet): RankedTool[] {
  return set.tools.map((t) => ({
    key: t.name,
    name: t.name,
    description: t.description ?? '',
    parameters: t.parameters,
    group: t.server,
  }));
}

export function scoreTools(set: ToolSet, rank: Rank): ToolScore {
  let recall = 0;
  let all = 0;
  for (const q of set.queries) {
    const gold = [...new Set(q.gold)];
    // Two servers may have tools of one name: a name counts once.
    const first = new Set([...new Set(rank(q))].slice(0, TOP));
    const found = gold.filter((name) => first.has(name)).length;
    recall += found / gold.length;
    if (found === gold.length) all += 1;
  }
  return { recall: recall / set.queries.length, all: all / set.queries.length };
}

/** BM25 over name, description and parameters. */
export function plainWords(set: ToolSet): Rank {
  const index = new WordIndex(
    rankedTools(set).map((t) => {
      const bag = new Map<string, number>();
      const text = `${t.name} ${t.name} ${t.description} ${JSON.stringify(t.parameters ?? '')}`;
      for (const w of stems(text)) bag.set(w, (bag.get(w) ?? 0) + 1);
      return bag;
    }),
  );
  return (q) => {
    const words = stems(`${q.history?.at(-1) ?? ''} ${q.query}`);
    const scores = index.scores(new Map(words.map((w) => [w, 1])));
    return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b).map((i) => set.tools[i]!.name);
  };
}
