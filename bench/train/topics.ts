// Trains the topic rule on the dev dialogues and writes src/topics/weights.ts:
//   node dist/bench/train/topics.js [folder]     (default ../shared/data/topics)
// Nothing of the dialogues goes into the file but the weights.

import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COARSE, loadSet } from '../../src/topics/eval/data.js';
import { learn } from '../../src/topics/eval/learn.js';
import type { Logistic } from '../../src/topics/logistic.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = process.argv[2] ?? resolve(root, '../shared/data/topics');
const sets = new Map(
  COARSE.map((name) => {
    const dialogues = loadSet(folder, name);
    if (dialogues === undefined) throw new Error(`no ${name} in ${folder}`);
    return [name, dialogues.filter((d) => d.exchanges.length > 1)] as const;
  }),
);
const rule = learn(sets);

function block(name: string, { names, weights, threshold }: Logistic, list: string): string {
  const rows = names.map((n, i) => `      ${weights[i]!.toFixed(3)}, // ${n}`);
  return `  ${name}: {\n    names: ${list},\n    threshold: ${threshold},\n    weights: [\n${rows.join('\n')}\n    ],\n  },\n`;
}

writeFileSync(
  join(root, 'src/topics/weights.ts'),
  `// Weights of the topic rule, found by \`node dist/bench/train/topics.js\` on the dev dialogues of ../shared/data/topics
// (${COARSE.join(', ')}). Made; don't edit, train again when a feature changes.

import { END_FEATURES, INPUT_FEATURES } from './features.js';
import type { Rule } from './rule.js';

export const WEIGHTS_VERSION = 1;

export const WEIGHTS: Rule = {
${block('input', rule.input, 'INPUT_FEATURES')}${block('end', rule.end, 'END_FEATURES')}  precise: { input: ${rule.precise.input}, end: ${rule.precise.end} },
};
`,
);
console.log(
  `thresholds ${rule.input.threshold} at the input, ${rule.end.threshold} at the end; precise ${rule.precise.input}, ${rule.precise.end}`,
);
