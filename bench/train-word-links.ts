// Writes src/curation/tools/ranking/word-links-data.ts from the development sets: the only learned numbers of the ranking.
// `npm run bench -- train-word-links`, then build.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadToolSet } from '../src/eval/sets/tools.js';
import { learn, pairsOf, SETS, toolSetsFolder } from './tools/sets.js';

const FILE = 'src/curation/tools/ranking/word-links-data.ts';

const HEAD = `// Written by bench/train-word-links.ts; not to be edited. Words of questions and the words of tools that answered them, with
// weights in percent, counted over the questions of BFCL, LiveMCPBench and Seal-Tools (Apache-2.0) and MetaTool (MIT).
// One entry: question stem:tool stem=weight,..
`;

export default function run(): { name: string; figures: Record<string, number> } {
  const folder = toolSetsFolder();
  if (folder === undefined) throw new Error('no development data: set CURATED_SHARED');
  const pairs = SETS.flatMap((name) => {
    // The long-context set has the questions of the base set once more.
    const set = name === 'bfcl-multi_turn_long_context' ? undefined : loadToolSet(folder, name);
    return set === undefined ? [] : pairsOf(set);
  });
  const links = learn(pairs);
  const rows = [...links]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([u, row]) => `${u}:${row.map(([w, x]) => `${w}=${Math.round(100 * x)}`).join(',')}`);
  const root = resolve(fileURLToPath(import.meta.url), '../../..');
  const text = `${HEAD}export const WORD_LINKS =\n  '${rows.join(' ')}';\n`;
  writeFileSync(resolve(root, FILE), text);
  return {
    name: 'train-word-links',
    figures: {
      pairs: pairs.length,
      words: links.size,
      links: rows.join().split('=').length - 1,
      bytes: text.length,
    },
  };
}
