// The ranking over a host's tool list: which of its tools a few words are about. Pure; made once for each list.

import type { ToolEntry } from './catalog.js';
import { ToolRanking } from './ranking/tool-ranking.js';
import { wordLinks } from './ranking/word-links.js';
import { stems } from './ranking/words.js';

interface Indexed {
  ranking: ToolRanking;
  entries: ReadonlyMap<string, ToolEntry>;
  words: ReadonlySet<string>;
}

const indexes = new WeakMap<readonly ToolEntry[], Indexed>();

/** Best first; none when the words say nothing that the list or the table of linked words knows. */
export function rankTools(
  catalog: readonly ToolEntry[],
  question: string,
  k: number,
  history: readonly string[] = [],
): ToolEntry[] {
  let index = indexes.get(catalog);
  if (index === undefined) {
    index = indexOf(catalog);
    indexes.set(catalog, index);
  }
  const { ranking, entries, words } = index;
  const known = stems(question).some(
    (w) => words.has(w) || wordLinks(w).some(([linked]) => words.has(linked)),
  );
  if (!known) return [];
  return ranking.rank(question, k, { links: wordLinks, history }).map((key) => entries.get(key)!);
}

function indexOf(catalog: readonly ToolEntry[]): Indexed {
  const named = catalog.filter((t) => t.name !== undefined);
  const tools = named.map((t) => ({
    key: t.key,
    name: t.name!,
    description: t.description,
    parameters: t.parameters === undefined ? undefined : (JSON.parse(t.parameters) as unknown),
    group: t.class,
  }));
  return {
    ranking: new ToolRanking(tools),
    entries: new Map(named.map((t) => [t.key, t])),
    words: new Set(named.flatMap((t) => stems(`${t.name} ${t.description} ${t.class ?? ''}`))),
  };
}
