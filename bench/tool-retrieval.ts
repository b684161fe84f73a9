// How well the ranking finds the tools that a question needs, per set: recall@10 and the share of questions with all of
// them among the first 10. Three ways: `bm25`, words alone; `held_out`, with links learned from the other four fifths of
// the conversations (the honest figure on the data that the shipped links were learned from); the plain names, as shipped.
import { type RankOptions, ToolRanking } from '../src/curation/tools/ranking/tool-ranking.js';
import { wordLinks } from '../src/curation/tools/ranking/word-links.js';
import {
  loadToolSet,
  plainWords,
  type Question,
  rankedTools,
  scoreTools,
  TOP,
  type ToolScore,
} from '../src/eval/sets/tools.js';
import { FOLDS, foldOf, type Links, learn, pairsOf, SETS, toolSetsFolder } from './tools/sets.js';

function linksFrom(links: Links): NonNullable<RankOptions['links']> {
  return (stem) => links.get(stem) ?? [];
}

export default function run({ args }: { json: boolean; args: string[] }) {
  const folder = toolSetsFolder();
  if (folder === undefined) throw new Error('no data: set CURATED_SHARED');
  const wanted = SETS.filter((name) => args.length === 0 || args.includes(name));
  const sets = new Map(SETS.map((name) => [name, loadToolSet(folder, name)]));
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
      ranking.rank(q.query, 4 * TOP, { history: q.history ?? [], ...(links === undefined ? {} : { links }) });
    const ways: [string, ToolScore][] = [
      ['', scoreTools(set, (q) => ask(q, wordLinks))],
      ['held_out.', scoreTools(set, (q) => ask(q, folds[foldOf(q.id)]))],
      ['unlearned.', scoreTools(set, (q) => ask(q))],
      ['bm25.', scoreTools(set, plainWords(set))],
    ];
    for (const [way, { recall, all }] of ways) {
      figures[`${name}.${way}recall@${TOP}`] = round(recall);
      figures[`${name}.${way}all_gold@${TOP}`] = round(all);
    }
  }
  return { name: 'tool-retrieval', figures };
}

function round(v: number): number {
  return Math.round(v * 1000) / 1000;
}
