// Counts of every text of the shared data, where it is present.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { attach } from '../../native/index.js';
import { ENCODINGS, expected } from './oracle.js';

const root = resolve(fileURLToPath(import.meta.url), '../../../..');
const data = join(process.env['CURATED_SHARED'] ?? resolve(root, '../shared'), 'data');

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') into.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const v of Object.values(value)) collect(v, into);
}

for (const encoding of ENCODINGS) {
  test(`F31 every text of the shared data counts as the reference counts it (${encoding})`, (t) => {
    if (!existsSync(data)) return t.skip(`no shared data at ${data}`);
    const tokenizer = attach();
    let texts = 0;
    for (const f of readdirSync(data, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.jsonl?$/.test(f)) continue;
      const found = new Set<string>();
      const raw = readFileSync(join(data, f), 'utf8');
      for (const part of f.endsWith('l') ? raw.split('\n') : [raw])
        if (part !== '') collect(JSON.parse(part), found);
      const list = [...found];
      const counts = tokenizer.countMany(list, encoding);
      list.forEach((text, i) => {
        if (counts[i] !== expected(text, encoding))
          assert.fail(`${f}: ${JSON.stringify(text.slice(0, 200))}`);
      });
      texts += list.length;
    }
    assert.ok(texts > 1000);
  });
}
