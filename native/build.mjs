// Builds what native/ needs at install, into native/build (never committed): the tables of both encodings as one
// blob, and the WASM core in three builds. Skips what is fresh. Everything comes from node_modules and native/:
// nothing is downloaded. `--check` only compares the hashes of a fresh compile with native/core.sha256; `--pin` rewrites it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packTables } from './packer/tables.mjs';
import { readTokens } from './packer/vocabulary.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const out = join(root, 'build');
const require = createRequire(import.meta.url);
const sha = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** name -> asc flags beyond the common ones. The plain build is for hosts without SIMD or shared memory. */
const VARIANTS = {
  core: ['--enable', 'simd', '--enable', 'threads', '--sharedMemory', '--maximumMemory', '32768'],
  'core-private': ['--enable', 'simd'],
  'core-plain': [],
};

/** Writes through a rename, so that a reader never sees half a file. */
function put(name, bytes) {
  const at = join(out, name);
  writeFileSync(`${at}.${process.pid}`, bytes);
  renameSync(`${at}.${process.pid}`, at);
}

/** sha256 over every file the outputs depend on. */
function inputs() {
  const files = ['build.mjs', 'data/unicode-16.txt'];
  for (const dir of ['assembly', 'packer']) {
    for (const f of readdirSync(join(root, dir)).sort()) files.push(`${dir}/${f}`);
  }
  const parts = files.map((f) => `${f} ${sha(readFileSync(join(root, f)))}`);
  for (const p of ['@dqbd/tiktoken', 'assemblyscript']) {
    const pkg = JSON.parse(readFileSync(join(packageDir(p), 'package.json'), 'utf8'));
    parts.push(`${p} ${pkg.version}`);
  }
  return sha(parts.join('\n'));
}

function packageDir(name) {
  for (const base of require.resolve.paths(name) ?? []) {
    if (existsSync(join(base, name, 'package.json'))) return join(base, name);
  }
  throw new Error(`${name} is not installed`);
}

async function compile() {
  const asc = (await import('assemblyscript/asc')).default;
  const sources = new Map(
    readdirSync(join(root, 'assembly'))
      .filter((f) => f.endsWith('.ts'))
      .map((f) => [`assembly/${f}`, readFileSync(join(root, 'assembly', f), 'utf8')]),
  );
  const built = {};
  for (const [name, flags] of Object.entries(VARIANTS)) {
    let wasm;
    const { error, stderr } = await asc.main(
      [
        'assembly/core.ts',
        '-o',
        'core.wasm',
        '--runtime',
        'stub',
        '--importMemory',
        '--initialMemory',
        '1',
      ].concat(['-O3', '--noAssert', '--converge', '--enable', 'bulk-memory', '--use', 'abort='], flags),
      {
        readFile: (f) => sources.get(f.replaceAll('\\', '/')) ?? null,
        writeFile: (f, bytes) => {
          if (f.endsWith('.wasm')) wasm = bytes;
        },
        listFiles: () => [],
      },
    );
    if (args.includes('--verbose')) console.log(stderr.toString());
    if (error) throw new Error(`asc: ${error.message}\n${stderr.toString()}`);
    built[name] = wasm;
  }
  return built;
}

const started = Date.now();
const args = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const stamp = inputs();
const names = ['tables.bin', ...Object.keys(VARIANTS).map((v) => `${v}.wasm`)];
const stampFile = join(out, 'stamp');
const fresh =
  names.every((n) => existsSync(join(out, n))) &&
  existsSync(stampFile) &&
  readFileSync(stampFile, 'utf8') === stamp;

if (!fresh || args.length > 0) {
  const built = await compile();
  const hashes = Object.entries(built)
    .map(([n, b]) => `${sha(b)}  ${n}.wasm\n`)
    .join('');
  const pinned = join(root, 'core.sha256');
  if (args.includes('--pin')) writeFileSync(pinned, hashes);
  const same = existsSync(pinned) && readFileSync(pinned, 'utf8') === hashes;
  if (args.includes('--check')) {
    if (!same) {
      console.error(`native/core.sha256 does not match this build:\n${hashes}`);
      process.exitCode = 1;
    }
  } else {
    if (!same)
      console.warn(
        'native: the WASM differs from native/core.sha256 (changed sources need: node native/build.mjs --pin)',
      );
    for (const [n, b] of Object.entries(built)) put(`${n}.wasm`, b);
    const dir = packageDir('@dqbd/tiktoken');
    const encoder = (n) => JSON.parse(readFileSync(join(dir, 'encoders', `${n}.json`), 'utf8'));
    const encodings = [
      { tokens: readTokens(encoder('o200k_base')), pattern: 'o200k' },
      { tokens: readTokens(encoder('cl100k_base')), pattern: 'cl100k' },
    ];
    put('tables.bin', packTables({ classes: join(root, 'data/unicode-16.txt') }, encodings));
    put('stamp', stamp);
    console.log(`native: built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  }
}
