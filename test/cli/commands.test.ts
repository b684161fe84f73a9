// The commands that need no daemon, or only look at one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { priceLine } from '../../src/cli/bisect.js';
import { checkHealthOf, redChecks } from '../../src/cli/daemon-health.js';
import { connect } from '../../src/client/index.js';
import { ManualClock } from '../../src/clock.js';
import { Health } from '../../src/observe/index.js';
import { curated, homeFor, MAIN } from './command.js';

test('count gives the tokens of stdin and of a file, in the encoding of the model', async (t) => {
  const home = homeFor(t);
  assert.match((await curated(['count'], home, 'hello world')).stdout, /^2 tokens \(o200k_base\)/);
  const file = join(home, 'text.txt');
  writeFileSync(file, 'hello world');
  const json = await curated(['count', '--json', '--model', 'gpt-4', file], home);
  const counted = JSON.parse(json.stdout) as Record<string, unknown>;
  assert.deepEqual([counted['tokens'], counted['encoding'], counted['exact']], [2, 'cl100k_base', true]);
  assert.match((await curated(['count', '--model', 'claude-x'], home, 'a')).stdout, /estimate for claude-x/);
});

test('--print-config prints YAML that config check takes, with units and ranges and every limit', async (t) => {
  const home = homeFor(t);
  const { code, stdout } = await curated(['--print-config'], home);
  assert.equal(code, 0);
  assert.match(stdout, /frame_bytes: 8388608 bytes \(1024\.\.268435456\)/);
  assert.ok(Object.hasOwn(parse(stdout) as object, 'curated'));
  const file = join(home, 'printed.yaml');
  writeFileSync(file, stdout);
  const checked = await curated(['config', 'check', '--json', file], home);
  assert.equal(checked.code, 0, checked.stdout);
});

test('an unknown command or option exits 2 with help, a failure exits 1 with a hint, never with a stack', async (t) => {
  const home = homeFor(t);
  assert.equal((await curated(['frobnicate'], home)).code, 2);
  for (const wrong of [
    ['start', '--port', '70000'],
    ['tail', 's', '--from', 'abc'],
    ['state', 's', '--at', '0'],
    ['undo', 's', 'x'],
  ])
    assert.equal((await curated(wrong, home)).code, 2, wrong.join(' '));
  const named = await curated(['token', 'add', 'b b'], home);
  assert.match(named.stderr, /name "b b": 1 to 64 of/);
  const unknown = await curated(['token', 'revoke', 'nobody'], home);
  assert.deepEqual([unknown.code, unknown.stderr], [2, 'curated: there is no token named nobody\n']);
  assert.equal((await curated(['config', 'check'], home)).code, 0, 'without a file the defaults hold');
  assert.equal((await curated(['config', 'check', 'none.yaml'], home)).code, 2);
  for (const args of [
    ['sessions'],
    ['tail', 'x'],
    ['replay', 'x'],
    ['run', '--live', 'demo/coding-session.jsonl'],
  ]) {
    const { code, stderr } = await curated(args, home);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /no daemon runs/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test('completion scripts name every command and their options', async (t) => {
  const home = homeFor(t);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await curated(['completion', shell], home);
    for (const word of ['start', 'doctor', 'replay', 'detach', 'check'])
      assert.ok(stdout.includes(word), `${shell}: ${word}`);
  }
  assert.equal((await curated(['completion', 'csh'], home)).code, 2);
});

test('completion in bash offers commands, flags once a dash is typed, and leaves file names to the shell', async (t) => {
  if (spawnSync('bash', ['--version']).status !== 0) return t.skip('there is no bash');
  const script = (await curated(['completion', 'bash'], homeFor(t))).stdout;
  const offered = (...words: string[]): string[] => {
    const run = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _curated; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', run, 'bash', ...words], { encoding: 'utf8' });
    return stdout.split('\n').filter((w) => w !== '');
  };
  assert.deepEqual(offered('curated', 'jour'), ['journal']);
  assert.deepEqual(offered('curated', 'journal', 'ex'), ['export']);
  assert.deepEqual(offered('curated', 'start', '--s'), ['--socket']);
  assert.deepEqual(offered('curated', 'completion', ''), ['bash', 'zsh', 'fish']);
  assert.deepEqual(offered('curated', 'run', 'a'), [], 'a file: names with spaces are the shell’s to quote');
  assert.deepEqual(offered('curated', 'help', 'jour'), ['journal']);
  assert.deepEqual(offered('curated', 'run', '--preset', 'a'), ['aggressive']);
  assert.deepEqual(offered('curated', 'token', 'add', 'n', '--scope', 're'), ['read']);
});

test('P-12 a file that is named and not there is a wrong command line, and with --json every failure is one value on stdout', async (t) => {
  const home = homeFor(t);
  const gone = join(home, 'gone.yaml');
  for (const args of [
    ['config', 'check', gone],
    ['start', '--config', gone],
    ['start', '--print-config', '--config', gone],
    ['count', gone],
    ['run', gone],
    ['whatif', gone],
    ['journal', 'rekey'],
    ['tokenizers', 'add', 'none'],
  ]) {
    const { code, stderr, stdout } = await curated(args, home);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, /^curated: (?!ENOENT)/);
  }
  const file = join(home, 'own.yaml');
  writeFileSync(file, 'curated:\n  preset: aggressive\n');
  const printed = await curated(['start', '--print-config', '--config', file], home);
  assert.ok(printed.stdout.includes(file), 'it is the file that was named that is printed');
  for (const args of [
    ['sessions', '--json'],
    ['tail', 's', '--json'],
    ['count', gone, '--json'],
    ['count', '--jsno', '--json'],
    ['run', gone, '--json'],
    ['journal', 'salvage', '--json'],
  ]) {
    const { code, stdout } = await curated(args, home);
    assert.notEqual(code, 0);
    const { error } = JSON.parse(stdout) as { error: { message: string; kind: string } };
    assert.ok(
      error.message.length > 0 && ['NOT_RUNNING', 'ENOENT', 'USAGE', 'FAILED'].includes(error.kind),
      stdout,
    );
  }
});

test('F47 what cannot be written to stdout is said in words', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full');
  const full = openSync('/dev/full', 'w');
  const options = { env: { ...process.env, CURATED_HOME: homeFor(t) }, encoding: 'utf8' } as const;
  const done = spawnSync(process.execPath, [MAIN, '--print-config'], {
    ...options,
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  assert.equal(done.status, 1);
  assert.match(done.stderr, /ENOSPC/);
  assert.doesNotMatch(done.stderr, /\n\s+at /);
});

test('sessions lists, tail follows and replay verifies a session', async (t) => {
  const home = homeFor(t);
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const client = await connect({ home, client: { name: 'test', version: '1' } });
  const session = await client.session({
    session: 'mine',
    format: 'openai-chat',
    model: 'gpt-5.4',
    system: 'Be brief.',
  });
  await session.prepare({ append: [{ role: 'user', content: 'hello' }] });
  const listed = JSON.parse((await curated(['sessions', '--json'], home)).stdout) as {
    sessions: { session: string }[];
  };
  assert.deepEqual(
    listed.sessions.map((s) => s.session),
    ['mine'],
  );
  const following = curated(['tail', 'mine', '--from', '1', '--json'], home);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await session.append([{ role: 'assistant', content: 'hi' }]);
  await session.endTurn({});
  const replayed = await curated(['replay', 'mine', '--verify', '--json'], home);
  assert.equal(replayed.code, 0, replayed.stdout);
  assert.deepEqual(JSON.parse(replayed.stdout), {
    session: 'mine',
    requests: 1,
    identical: true,
    mismatches: [],
  });
  await client.close();
  // The daemon's end ends the stream, and with it the command.
  assert.equal((await curated(['stop'], home)).code, 0);
  const seqs = (await following).stdout
    .trim()
    .split('\n')
    .map((l) => (JSON.parse(l) as { seq: number }).seq);
  assert.ok(seqs.length >= 4);
  assert.deepEqual(
    seqs,
    seqs.map((_, i) => i + 1),
  );
});

test('P-12 what was typed wrong is said in words, with what to do next', async (t) => {
  const home = homeFor(t);
  const empty = join(home, 'empty.jsonl');
  writeFileSync(empty, 'no json\n');
  const [unknown, missing, none, doctor] = await Promise.all([
    curated(['statu'], home),
    curated(['count', '/no/such/file'], home),
    curated(['run', empty], home),
    curated(['doctor'], home),
  ]);
  assert.equal(unknown.code, 2);
  const what = /^curated: unknown command 'statu'\n.*status.*\nhint: curated --help/;
  assert.match(unknown.stderr, what);
  const helped = await curated(['help', 'statu'], home);
  assert.deepEqual([helped.code, helped.stdout], [2, '']);
  assert.match(helped.stderr, what, 'help of what is not there says so, and shows no other help');
  const group = await curated(['help', 'journal', 'dumb'], home);
  assert.match(group.stderr, /unknown command 'dumb'\n\(Did you mean dump\?\)\nhint: curated journal --help/);
  assert.match((await curated(['help', 'journal', 'dump'], home)).stdout, /^Usage: curated journal dump /);
  assert.equal(missing.code, 2);
  assert.equal(missing.stderr, 'curated: /no/such/file: no such file or directory\nhint: check the path\n');
  assert.deepEqual([none.code, none.stdout], [2, ''], 'no table of nothing');
  assert.match(none.stderr, /no conversation in these files: .*empty\.jsonl:1: no JSON/);
  assert.match(doctor.stdout, /named tokens: none yet; curated token add makes them/);
});

test('doctor and status tell every check of the daemon that is red, with its reason', () => {
  const health = new Health(new ManualClock(), '1');
  health.red('recall_index', new Error('no space left'));
  health.green('recall_index');
  health.red('context_refresh', new Error('shop: cannot be written'));
  assert.deepEqual(redChecks(health.report()), [['context_refresh', 'shop: cannot be written']]);
  const [finding, ...more] = checkHealthOf(health.report());
  assert.match(finding!.what, /context_refresh is red: shop: cannot be written/);
  assert.deepEqual([more, checkHealthOf(undefined)], [[], []]);
});

test('R-9 doctor tells what a daemon does without, and nothing is red for it', () => {
  const health = new Health(new ManualClock(), '1');
  health.tell('context_watch', 'shop is not watched: more than 3000 folders');
  assert.deepEqual([redChecks(health.report()), health.ok], [[], true]);
  const [finding] = checkHealthOf(health.report());
  assert.deepEqual(
    [finding!.level, finding!.what],
    ['note', 'context_watch: shop is not watched: more than 3000 folders'],
  );
});

test('a price is told of what was weighed alone', () => {
  const forced = { seq: 9, cache_invalidates: true, recache_tokens: 0, tokens_delta: -900 };
  assert.equal(
    priceLine(forced),
    'pass #9: forced, whatever it cost, since the request had to become smaller',
  );
  assert.match(priceLine({ ...forced, saves_per_request: 12 }), /saves the price of 12 input tokens/);
});
