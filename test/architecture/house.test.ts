// doc/house.md tells where things are: what it names is there, and every room is in it.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './imports.js';

const page = readFileSync(join(ROOT, 'doc/house.md'), 'utf8');

function rooms(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((e) => e.isDirectory())
    .map((e) => `${e.name}/`)
    .sort();
}

/** First cells of the table under a heading. */
function told(heading: string): string[] {
  const section = page.split(/^## /m).find((s) => s.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([a-z-]+\/)`/gm)].map((m) => m[1]!).sort();
}

test('doc/house.md has every room of src/ and of src/session/, and no other', () => {
  assert.deepEqual(told('Rooms of `src/`\n'), rooms('src'));
  assert.deepEqual(told('Rooms of `src/session/`\n'), rooms('src/session'));
});

test('doc/house.md names files that are there', () => {
  const named = [...page.matchAll(/`((?:src\/)?[a-z-]+\/[a-z/-]+\.ts)`/g)].map((m) => m[1]!);
  assert.ok(named.length > 10);
  const missing = named.filter(
    (n) => !existsSync(join(ROOT, n)) && !existsSync(join(ROOT, 'src/session', n)),
  );
  assert.deepEqual(missing, []);
});
