// Runs the built suite on other versions of Node: `npm run test:matrix [-- --node 22,24] [filter..]`. Each version comes from the
// npm package `node`, which brings its headers, into a temporary folder; the native modules are compiled for it in a copy.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const args = process.argv.slice(2);
const at = args.indexOf('--node');
const versions = at < 0 ? ['22', '24', '26'] : args.splice(at, 2)[1].split(',');

/** Modules with compiled code of their own; everything else is shared with the checkout. */
const NATIVE = ['better-sqlite3', 'hnswlib-node'];
/** Beside the modules: what a copy is not made of. */
const LEFT_OUT = ['node_modules', '.git'];
/**
 * Settings of npm that would win over what node-gyp is told here: with a `nodedir` in somebody's npmrc the modules would be
 * compiled for that Node, whichever is under test.
 */
const HEADERS = /^npm_(config|package_config_node_gyp)_(nodedir|target|runtime|dist_?url|devdir)$/i;

function run(command, list, options = {}) {
  const done = spawnSync(command, list, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (done.status !== 0 && options.stdio !== 'inherit') {
    const said = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim().split('\n').slice(-15).join('\n');
    throw new Error(`${command} ${list.slice(0, 3).join(' ')} .. ended with ${done.status}\n${said}`);
  }
  return done;
}

/** npm's own folder: its node-gyp is run by the version under test. */
function npmFolder() {
  const found =
    process.env.npm_execpath ?? join(run('npm', ['root', '-g']).stdout.trim(), 'npm/bin/npm-cli.js');
  return resolve(dirname(found), '..');
}

/** @returns the folder of that Node: bin/node and include/node. */
function install(version, folder) {
  run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `node@${version}`]);
  const own = join(folder, 'node_modules/node/node_modules');
  const name = existsSync(own)
    ? readdirSync(own).find((n) => n.startsWith('node-') && existsSync(join(own, n, 'bin/node')))
    : undefined;
  if (name === undefined) throw new Error(`the npm package node@${version} has no build for this platform`);
  return join(own, name);
}

/** A copy of the checkout whose native modules are compiled for that Node. */
function prepare(home, copy) {
  mkdirSync(join(copy, 'node_modules'), { recursive: true });
  for (const part of readdirSync(root).filter((name) => !LEFT_OUT.includes(name)))
    cpSync(join(root, part), join(copy, part), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const from = join(root, 'node_modules', name);
    const to = join(copy, 'node_modules', name);
    if (NATIVE.includes(name)) cpSync(from, to, { recursive: true, dereference: true });
    else symlinkSync(from, to);
  }
  const gyp = join(npmFolder(), 'node_modules/node-gyp/bin/node-gyp.js');
  const node = join(home, 'bin/node');
  const kept = Object.entries(process.env).filter(([name]) => !HEADERS.test(name));
  const env = { ...Object.fromEntries(kept), PATH: `${join(home, 'bin')}:${process.env.PATH}` };
  for (const name of NATIVE)
    run(node, [gyp, 'rebuild', '--release', `--nodedir=${home}`], {
      cwd: join(copy, 'node_modules', name),
      env,
    });
  // Told here, once, and not by every test that starts a daemon.
  run(node, ['-e', "new (require('better-sqlite3'))(':memory:'); require('hnswlib-node')"], {
    cwd: copy,
    env,
  });
}

let failed = 0;
const outcomes = [];
for (const version of versions) {
  const folder = mkdtempSync(join(tmpdir(), `curated-node-${version}-`));
  try {
    const home = install(version, join(folder, 'node'));
    const exact = run(join(home, 'bin/node'), ['--version']).stdout.trim();
    console.log(`node ${exact}: compiling ${NATIVE.join(', ')}`);
    const copy = join(folder, 'checkout');
    prepare(home, copy);
    const shared = process.env.CURATED_SHARED ?? resolve(root, '../shared');
    const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env.PATH}`, CURATED_SHARED: shared };
    const { status } = run(join(home, 'bin/node'), ['test/run.mjs', ...args], {
      cwd: copy,
      env,
      stdio: 'inherit',
    });
    if (status !== 0) failed++;
    outcomes.push(`node ${exact}: ${status === 0 ? 'passed' : 'failed'}`);
  } catch (e) {
    failed++;
    outcomes.push(`node ${version}: could not be tried: ${e.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
console.log(`\nmatrix (engines ${engines.node})\n${outcomes.map((o) => `  ${o}`).join('\n')}`);
process.exitCode = failed === 0 ? 0 : 1;
