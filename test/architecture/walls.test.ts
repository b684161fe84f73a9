// The walls of the house: no rings, arrows only inward, pure rooms stay pure.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, rings, roomOf, sources } from './imports.js';

const files = sources('src', 'workers', 'native');

/** What each room may import, beside itself. A room that is not here may not exist. */
const FOUNDATION = [
  'errors',
  'clock',
  'config',
  'paths',
  'version',
  'hash',
  'random',
  'sorted',
  'json',
  'latest',
  'native-module',
  'process-life',
  'data-lock',
  'sqlite',
  'named-file',
];
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  clock: [],
  version: [],
  config: ['errors'],
  paths: ['errors'],
  hash: [],
  random: [],
  sorted: [],
  latest: [],
  'native-module': [],
  json: ['errors'],
  'process-life': [],
  'data-lock': ['errors', 'native-module', 'sqlite'],
  sqlite: [],
  opened: [],
  'named-file': [],
  providers: FOUNDATION,
  protocol: FOUNDATION,
  redaction: ['json'],
  settings: [...FOUNDATION, 'redaction'],
  economics: [...FOUNDATION, 'settings', 'providers'],
  native: ['errors', 'paths'],
  pool: [...FOUNDATION, 'native', 'curation', 'topics', 'summary'],
  tokens: [...FOUNDATION, 'providers', 'pool'],
  journal: FOUNDATION,
  topics: [...FOUNDATION, 'native', 'pool', 'settings'],
  context: [...FOUNDATION, 'journal', 'tokens', 'topics', 'settings', 'providers'],
  summary: [...FOUNDATION, 'providers', 'tokens', 'pool', 'settings'],
  curation: [
    ...FOUNDATION,
    'providers',
    'settings',
    'economics',
    'pool',
    'tokens',
    'topics',
    'summary',
    'context',
  ],
  session: [
    ...FOUNDATION,
    'protocol',
    'providers',
    'settings',
    'economics',
    'curation',
    'tokens',
    'journal',
    'pool',
    'context',
    'summary',
    'topics',
  ],
  gate: [...FOUNDATION],
  observe: [...FOUNDATION],
  service: [
    ...FOUNDATION,
    'protocol',
    'session',
    'gate',
    'journal',
    'pool',
    'tokens',
    'providers',
    'settings',
    'redaction',
    'context',
    'summary',
    'topics',
    'economics',
    'curation',
  ],
  client: [...FOUNDATION, 'protocol'],
  mcp: [...FOUNDATION, 'protocol', 'client'],
  workers: ['pool', 'native', 'journal', 'topics', 'summary', 'eval', 'context'],
  eval: [
    ...FOUNDATION,
    'client',
    'economics',
    'providers',
    'settings',
    'tokens',
    'protocol',
    'topics',
    'summary',
    'curation',
    'session',
    'journal',
    'pool',
    'native',
    'context',
    'service',
  ],
};

/** Rooms that join others: the composition root, the command line, the public door. */
const JOINERS = new Set([
  'daemon',
  'daemon-config',
  'settings-file',
  'movable-clock',
  'vocabularies',
  'main',
  'index',
  'cli',
]);

test('no file is part of an import ring', () => {
  assert.deepEqual(rings(files), []);
});

test('every arrow between rooms points inward', () => {
  const wrong: string[] = [];
  for (const file of files) {
    const room = roomOf(file.path);
    if (JOINERS.has(room)) continue;
    const allowed = ALLOWED[room];
    if (allowed === undefined) {
      wrong.push(`${file.path}: the room ${room} has no walls; give it some`);
      continue;
    }
    for (const { target, own } of file.imports) {
      if (!own) continue;
      const other = roomOf(target);
      if (other !== room && !allowed.includes(other)) wrong.push(`${file.path} -> ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('pure rooms know no I/O, clock or chance', () => {
  const pure = new Set(['json', 'providers', 'protocol', 'economics', 'curation', 'settings']);
  const forbidden = /^(node:(?!crypto$|util$|buffer$)|fs$|net$|ws$|piscina$|better-sqlite3$|undici$)/;
  const calls =
    /\b(Date\.now|Math\.random|new Date\(\)|performance\.now|process\.env|setTimeout|setInterval)\b/;
  const wrong: string[] = [];
  for (const file of files) {
    if (!pure.has(roomOf(file.path))) continue;
    for (const { target, own } of file.imports)
      if (!own && forbidden.test(target)) wrong.push(`${file.path}: ${target}`);
    const code = readFileSync(join(ROOT, file.path), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    const found = calls.exec(code);
    if (found !== null) wrong.push(`${file.path}: ${found[0]}`);
  }
  assert.deepEqual(wrong, []);
});

test('SQLite is opened in one place, which leaves nothing of it to the garbage collector', () => {
  const others = [...files, ...sources('test', 'bench')].filter(
    (f) =>
      f.path !== 'src/sqlite.ts' &&
      f.imports.some(({ target, typeOnly }) => target === 'better-sqlite3' && !typeOnly),
  );
  assert.deepEqual(
    others.map((f) => f.path),
    [],
  );
});

test('every file starts with what it is', () => {
  const wrong = files
    .map((f) => f.path)
    .filter((p) => !/^(#!.*\n)?(\/\/|\/\*)/.test(readFileSync(join(ROOT, p), 'utf8')));
  assert.deepEqual(wrong, []);
});

test('workers are thin and files stay small', () => {
  const thick = files
    .filter((f) => f.path.startsWith('workers/') && f.lines > 41)
    .map((f) => `${f.path}: ${f.lines}`);
  assert.deepEqual(thick, []);
  const sorted = files.map((f) => f.lines).sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1]!;
  assert.ok(median <= 130, `the median file has ${median} lines`);
});

test('only the composition root joins the gate and the journal', () => {
  const joiners = files.filter((f) => {
    const rooms = new Set(f.imports.filter((i) => i.own).map((i) => roomOf(i.target)));
    return rooms.has('gate') && rooms.has('journal') && !JOINERS.has(roomOf(f.path));
  });
  assert.deepEqual(
    joiners.map((f) => f.path),
    [],
  );
});

test('an error names its place by a JSON pointer, wherever it is thrown', () => {
  const dotted = /(?:\bfail|CuratedError)\([^;]*?\bpath: (['"`])(?!\/|\$\{)[^;]{0,40}/g;
  const found = files.flatMap(({ path }) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(dotted)].map(([text]) => `${path}: ${text}`),
  );
  assert.deepEqual(found, []);
});
