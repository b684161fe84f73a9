// Applies each mutation of mutations.mjs to a copy of the build and runs the tests that must notice it.
// Usage: npm run test:mutations [-- --short] [-- words of a name]. Exits 1 when a mutation goes unnoticed, or no longer fits the code.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MUTATIONS } from './mutations.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const short = process.argv.includes('--short');
const words = process.argv.slice(2).filter((a) => !a.startsWith('--'));
const chosen = MUTATIONS.filter((m) => (!short || m.short) && words.every((w) => m.name.includes(w)));

/** A tree that runs like the checkout, with a build of its own. */
function copy() {
  const folder = mkdtempSync(join(tmpdir(), 'curated-mutation-'));
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const name of [
    'node_modules',
    'native',
    'src',
    'test',
    'demo',
    'workers',
    'package.json',
    'README.md',
  ])
    symlinkSync(join(root, name), join(folder, name));
  return folder;
}

function replaced(text, { from, to }, name) {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`${name}: its text stands ${parts.length - 1} times in the file, not once`);
  return parts.join(to);
}

function noticed(folder, tests) {
  for (const test of tests) {
    const run = spawnSync(process.execPath, ['--preserve-symlinks-main', join(folder, 'dist', test)], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 300_000,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, CURATED_KILLS: '3' },
    });
    const failed = /^not ok \d+ - (?!\/)(.*)$/m.exec(run.stdout.replace(/^\s+/gm, ''));
    if (run.status !== 0) return failed?.[1] ?? `${test} ends with ${run.status ?? run.signal}`;
  }
  return undefined;
}

const folder = copy();
let missed = 0;
try {
  for (const m of chosen) {
    const path = join(folder, 'dist', m.file);
    const original = readFileSync(path, 'utf8');
    let text = replaced(original, m, m.name);
    if (m.also !== undefined) text = replaced(text, m.also, m.name);
    writeFileSync(path, text);
    const by = noticed(folder, m.tests);
    writeFileSync(path, original);
    if (by === undefined) missed += 1;
    console.log(
      by === undefined ? `NOT NOTICED  ${m.name}` : `noticed      ${m.name}\n             by: ${by}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${chosen.length - missed} of ${chosen.length} mutations were noticed`);
process.exitCode = missed > 0 || chosen.length === 0 ? 1 : 0;
