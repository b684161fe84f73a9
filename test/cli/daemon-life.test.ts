// start, stop, status and doctor over a real daemon process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../src/client/index.js';
import { lives, processMark } from '../../src/process-life.js';
import { curated, homeFor, MAIN } from './command.js';

const NO_STACK = /\n\s+at /;

test('F9 start on a live daemon exits 3, in the foreground and detached, and the live one goes on', async (t) => {
  const home = homeFor(t);
  const first = await curated(['start', '--detach', '--port', '0'], home);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /ws:\/\/127\.0\.0\.1:\d+\/v1/);
  for (const args of [
    ['start', '--port', '0'],
    ['start', '--detach', '--port', '0'],
    // On a socket of its own it would still be the second one in the same journal.
    ['start', '--port', '0', '--socket', join(home, 'other.sock')],
  ]) {
    const second = await curated(args, home);
    assert.equal(second.code, 3);
    assert.match(second.stderr, /already running/);
    assert.doesNotMatch(second.stderr, NO_STACK);
  }
  const client = await connect({ home, client: { name: 'test', version: '1' } });
  assert.equal((await client.call('daemon.status', {})).draining, false);
  await client.close();
  // Whatever cleans temporary folders may take it.
  rmSync(join(home, 'run/curated.sock'));
  const [status, doctor] = await Promise.all([curated(['status'], home), curated(['doctor'], home)]);
  assert.equal(status.code, 0, 'it is reached over TCP');
  assert.equal(doctor.code, 1);
  assert.match(
    doctor.stdout,
    /the socket of the running daemon was removed: .*curated\.sock\n.*curated stop/,
  );
});

test('a detached daemon answers when start returns, logs to a private file, and stop waits for its end', async (t) => {
  const home = homeFor(t);
  assert.equal((await curated(['status'], home)).code, 1);
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const status = await curated(['status', '--json'], home);
  const { running, pid } = JSON.parse(status.stdout) as { running: boolean; pid: number };
  const asked = `/proc/${pid}/cmdline`;
  if (existsSync(asked)) assert.match(readFileSync(asked, 'utf8'), /--max-semi-space-size=32/);
  assert.equal(running, true);
  assert.equal(statSync(join(home, 'run/daemon.log')).mode & 0o777, 0o600);
  const stopped = await curated(['stop'], home);
  assert.equal(stopped.code, 0);
  assert.equal(lives(pid), false);
  assert.equal((await curated(['stop'], home)).code, 0, 'stop with no daemon is no failure');
});

test('F9 the port of another home: exit 3 with what to do, any other port with auto, which is what autostart takes', async (t) => {
  const [first, second] = [homeFor(t), homeFor(t)];
  const started = await curated(['start', '--detach', '--port', '0'], first);
  const port = /127\.0\.0\.1:(\d+)/.exec(started.stdout)![1]!;
  for (const detach of [[], ['--detach']]) {
    const { code, stderr } = await curated(['start', '--port', port, ...detach], second);
    assert.equal(code, 3);
    assert.match(
      stderr,
      /already running: a daemon has 127\.0\.0\.1:\d+\nhint: it is not the one of this data folder/,
    );
    assert.doesNotMatch(stderr, NO_STACK);
  }
  writeFileSync(join(second, 'config.yaml'), `curated:\n  listen: { port: ${port} }\n`);
  const client = await connect({ home: second, client: { name: 'test', version: '1' }, autostart: true });
  const { pid } = await client.call('daemon.status', {});
  await client.close();
  const told = JSON.parse(readFileSync(join(second, 'run/daemon.json'), 'utf8')) as {
    pid: number;
    url: string;
  };
  assert.equal(told.pid, pid);
  assert.ok(!told.url.includes(`:${port}/`));
  // A reload says what it leaves for the next start.
  writeFileSync(join(second, 'config.yaml'), 'curated:\n  listen: { port: 0 }\n');
  process.kill(told.pid, 'SIGHUP');
  const log = () => readFileSync(join(second, 'run/daemon.log'), 'utf8');
  for (let n = 0; n < 200 && !log().includes('configuration read'); n++) await sleep(25);
  await sleep(25);
  assert.match(
    log(),
    /"keys":\["curated\.listen"\],"msg":"these are taken up when the daemon is started again"/,
  );
});

test('F47 a daemon goes on when its log cannot be written and who started it has gone', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('this system has no /dev/full');
  const home = homeFor(t);
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [MAIN, 'start', '--port', '0'], {
    env: { ...process.env, CURATED_HOME: home },
    stdio: ['ignore', 'pipe', full],
  });
  closeSync(full);
  await once(child.stdout!, 'data');
  child.stdout!.destroy();
  // Each is a line of the log: the configuration was read again.
  for (let n = 0; n < 3; n++) child.kill('SIGHUP');
  assert.equal((await curated(['status'], home)).code, 0);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('a wrong configuration stops the start with the line and the nearest key, and no stack', async (t) => {
  const home = homeFor(t);
  const file = join(home, 'bad.yaml');
  writeFileSync(file, 'curated:\n  keeep: {}\n');
  for (const args of [
    ['start', '--config', file],
    ['start', '--detach', '--config', file],
    ['config', 'check', file],
  ]) {
    const { code, stdout, stderr } = await curated(args, home);
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /bad\.yaml:2: curated\.keeep: unknown key; the nearest valid key is keep/);
    assert.doesNotMatch(stderr, NO_STACK);
  }
  const missing = await curated(['start', '--config', join(home, 'none.yaml')], home);
  assert.notEqual(missing.code, 0);
  assert.match(missing.stderr, /none\.yaml/);
});

test('F7 F9 a start that is refused ends at once with its reason, however late it finds out', async (t) => {
  const at = (prepare: (home: string) => void) => {
    const home = homeFor(t);
    mkdirSync(join(home, 'run'), { mode: 0o700 });
    prepare(home);
    return home;
  };
  const token = 'a'.repeat(43);
  const refused: [RegExp, string, string[]?][] = [
    [
      /token file .* mode is 0644/,
      at((home) => writeFileSync(join(home, 'run/token'), token, { mode: 0o644 })),
    ],
    [
      /token file .* is a symlink/,
      at((home) => {
        writeFileSync(join(home, 'elsewhere'), token, { mode: 0o600 });
        symlinkSync(join(home, 'elsewhere'), join(home, 'run/token'));
      }),
    ],
    [
      /tokens\.json: not JSON/,
      at((home) => {
        mkdirSync(join(home, 'data'), { mode: 0o700 });
        writeFileSync(join(home, 'data/tokens.json'), '{', { mode: 0o600 });
      }),
    ],
    [/the socket path has 1\d\d bytes/, at(() => {}), ['--socket', `/tmp/${'s'.repeat(110)}`]],
  ];
  const outcomes = await Promise.all(
    refused.map(([, home, args = []]) => curated(['start', '--port', '0', ...args], home)),
  );
  for (const [i, { code, stdout, stderr }] of outcomes.entries()) {
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, refused[i]![0]);
    assert.match(stderr, /curated doctor/, 'the configuration file is not what is wrong');
  }
});

test('the first line of the foreground daemon says where it listens, daemon.json says the same', async (t) => {
  const home = homeFor(t);
  const running = curated(['start', '--port', '0'], home);
  let url = '';
  for (let i = 0; i < 500 && url === ''; i++) {
    try {
      url = (JSON.parse(readFileSync(join(home, 'run/daemon.json'), 'utf8')) as { url: string }).url;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  assert.equal((await curated(['stop'], home)).code, 0);
  const { code, stdout } = await running;
  assert.equal(code, 0);
  assert.equal(stdout.split('\n')[0], `curated listens on ${url} and ${join(home, 'run/curated.sock')}`);
});

test('doctor finds a healthy installation, a token that others can read, and a file that a dead daemon left', async (t) => {
  const home = homeFor(t);
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  const well = await curated(['doctor', '--json'], home);
  assert.equal(well.code, 0, well.stdout);
  const { findings } = JSON.parse(well.stdout) as { findings: { what: string }[] };
  assert.ok(findings.some((f) => /a daemon answers/.test(f.what)));
  assert.equal((await curated(['stop'], home)).code, 0);
  const token = join(home, 'run/token');
  const { chmodSync } = await import('node:fs');
  chmodSync(token, 0o644);
  writeFileSync(join(home, 'run/daemon.json'), JSON.stringify({ pid: 2 ** 22 - 3, version: '0' }));
  const ill = await curated(['doctor'], home);
  assert.equal(ill.code, 1);
  assert.match(ill.stdout, /token file: .* is open to others \(644\)/);
  assert.match(ill.stdout, /chmod 600/);
  assert.match(ill.stdout, /one left .*daemon\.json/);
});

test('NS-6 without SIMD the daemon says so at its start, doctor too, and counting goes on', async (t) => {
  const home = homeFor(t);
  process.env['CURATED_NATIVE'] = 'core-plain';
  t.after(() => {
    delete process.env['CURATED_NATIVE'];
  });
  assert.equal((await curated(['start', '--detach', '--port', '0'], home)).code, 0);
  assert.match(readFileSync(join(home, 'run/daemon.log'), 'utf8'), /token core: no WASM SIMD in use/);
  const { code, stdout } = await curated(['doctor'], home);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /note {2}token core: no WASM SIMD in use/);
  assert.equal((await curated(['count'], home, 'hello world')).stdout.trim().split(/\s/)[0], '2');
});

test("F9 a daemon.json whose pid is a zombie, or belongs to another program by now, stands in nobody's way, and stop harms nobody", {
  skip: processMark(process.pid) === undefined && 'no /proc here: a pid alone decides',
}, async (t) => {
  const home = homeFor(t);
  // A shell that became `sleep` never reaps its child: what containers without an init do to every daemon.
  // The child outlives the shell that it has: one that ended before would have been reaped by it.
  const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => parent.kill('SIGKILL'));
  const zombie = Number(
    await new Promise<string>((done) => parent.stdout.once('data', (c: Buffer) => done(c.toString()))),
  );
  for (let i = 0; i < 500 && lives(zombie); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.doesNotThrow(() => process.kill(zombie, 0), 'the zombie is still in the table');
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  const file = join(home, 'run/daemon.json');
  const stranger = { pid: parent.pid, version: '0', process: `${processMark(parent.pid!)}0` };
  // What another program, or a hand, wrote with the documented fields alone.
  const unmarked = { pid: parent.pid, version: '0', socket: join(home, 'run/gone.sock'), started_at: 1 };
  for (const left of [{ pid: zombie, version: '0' }, stranger, unmarked]) {
    writeFileSync(file, JSON.stringify(left));
    assert.equal((await curated(['status'], home)).code, 1);
    assert.match((await curated(['stop'], home)).stdout, /no daemon runs/);
    writeFileSync(file, JSON.stringify(left));
    const started = await curated(['start', '--detach', '--port', '0'], home);
    assert.equal(started.code, 0, started.stderr);
    assert.equal((await curated(['stop'], home)).code, 0);
  }
  assert.equal(parent.exitCode ?? parent.signalCode, null, 'the stranger was left alone');
});
