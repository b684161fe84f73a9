// Generated files are what README says they are: nobody has edited them, and none was made anew without a word.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, sources } from './imports.js';

const ROW = /^\| `([^`]+)` +\|.*\| `([0-9a-f]{16})` +\|$/gm;
const rows = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(ROW)].map(([, path, hash]) => ({
  path: path!,
  hash: hash!,
}));

test('every generated file that README lists has the hash it gives', () => {
  assert.ok(rows.length >= 9);
  for (const { path, hash } of rows) {
    const found = createHash('sha256')
      .update(readFileSync(join(ROOT, path)))
      .digest('hex')
      .slice(0, 16);
    assert.equal(found, hash, path);
  }
});

test('every source that calls itself generated is on the list', () => {
  const listed = new Set(rows.map((r) => r.path));
  const missing = sources('src', 'workers', 'native')
    .map((f) => f.path)
    .filter((p) => /do not edit|not to be edited/i.test(readFileSync(join(ROOT, p), 'utf8').slice(0, 600)))
    .filter((p) => !listed.has(p));
  assert.deepEqual(missing, []);
});
