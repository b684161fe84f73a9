// Runs one benchmark: `npm run bench -- <name> [--json] [args..]`. A benchmark is bench/<name>.ts, whose default export
// takes {json, args} and gives {name, figures}; with --json the last line is that object.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const built = join(resolve(dirname(fileURLToPath(import.meta.url)), '..'), 'dist/bench');
const [name, ...rest] = process.argv.slice(2);
const file = join(built, `${name}.js`);
if (name === undefined || name.startsWith('-') || !existsSync(file)) {
  const isBench = (f) => f.endsWith('.js') && /^export default /m.test(readFileSync(join(built, f), 'utf8'));
  const names = existsSync(built) ? readdirSync(built).filter(isBench) : [];
  console.error(
    `usage: npm run bench -- <name> [--json]; there are: ${names.map((f) => f.slice(0, -3)).join(' ')}`,
  );
  process.exit(2);
}
const json = rest.includes('--json');
const { default: run } = await import(pathToFileURL(file).href);
const result = await run({ json, args: rest.filter((a) => a !== '--json') });
if (json) console.log(JSON.stringify({ name: result.name, figures: result.figures }));
else for (const [key, value] of Object.entries(result.figures)) console.log(`${key.padEnd(36)} ${value}`);
