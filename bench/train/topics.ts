// Trains the topic rule on the dev dialogues and writes src/topics/weights.ts:
//   node dist/bench/train/topics.js [folder]     (default ../shared/data, with topics and transcripts)
// Nothing of the dialogues goes into the file but the weights.

import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COARSE, loadSet } from '../../src/topics/eval/data.js';
import { learn } from '../../src/topics/eval/learn.js';
import { splicedSets } from '../../src/topics/eval/splice.js';
import type { Net } from '../../src/topics/net.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = process.argv[2] ?? resolve(root, '../shared/data');
const sets = new Map(
  COARSE.map((name) => {
    const dialogues = loadSet(join(folder, 'topics'), name);
    if (dialogues === undefined) throw new Error(`no ${name} in ${folder}`);
    return [name, dialogues.filter((d) => d.exchanges.length > 1)] as const;
  }),
);
const rule = learn(sets, splicedSets(folder));
const { gate } = rule.precise;

/** Four significant digits: what they leave off changes no decision. */
const digits = (v: number) => String(Number(v.toPrecision(4)));

function block(name: string, { names, weights, units, threshold }: Net, list: string): string {
  const direct = names.map((n, i) => `      ${digits(weights[i]!)}, // ${n}`);
  const bent = units.map(
    (u) => `      { out: ${digits(u.out)}, weights: [${u.weights.map(digits).join(', ')}] },`,
  );
  return `  ${name}: {\n    names: ${list},\n    threshold: ${threshold},\n    weights: [\n${direct.join('\n')}\n    ],\n    units: [\n${bent.join('\n')}\n    ],\n  },\n`;
}

writeFileSync(
  join(root, 'src/topics/weights.ts'),
  `// biome-ignore-all format: a unit a line
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: found, not meant
// Weights of the topic rule, found by \`node dist/bench/train/topics.js\` on the dev dialogues of ../shared/data
// (${COARSE.join(', ')}, and conversations spliced of others). Made; don't edit, train again when a feature changes.

import { END_FEATURES, INPUT_FEATURES } from './features.js';
import { GATE_FEATURES } from './gate.js';
import type { Rule } from './rule.js';

export const WEIGHTS_VERSION = 6;

export const WEIGHTS: Rule = {
${block('input', rule.input, 'INPUT_FEATURES')}${block('end', rule.end, 'END_FEATURES')}  precise: {
    input: ${rule.precise.input},
    end: ${rule.precise.end},
    gate: {
      names: GATE_FEATURES,
      threshold: ${gate.threshold},
      weights: [
${gate.names.map((n, i) => `        ${digits(gate.weights[i]!)}, // ${n}`).join('\n')}
      ],
    },
  },
};
`,
);
console.log(
  `thresholds ${rule.input.threshold} at the input, ${rule.end.threshold} at the end; precise ${rule.precise.input}, ${rule.precise.end}, about code ${gate.threshold}`,
);
