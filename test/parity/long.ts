// The long form of the fuzz: `node dist/test/parity/long.js [strings] [seed]`, 10 million by default (about 20 minutes).

import { attach } from '../../native/index.js';
import { seeded } from '../../src/random.js';
import { ENCODINGS, expected, smallest } from './oracle.js';
import { randomString } from './strings.js';

const strings = Number(process.argv[2] ?? 10_000_000);
const seed = Number(process.argv[3] ?? 1);
const tokenizer = attach();
const random = seeded(seed);
let differences = 0;
for (let i = 0; i < strings; i++) {
  const text = randomString(random);
  for (const encoding of ENCODINGS) {
    const differs = (t: string) => tokenizer.count(t, encoding) !== expected(t, encoding);
    if (!differs(text)) continue;
    differences++;
    console.error(`${encoding} string ${i}: ${JSON.stringify(smallest(text, differs))}`);
  }
  if (i % 1_000_000 === 999_999) console.log(`${i + 1} strings, ${differences} differences`);
}
console.log(`${strings} strings (seed ${seed}) x ${ENCODINGS.length} encodings: ${differences} differences`);
process.exitCode = differences === 0 ? 0 : 1;
