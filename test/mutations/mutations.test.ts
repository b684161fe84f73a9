// The suite itself under test: safeguards taken out of a copy of the build turn tests red. The long form is `npm run test:mutations`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '../../../..');

test('F41 F46 without its compare-and-swap, or with sealed values that open anywhere, tests of the journal fail', () => {
  const run = spawnSync(process.execPath, [resolve(root, 'test/mutations/run.mjs'), '--short'], {
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /2 of 2 mutations were noticed/);
});

test('F41 each safeguard that the long form takes out stands once where it looks for it', async () => {
  const { MUTATIONS } = (await import(resolve(root, 'test/mutations/mutations.mjs'))) as {
    MUTATIONS: { name: string; file: string; from: string; tests: string[] }[];
  };
  const built = (file: string): string => {
    const path = resolve(root, 'dist', file);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const lost = MUTATIONS.filter(({ file, from }) => built(file).split(from).length !== 2).map((m) => m.name);
  assert.ok(MUTATIONS.length > 10);
  assert.deepEqual(lost, []);
  assert.deepEqual(
    MUTATIONS.flatMap((m) => m.tests).filter((t) => built(t) === ''),
    [],
  );
});
