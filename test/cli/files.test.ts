// What commands say of files and folders that are not what they should be: always which, and what to do.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkFiles, spacious } from '../../src/cli/health-checks.js';
import { connect } from '../../src/client/index.js';
import { fileFault, withPath } from '../../src/named-file.js';
import { resolvePaths } from '../../src/paths.js';
import { curated, homeFor } from './command.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

test('P-12 a folder where a file is needed is named, and the command line is wrong', async (t) => {
  const home = homeFor(t);
  const folder = join(home, 'folder');
  const inFile = join(home, 'file', 'x');
  mkdirSync(folder);
  writeFileSync(join(home, 'file'), 'x');
  const told = await Promise.all(
    [
      ['config', 'check', folder],
      ['config', 'check', '--print-config', folder],
      ['start', '--config', folder],
      ['count', folder],
      ['run', folder],
      ['run', '--config', folder, join(home, 'file')],
      ['eval', '--presets', folder],
      ['count', inFile],
    ].map(async (args) => ({ args, ...(await curated(args, home)) })),
  );
  for (const { args, code, stderr } of told) {
    assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
    const path = args.includes(inFile) ? inFile : folder;
    assert.match(stderr, /^curated: .+(folder|there is no)/, args.join(' '));
    assert.ok(stderr.startsWith(`curated: ${path}: `), stderr);
  }
  const json = await curated(['count', folder, '--json'], home);
  assert.deepEqual(
    Object.entries(JSON.parse(json.stdout).error as object).filter(([key]) => key !== 'message'),
    [
      ['kind', 'EISDIR'],
      ['path', folder],
      ['hint', 'name a file'],
    ],
  );
});

test('F47 an error of an open file tells the path that the system leaves out', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  assert.equal(
    fileFault(withPath(full, '/x/report.json') as Error),
    '/x/report.json: no space left on its disk',
  );
  const other = Object.assign(new Error("EACCES: permission denied, open '/y'"), {
    code: 'EACCES',
    path: '/y',
  });
  assert.equal(
    fileFault(withPath(other, '/x') as Error),
    '/y: permission denied',
    'a path that is there stays',
  );
  assert.equal(fileFault(new Error('no file at all')), undefined);
});

test('J-7 a backup or a salvaged journal is never put into a folder that was made of a mistyped name', async (t) => {
  const home = homeFor(t);
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const client = await connect({ home, client: { name: 'test', version: '1' } });
  const session = await client.session({ session: 'one $(two)', format: 'openai-chat', model: 'gpt-5.4' });
  await session.append([{ role: 'user', content: 'hello' }]);
  await client.close();
  const gone = join(home, 'gone', 'copy.db');
  const byDaemon = await curated(['journal', 'backup', gone], home);
  assert.equal((await curated(['sessions', '--ids'], home)).stdout, 'one $(two)\n');
  assert.equal((await curated(['stop'], home)).code, 0);
  const byFile = await curated(['journal', 'backup', gone], home);
  const salvaged = await curated(['journal', 'salvage', '--to', gone], home);
  for (const { code, stderr } of [byDaemon, byFile, salvaged]) {
    assert.equal(code, 1);
    assert.ok(stderr.includes(`there is no folder ${join(home, 'gone')}`), stderr);
  }
  assert.ok(!existsSync(join(home, 'gone')));
});

test('J-2 import reads no more than the beginning of a file to find whose export it is', async (t) => {
  const home = homeFor(t);
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const endless = join(home, 'endless.jsonl');
  writeFileSync(endless, `{"session_id": "s", ${' '.repeat(200_000)}}\n`);
  const { code, stderr } = await curated(['journal', 'import', endless], home);
  assert.equal(code, 1);
  assert.match(stderr, /endless\.jsonl is no export: its first line names no session/);
  const folder = await curated(['journal', 'import', home], home);
  assert.deepEqual(
    [folder.code, folder.stderr.includes(`${home}: that is a folder`)],
    [2, true],
    folder.stderr,
  );
});

test('J-13 import tells of an old session that retention will remove, unless all are kept', async (t) => {
  const home = homeFor(t);
  const old = join(ROOT, 'test', 'fixtures', 'journal', 'v1.jsonl');
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const byDaemon = await curated(['journal', 'import', old], home);
  assert.match(byDaemon.stderr, /^note its newest event is of 2023-11-14, .*journal\.retain_days: 30/);
  assert.equal((await curated(['stop'], home)).code, 0);
  const byFile = await curated(['journal', 'import', old, '--as', 'other', '--json'], home);
  assert.match((JSON.parse(byFile.stdout) as { warning: string }).warning, /2023-11-14/);
  writeFileSync(join(home, 'config.yaml'), 'journal:\n  retain_days: 0\n');
  const kept = await curated(['journal', 'import', old, '--as', 'third'], home);
  assert.deepEqual([kept.code, kept.stderr], [0, '']);
  rmSync(join(home, 'config.yaml'));
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  assert.equal((await curated(['stop'], home)).code, 0);
  assert.match(
    readFileSync(join(home, 'run', 'daemon.log'), 'utf8'),
    /"sessions":\["golden","other","third"\],"removed":3/,
    'what is gone for good is named in the log',
  );
});

test('J-7 doctor tells what the daemon may not write, and a disk without room', () => {
  const closed = () => {
    throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
  };
  const wrong = (home: string, access?: () => void) =>
    checkFiles(resolvePaths({}, home), access).filter((f) => f.level === 'error');
  const [run, data] = wrong('/proc/curated', closed);
  assert.equal(
    run!.what,
    'run folder: /proc/curated/run cannot be made in /proc: its disk is mounted read-only',
  );
  assert.match(`${data!.what} ${data!.todo}`, /^data folder.*another CURATED_HOME$/);
  assert.deepEqual(
    wrong('/proc/curated', () => {}),
    [],
  );
  assert.deepEqual(spacious('/x', 99), [
    {
      level: 'error',
      what: 'data folder: /x: 99 B left on its disk',
      todo: 'make room: on a full disk new work is refused until there is some',
    },
  ]);
  assert.equal(spacious('/x', 50 * 1024 * 1024)[0]!.level, 'note');
  assert.deepEqual(spacious('/x', 1e12), []);
});

test('P-12 logs without a session, and folders that are gone, are told, not shown as a table of nothing', async (t) => {
  const home = homeFor(t);
  const log = join(home, 'notes.log');
  writeFileSync(log, 'x\n');
  const nothing = await curated(['whatif', log], home);
  assert.deepEqual([nothing.code, nothing.stdout], [2, '']);
  assert.match(nothing.stderr, /no session in these logs: 1 of 1 line/);
  const gone = join(home, 'gone');
  for (const command of ['show', 'topics', 'refresh']) {
    const { code, stderr, stdout } = await curated(['context', command, gone], home);
    assert.notEqual(code, 0, command);
    assert.deepEqual([stdout, stderr.split(gone).length - 1], ['', 1], 'once, and which');
  }
  assert.deepEqual(readdirSync(home).includes('gone'), false);
});

test('L5-3 a prompt file lies where the configuration lies, wherever the command is run', async (t) => {
  const home = homeFor(t);
  writeFileSync(join(home, 'prompt.md'), 'Shorter.');
  const config = join(home, 'own.yaml');
  writeFileSync(config, 'plugins:\n  compaction:\n    prompt_file: prompt.md\n');
  const { code, stdout } = await curated(['config', 'check', config], home);
  assert.equal(code, 0, stdout);
  writeFileSync(config, 'plugins:\n  compaction:\n    prompt_file: gone.md\n');
  const wrong = await curated(['config', 'check', config], home);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stdout, /own\.yaml:3: plugins\.compaction\.prompt_file: .*gone\.md: no such file/);
});
