// Runs the compiled test suite (dist/test/**/*.test.js) with node's own runner; arguments filter by path part.
// A script and not `node --test <glob>`, because Node 20 has no globs and 22 no longer takes folders.
import { readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const filters = process.argv.slice(2).map((f) => f.replace(/^\.?\//, '').replace(/\.ts$/, ''));
const files = readdirSync(join(root, 'dist/test'), { recursive: true, encoding: 'utf8' })
  .filter((f) => f.endsWith('.test.js'))
  .map((f) => join(root, 'dist/test', f))
  .filter(
    (f) => filters.length === 0 || filters.some((part) => relative(join(root, 'dist'), f).includes(part)),
  )
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${filters.join(' ') || '(none built: run npm run build)'}`);
  process.exit(1);
}
// Properties draw anew in each run, from a seed that is told; a check of a commit has one of its own, to be the same each time.
process.env.CURATED_FC_SEED ??= String(Math.floor(Math.random() * 2 ** 31));
console.log(`properties draw from CURATED_FC_SEED=${process.env.CURATED_FC_SEED}`);
process.execArgv.push('--import', pathToFileURL(join(root, 'dist/test/support/seed.js')).href);
const stream = run({ files, concurrency: 2, timeout: 600_000 });
stream.on('test:fail', () => {
  process.exitCode = 1;
});
stream.compose(new spec()).pipe(process.stdout);
