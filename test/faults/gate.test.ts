// F1-F12b: who may knock, with what, and how many. Each test talks to a real gate on loopback.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { resolveLimits } from '../../src/config.js';
import { CuratedError } from '../../src/errors.js';
import { AlreadyRunningError, createGate, loadTokens, TokenTable } from '../../src/gate/index.js';
import {
  exchange,
  type Headers,
  nextMessage,
  requestText,
  sleep,
  startGate,
  status,
  TOKEN,
  until,
  upgradeText,
} from '../wire/gate-fixture.js';

const isConfig = (pattern: RegExp) => (e: unknown) =>
  e instanceof CuratedError && e.kind === 'CONFIG' && pattern.test(e.message);

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gate-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A gate that is only started, for faults of starting. */
function bareGate(o: { socketPath?: string; port?: number | false; host?: string }) {
  return createGate({
    port: false,
    tokens: TokenTable.single(TOKEN),
    limits: resolveLimits(),
    onConnection() {},
    ...o,
  });
}

test('F1 an Origin that is not allow-listed is refused with 403, and nobody is connected', async (t) => {
  const f = await startGate(t, { allowOrigins: ['http://localhost:3000'] });
  const ask = async (origin: string) =>
    status(await exchange({ port: f.port }, upgradeText(f.port, { Origin: origin })));
  for (const origin of [
    'https://evil',
    'http://localhost',
    'http://localhost:3000.evil',
    'http://localhost:3000/',
    '',
  ]) {
    assert.equal(await ask(origin), 403, origin);
  }
  assert.equal(f.accepted.length, 0);
  assert.equal(await ask('http://localhost:3000'), 101, 'the listed origin comes in');
});

test('F2 Origin null is refused with 403, also when somebody listed it', async (t) => {
  const f = await startGate(t, { allowOrigins: ['null'] });
  assert.equal(status(await exchange({ port: f.port }, upgradeText(f.port, { Origin: 'null' }))), 403);
  assert.equal(f.accepted.length, 0);
});

test('F3 a foreign Host is refused with 403', async (t) => {
  const f = await startGate(t);
  const answer = await exchange({ port: f.port }, upgradeText(f.port, { Host: `evil.example:${f.port}` }));
  assert.equal(status(answer), 403);
  assert.equal(f.accepted.length, 0);
});

test('F4 a Host that only looks local is refused; the three local names come in, with and without a port', async (t) => {
  const f = await startGate(t);
  const ask = async (headers: Headers) =>
    status(await exchange({ port: f.port }, upgradeText(f.port, headers)));
  const wrong = [
    'localhost.evil.com',
    'localhost6',
    '127.0.0.1.nip.io',
    '127.0.0.2',
    '0.0.0.0',
    '::1',
    '[::1].evil',
    'localhost:',
    'localhost:77x',
    'a@localhost',
    'localhost.',
    '',
  ];
  for (const host of wrong) assert.equal(await ask({ Host: host }), 403, host);
  assert.equal(await ask({ Host: undefined }), 403, 'no Host');
  assert.equal(await ask({ Host: `localhost\r\nHost: evil.example` }), 403, 'two Hosts');
  for (const host of ['localhost', '127.0.0.1', '[::1]', `LocalHost:${f.port}`])
    assert.equal(await ask({ Host: host }), 101, host);
});

test('F5 no, short or wrong token: one 401, the same to the byte; more than 10 a second: 429; the owner still comes in', async (t) => {
  const f = await startGate(t);
  const ask = (headers: Headers) => exchange({ port: f.port }, upgradeText(f.port, headers));
  const wrong: Headers[] = [
    { Authorization: undefined },
    { Authorization: 'Bearer x' },
    { Authorization: `Bearer ${TOKEN.slice(0, -1)}` },
    { Authorization: `Bearer ${TOKEN.slice(0, -1)}!` },
    { Authorization: `Basic ${TOKEN}` },
    { Authorization: undefined, 'Sec-WebSocket-Protocol': 'curated.v1.json, curated.bearer.wrong' },
    { 'Sec-WebSocket-Protocol': 'curated.v1.json, curated.bearer.other' },
  ];
  const answers = new Set<string>();
  for (const headers of wrong) answers.add(await ask(headers));
  assert.equal(answers.size, 1, 'seven ways to be wrong, one answer');
  assert.equal(status([...answers][0]!), 401);
  const flood = await Promise.all(Array.from({ length: 20 }, () => ask({ Authorization: 'Bearer wrong' })));
  const counts = flood.map(status);
  assert.ok(counts.filter((s) => s === 429).length >= 10, `statuses ${counts}`);
  assert.equal(status(await ask({})), 101, 'the right token is not locked out');
  await sleep(1050);
  assert.equal(status(await ask({ Authorization: 'Bearer wrong' })), 401, 'a second later it is 401 again');
  assert.equal(f.accepted.length, 1);
});

test('F5 the time of a refusal tells nothing about how much of the token was right', () => {
  const table = TokenTable.single(TOKEN);
  const near = `${TOKEN.slice(0, -1)}_`;
  const far = 'X'.repeat(TOKEN.length);
  const time = (token: string) => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < 200; i++) assert.equal(table.identify(token), undefined);
    return Number(process.hrtime.bigint() - start);
  };
  time(near);
  // Interleaved, and the best of many: what is left is the work itself.
  const best = { near: Number.POSITIVE_INFINITY, far: Number.POSITIVE_INFINITY };
  for (let i = 0; i < 40; i++) {
    best.near = Math.min(best.near, time(near));
    best.far = Math.min(best.far, time(far));
  }
  const ratio = best.near / best.far;
  assert.ok(ratio > 0.7 && ratio < 1.4, `near/far ${ratio.toFixed(3)}`);
});

test('F5 the token comes in by header or by the extra subprotocol, which is never echoed', async (t) => {
  const f = await startGate(t);
  const answer = await exchange(
    { port: f.port },
    upgradeText(f.port, {
      Authorization: undefined,
      'Sec-WebSocket-Protocol': `curated.bearer.${TOKEN}, curated.v1.msgpack`,
    }),
  );
  assert.equal(status(answer), 101);
  assert.match(answer, /^sec-websocket-protocol: curated\.v1\.msgpack\r$/im);
  assert.ok(!answer.includes(TOKEN) && !answer.includes('bearer'));
});

test('F6 a token in the URL is refused with 401, even the right one beside a good header, and is never logged', async (t) => {
  const f = await startGate(t);
  for (const path of [
    `/v1?token=${TOKEN}`,
    `/v1?access_token=${TOKEN}`,
    `/metrics?token=${TOKEN}`,
    `/v1?${TOKEN}`,
  ]) {
    const answer = await exchange({ port: f.port }, upgradeText(f.port, {}, path));
    assert.equal(status(answer), 401, path);
    assert.ok(!answer.includes(TOKEN));
  }
  const basic = await exchange(
    { port: f.port },
    upgradeText(f.port, { Authorization: `Basic ${btoa(`user:${TOKEN}`)}` }),
  );
  assert.equal(status(basic), 401, 'user:token@host arrives as Basic');
  const ws = await f.client();
  ws.terminate();
  await until(() => f.closes.length === 1);
  assert.ok(!f.logged.join('').includes(TOKEN));
  assert.ok(!(await f.metrics.text()).includes(TOKEN));
  assert.equal(f.accepted.length, 1);
});

test('F7 a token file that others can read, a symlink or a foreign owner is refused with the reason', (t) => {
  const folder = scratch(t);
  const file = join(folder, 'token');
  const table = loadTokens(file);
  assert.equal(table.size, 1, 'made on first start');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(loadTokens(file).size, 1, 'and read on the second');
  for (const mode of [0o644, 0o640, 0o602]) {
    chmodSync(file, mode);
    assert.throws(() => loadTokens(file), isConfig(/mode is 0\d{3}.*chmod 600/));
  }
  chmodSync(file, 0o600);
  const real = join(folder, 'real');
  renameSync(file, real);
  symlinkSync(real, file);
  assert.throws(() => loadTokens(file), isConfig(/symlink/));
  rmSync(real);
  assert.throws(
    () => loadTokens(file),
    isConfig(/symlink/),
    'a dangling one too: nothing is created through it',
  );
  assert.ok(!existsSync(real));
  rmSync(file);
  mkdirSync(file);
  assert.throws(() => loadTokens(file), isConfig(/not a regular file/));
  rmSync(file, { recursive: true });
  writeFileSync(file, 'short\n', { mode: 0o600 });
  assert.throws(() => loadTokens(file), isConfig(/needs one line/));
  loadTokens(join(folder, 'other'));
  const uid = process.getuid!();
  assert.throws(() => loadTokens(join(folder, 'other'), { uid: uid + 1 }), isConfig(/belongs to uid/));
  if (uid === 0) {
    chownSync(join(folder, 'other'), 12_345, 12_345);
    assert.throws(() => loadTokens(join(folder, 'other')), isConfig(/belongs to uid 12345, not to 0/));
  }
});

test('F8 a bind outside loopback refuses to start', async () => {
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'example.com', '', '127.0.0.1.nip.io', 'toString']) {
    await assert.rejects(
      bareGate({ port: 0, host }).listen(),
      isConfig(/only 127\.0\.0\.1, localhost or ::1/),
      host,
    );
  }
  const gate = bareGate({ port: 0, host: 'localhost' });
  assert.match((await gate.listen()).url!, /^ws:\/\/127\.0\.0\.1:\d+\/v1$/);
  await gate.close();
});

test('F9 a live daemon on the socket or the port: already running, and the live one is not harmed', async (t) => {
  const f = await startGate(t);
  await assert.rejects(bareGate({ socketPath: f.socketPath }).listen(), AlreadyRunningError);
  await assert.rejects(bareGate({ port: f.port }).listen(), AlreadyRunningError);
  const ws = await f.client({ over: 'unix' });
  ws.send('still here');
  assert.equal((await nextMessage(ws)).toString(), 'still here');
});

test('F9 a port of another program is named as such, and nothing stays open after the failed start', async (t) => {
  const stranger = createServer((s) => s.end('SSH-2.0\r\n\r\n'));
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  t.after(() => stranger.close());
  const { port } = stranger.address() as { port: number };
  const socketPath = join(scratch(t), 's');
  await assert.rejects(bareGate({ port, socketPath }).listen(), isConfig(/in use by another program/));
  assert.ok(!existsSync(socketPath));
});

test('F9 a socket left by a killed daemon is replaced; a file that is no socket is left alone', async (t) => {
  const folder = scratch(t);
  const socketPath = join(folder, 's');
  const script = `require('net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`;
  const child = fork('-', { execArgv: ['-e', script], stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  assert.ok(lstatSync(socketPath).isSocket(), 'the stale socket is there');
  writeFileSync(`${socketPath}.lock`, '');
  const old = new Date(Date.now() - 60_000);
  utimesSync(`${socketPath}.lock`, old, old);
  const gate = bareGate({ socketPath });
  assert.deepEqual(await gate.listen(), { url: undefined, socket: socketPath });
  assert.equal(lstatSync(socketPath).mode & 0o777, 0o600);
  assert.ok(!existsSync(`${socketPath}.lock`), 'the start lock is gone');
  await gate.close();
  assert.ok(!existsSync(socketPath), 'removed with the gate');
  writeFileSync(socketPath, 'precious');
  await assert.rejects(bareGate({ socketPath }).listen(), isConfig(/no socket is there/));
  assert.ok(existsSync(socketPath));
});

test('F9 a start lock of nobody, or of a process that is gone, stops no start; that of one which lives does, and nothing stays', async (t) => {
  const folder = scratch(t);
  const socketPath = join(folder, 's');
  const child = fork('-', { execArgv: ['-e', ''], stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  for (const left of ['', String(child.pid)]) {
    writeFileSync(`${socketPath}.lock`, left);
    const gate = bareGate({ socketPath });
    await gate.listen();
    assert.deepEqual(readdirSync(folder), ['s'], 'neither lock nor draft');
    await gate.close();
  }
  writeFileSync(`${socketPath}.lock`, String(process.pid));
  await assert.rejects(bareGate({ socketPath }).listen(), AlreadyRunningError);
  assert.deepEqual(readdirSync(folder), ['s.lock']);
});

test('F9 of two daemons that start on one stale socket, one wins', async (t) => {
  const socketPath = join(scratch(t), 's');
  const gates = [bareGate({ socketPath }), bareGate({ socketPath })];
  const results = await Promise.allSettled(gates.map((g) => g.listen()));
  assert.deepEqual(results.map((r) => r.status).sort(), ['fulfilled', 'rejected']);
  for (const r of results) if (r.status === 'rejected') assert.ok(r.reason instanceof AlreadyRunningError);
  for (const g of gates) await g.close();
});

test('F9 the socket folder is private: made 0700, refused when others can enter; an over-long path says so', async (t) => {
  const folder = scratch(t);
  const gate = bareGate({ socketPath: join(folder, 'new/run/s') });
  await gate.listen();
  assert.equal(statSync(join(folder, 'new/run')).mode & 0o777, 0o700);
  await gate.close();
  mkdirSync(join(folder, 'open'));
  chmodSync(join(folder, 'open'), 0o755);
  await assert.rejects(
    bareGate({ socketPath: join(folder, 'open/s') }).listen(),
    isConfig(/mode is 0755, it must be 0700/),
  );
  await assert.rejects(
    bareGate({ socketPath: join(folder, 'x'.repeat(120)) }).listen(),
    isConfig(/bytes.*at most 10[37]/),
  );
});

test('F10 headers that come drop by drop, or not at all, are cut at the deadline (5 s by default)', async (t) => {
  assert.equal(resolveLimits().headers_ms, 5000);
  const f = await startGate(t, { limits: { headers_ms: 400 } });
  const start = performance.now();
  const silent = exchange({ port: f.port }, '', 5000);
  const socket = connect({ port: f.port, host: '127.0.0.1' });
  let answer = '';
  socket.on('data', (c) => {
    answer += c.toString();
  });
  socket.on('error', () => {});
  const text = upgradeText(f.port);
  let at = 0;
  const drip = setInterval(() => socket.write(text.slice(at, ++at)), 20);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(drip);
  const took = performance.now() - start;
  assert.equal(status(answer), 408);
  assert.ok(took > 350 && took < 2500, `${took} ms`);
  assert.equal(status(await silent), 408, 'a socket that says nothing at all');
  assert.equal(f.accepted.length, 0);
});

test('F12 plain GET on /v1 is 426; a wrong or missing subprotocol is 400; another path is 404', async (t) => {
  const f = await startGate(t);
  const host = `127.0.0.1:${f.port}`;
  for (const Authorization of [`Bearer ${TOKEN}`, undefined]) {
    const answer = await exchange({ port: f.port }, requestText('/v1', { Host: host, Authorization }));
    assert.equal(status(answer), 426);
    assert.match(answer, /^upgrade: websocket\r$/im);
  }
  const ask = async (headers: Headers, path?: string) =>
    status(await exchange({ port: f.port }, upgradeText(f.port, headers, path)));
  for (const p of [
    'chat',
    'curated.v2.json',
    'curated.v1.json.x',
    'CURATED.V1.JSON',
    undefined,
    ',',
    'curated.v1.json, curated.v1.json',
  ]) {
    assert.equal(await ask({ 'Sec-WebSocket-Protocol': p }), 400, String(p));
  }
  assert.equal(await ask({ 'Sec-WebSocket-Key': 'short' }), 400);
  assert.equal(await ask({ 'Sec-WebSocket-Version': '12' }), 400);
  assert.equal(await ask({ Upgrade: 'h2c' }), 426);
  for (const path of ['/', '/v1/', '/v2', '//v1', '/V1', '/healthz', 'http://evil/v1'])
    assert.equal(await ask({}, path), 404, path);
  assert.equal(f.accepted.length, 0);
});

test('F12b every page has the checks of the WebSocket route', async (t) => {
  const f = await startGate(t, { limits: { auth_failures: 1000 } });
  const host = `127.0.0.1:${f.port}`;
  const good = { Host: host, Authorization: `Bearer ${TOKEN}` };
  for (const path of ['/healthz', '/metrics']) {
    const ask = async (headers: Headers, p = path) =>
      status(await exchange({ port: f.port }, requestText(p, { ...good, ...headers })));
    assert.equal(await ask({}), 200, path);
    assert.equal(await ask({ Authorization: undefined }), 401);
    assert.equal(await ask({ Authorization: 'Bearer wrong' }), 401);
    assert.equal(await ask({ Origin: 'https://evil' }), 403);
    assert.equal(await ask({ Origin: 'null' }), 403);
    assert.equal(await ask({ Host: 'localhost.evil.com' }), 403);
    assert.equal(await ask({}, `${path}?token=${TOKEN}`), 401);
    const post = requestText(path, { ...good, 'Content-Length': '0' }).replace('GET', 'POST');
    assert.equal(status(await exchange({ port: f.port }, post)), 405);
    const unix = await exchange({ path: f.socketPath }, requestText(path, { Host: 'localhost' }));
    assert.equal(status(unix), 200, 'no token on the unix socket');
    assert.equal(status(await exchange({ path: f.socketPath }, requestText(path, { Host: 'evil' }))), 403);
  }
  f.health.red('journal', new Error('disk full'));
  const red = await exchange({ port: f.port }, requestText('/healthz', good));
  assert.equal(status(red), 503);
  assert.match(red, /"journal":\{"ok":false,.*disk full/);
  assert.match(
    await exchange({ port: f.port }, requestText('/metrics', good)),
    /^curated_refused_total\{status="401"\} \d+/m,
  );
  assert.equal(status(await exchange({ port: f.port }, requestText('/dashboard', good))), 404);
  assert.equal(
    status(await exchange({ port: f.port }, requestText('/dashboard', { Host: host }))),
    401,
    'no token: not even which pages there are',
  );
});
