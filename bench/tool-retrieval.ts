// How well the ranking finds the tools that a question needs, per set: recall@10 and the share of questions with all of
// them among the first 10. Three ways: `bm25`, words alone; `held_out`, with links learned from the other four fifths of
// the conversations (the honest figure on the data that the shipped links were learned from); the plain names, as shipped.
import { type RankOptions, ToolRanking } from '../src/curation/tools/ranking/tool-ranking.js';
import { WordIndex } from '../src/curation/tools/ranking/word-index.js';
import { wordLinks } from '../src/curation/tools/ranking/word-links.js';
import { stems } from '../src/curation/tools/ranking/words.js';
import {
  FOLDS,
  foldOf,
  type Links,
  learn,
  loadSet,
  pairsOf,
  type Question,
  rankedTools,
  SETS,
  type ToolSet,
  toolSetsFolder,
} from './tools/sets.js';

const K = 10;

interface Score {
  recall: number;
  all: number;
}

type Rank = (q: Question) => string[];

function score(set: ToolSet, rank: Rank): Score {
  let recall = 0;
  let all = 0;
  for (const q of set.queries) {
    const gold = [...new Set(q.gold)];
    // Two servers may have tools of one name: a name counts once.
    const first = new Set([...new Set(rank(q))].slice(0, K));
    const found = gold.filter((name) => first.has(name)).length;
    recall += found / gold.length;
    if (found === gold.length) all += 1;
  }
  return { recall: recall / set.queries.length, all: all / set.queries.length };
}

function plainWords(set: ToolSet): Rank {
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

function linksFrom(links: Links): NonNullable<RankOptions['links']> {
  return (stem) => links.get(stem) ?? [];
}

export default function run({ args }: { json: boolean; args: string[] }) {
  const folder = toolSetsFolder();
  if (folder === undefined) throw new Error('no data: set CURATED_SHARED');
  const wanted = SETS.filter((name) => args.length === 0 || args.includes(name));
  const sets = new Map(SETS.map((name) => [name, loadSet(folder, name)]));
  const pairs = SETS.flatMap((name) => {
    const set = name === 'bfcl-multi_turn_long_context' ? undefined : sets.get(name);
    return set === undefined ? [] : pairsOf(set);
  });
  const folds = Array.from({ length: FOLDS }, (_, f) => linksFrom(learn(pairs.filter((p) => p.fold !== f))));
  const figures: Record<string, number> = {};
  for (const name of wanted) {
    const set = sets.get(name);
    if (set === undefined) continue;
    const ranking = new ToolRanking(rankedTools(set));
    const ask = (q: Question, links?: RankOptions['links']) =>
      ranking.rank(q.query, 4 * K, { history: q.history ?? [], ...(links === undefined ? {} : { links }) });
    const ways: [string, Score][] = [
      ['', score(set, (q) => ask(q, wordLinks))],
      ['held_out.', score(set, (q) => ask(q, folds[foldOf(q.id)]))],
      ['unlearned.', score(set, (q) => ask(q))],
      ['bm25.', score(set, plainWords(set))],
    ];
    for (const [way, { recall, all }] of ways) {
      figures[`${name}.${way}recall@${K}`] = round(recall);
      figures[`${name}.${way}all_gold@${K}`] = round(all);
    }
  }
  return { name: 'tool-retrieval', figures };
}

function round(v: number): number {
  return Math.round(v * 1000) / 1000;
}
