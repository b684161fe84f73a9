// The SDK against a small daemon that speaks the real codec over real sockets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type Client,
  ClientError,
  type ConnectOptions,
  type CuratedEvent,
  connect,
  type EventStream,
} from '../../src/client/index.js';
import { lockData } from '../../src/data-lock.js';
import { CuratedError } from '../../src/errors.js';
import { processMark } from '../../src/process-life.js';
import { METHODS } from '../../src/protocol/index.js';
import { FakeDaemon } from './fake-daemon.js';

const who = { client: { name: 'test', version: '1' } };
const open = { format: 'anthropic', model: 'claude-opus-4-5' } as const;

async function daemonFor(t: TestContext): Promise<FakeDaemon> {
  const daemon = await new FakeDaemon().listen();
  t.after(() => daemon.dispose());
  return daemon;
}

async function clientFor(t: TestContext, options: Partial<ConnectOptions>): Promise<Client> {
  const client = await connect({ ...who, reconnect: { minMs: 5, maxMs: 20 }, ...options });
  t.after(() => client.close());
  return client;
}

async function until(what: () => boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!what()) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    await new Promise((r) => setTimeout(r, 5));
  }
}

/** Cuts every connection, and resolves when `clients` have new ones. */
async function cut(daemon: FakeDaemon, ...clients: Client[]): Promise<void> {
  const greeted = () => daemon.calls.filter((c) => c.method === 'initialize').length;
  const before = greeted();
  daemon.drop();
  await until(() => greeted() === before + clients.length && clients.every((c) => c.connected));
}

/** The seqs of a reader, as they come. */
function reading(stream: EventStream): number[] {
  const seqs: number[] = [];
  void (async () => {
    for await (const e of stream) seqs.push(e.seq);
  })();
  return seqs;
}

for (const subprotocol of ['curated.v1.json', 'curated.v1.msgpack'] as const)
  for (const prefer of ['unix', 'tcp'] as const)
    test(`a session over ${prefer} and ${subprotocol}, found through daemon.json`, async (t) => {
      const daemon = await daemonFor(t);
      const client = await clientFor(t, { home: daemon.home, prefer, subprotocol });
      assert.equal(client.server.server.name, 'fake');
      const session = await client.session({ ...open, session: 's' });
      const r = await session.append([
        { role: 'user', content: 'héllo' },
        { role: 'assistant', content: [{ b: 1, a: 2 }] },
      ]);
      assert.deepEqual([r.ids.length, session.seq], [2, 2]);
      const prepared = await session.prepare({});
      const text =
        '{"messages":[{"role":"user","content":"héllo"},{"role":"assistant","content":[{"b":1,"a":2}]}]}';
      assert.equal(prepared.requestText, text);
      assert.deepEqual(prepared.request, JSON.parse(text));
    });

test('a given socket, and a given url with its token', async (t) => {
  const daemon = await daemonFor(t);
  const a = await clientFor(t, { socket: daemon.paths.socket });
  const b = await clientFor(t, { url: daemon.url, token: daemon.token });
  assert.deepEqual(
    [await a.call('session.list', {}), await b.call('session.list', {})],
    [{ sessions: [] }, { sessions: [] }],
  );
});

test('P-11 the exact spelling of a request reaches the agent on the json subprotocol', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  daemon.sessions.get('s')!.texts.push('{"n":1.0,"big":12345678901234567890,"__proto__":1}');
  const prepared = await session.prepare({});
  assert.equal(prepared.requestText, '{"messages":[{"n":1.0,"big":12345678901234567890,"__proto__":1}]}');
});

test('errors of the daemon keep kind and path', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const call = client.call('session.state', { session: 5 as unknown as string });
  await assert.rejects(
    call,
    (e) => e instanceof CuratedError && e.kind === 'BAD_TYPE' && e.path === '/session',
  );
  await assert.rejects(client.call('session.rewind', { session: 's', to_seq: 1 }), { kind: 'UNSUPPORTED' });
});

test('no daemon is NOT_RUNNING, also behind a stale daemon.json', async (t) => {
  const daemon = await daemonFor(t);
  await daemon.stop();
  await assert.rejects(connect({ ...who, home: daemon.home }), { code: 'NOT_RUNNING' });
  await assert.rejects(connect({ ...who, home: `${daemon.home}/none` }), { code: 'NOT_RUNNING' });
});

test('with autostart a daemon is started when none runs', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'curated-start-'));
  const script = `
    const { FakeDaemon } = await import(${JSON.stringify(new URL('./fake-daemon.js', import.meta.url).href)});
    const daemon = await new FakeDaemon(${JSON.stringify(home)}).listen();
    setTimeout(() => daemon.dispose().then(() => process.exit()), 3_000);`;
  const startCommand = [process.execPath, '--input-type=module', '-e', script] as const;
  const client = await clientFor(t, { home, autostart: true, startCommand: [...startCommand] });
  const session = await client.session({ ...open, session: 's' });
  assert.deepEqual((await session.append([{ role: 'user', content: 'a' }])).ids, ['m1']);
});

test('an autostart that fails says so', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'curated-start-'));
  t.after(() => rmSync(home, { recursive: true }));
  const startCommand: [string, ...string[]] = [process.execPath, '-e', 'process.exit(4)'];
  await assert.rejects(connect({ ...who, home, autostart: true, startCommand }), (e) => {
    return e instanceof ClientError && e.code === 'NOT_RUNNING' && /code 4/.test(String(e.cause));
  });
});

test('autostart waits as long as the process that starts the daemon lives, and says what it waits for', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'curated-start-'));
  t.after(() => rmSync(home, { recursive: true }));
  const slow: [string, ...string[]] = [process.execPath, '-e', 'setTimeout(() => {}, 3_000)'];
  await assert.rejects(connect({ ...who, home, autostart: true, startCommand: slow, startMs: 300 }), {
    code: 'NOT_RUNNING',
    message: /^the daemon did not start: after \d+ s the daemon is still starting \(pid \d+\)$/,
  });
});

test('an autostart whose configuration is wrong tells what is wrong with it', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'curated-start-'));
  t.after(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, 'config.yaml'), 'curated:\n  presett: balanced\n');
  await assert.rejects(connect({ ...who, home, autostart: true }), {
    code: 'NOT_RUNNING',
    message: /config\.yaml:2: curated\.presett: unknown key; the nearest valid key is preset/,
  });
});

test('a journal that another command has for a moment does not stop an autostart', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'curated-start-'));
  mkdirSync(join(home, 'data'), { recursive: true });
  writeFileSync(join(home, 'config.yaml'), 'curated: {listen: {port: 0}}\n');
  const lock = lockData(join(home, 'data'))!;
  const connecting = clientFor(t, { home, autostart: true });
  setTimeout(() => lock.release(), 1_500);
  const client = await connecting;
  assert.equal((await client.call('daemon.status', {})).connections, 1);
  await client.call('daemon.stop', {});
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
});

test('a wrong token is refused', async (t) => {
  const daemon = await daemonFor(t);
  await assert.rejects(connect({ ...who, url: daemon.url, token: 'wrong' }), {
    code: 'UNAUTHORIZED',
    message: /does not know the token \(401\)/,
  });
  rmSync(daemon.paths.tokenFile);
  await assert.rejects(connect({ ...who, home: daemon.home, prefer: 'tcp' }), {
    code: 'UNAUTHORIZED',
    message: /the token file .*token cannot be read \(ENOENT\)/,
  });
  const other = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const url = `ws://127.0.0.1:${(other.address() as AddressInfo).port}/v1`;
  await assert.rejects(connect({ ...who, url, token: 'any' }), {
    code: 'NOT_RUNNING',
    message: /is no curated daemon, or refuses this connection \(404\)/,
  });
});

test('a token that was taken back ends the client that was given it, and no loop of refusals follows', async (t) => {
  const daemon = await daemonFor(t);
  const given = { url: daemon.url, token: daemon.token };
  const client = await clientFor(t, given);
  daemon.token = 'another';
  daemon.drop();
  await until(() => !client.connected);
  await assert.rejects(client.call('session.list', {}), {
    code: 'CLOSED',
    message: /does not know the token/,
  });
});

test('a daemon whose socket file was removed is reached over TCP', async (t) => {
  const daemon = await daemonFor(t);
  if (processMark(process.pid) === undefined)
    return t.skip('this system cannot tell one process from another by its mark');
  const told = JSON.parse(readFileSync(daemon.paths.daemonJson, 'utf8'));
  writeFileSync(daemon.paths.daemonJson, JSON.stringify({ ...told, process: processMark(process.pid) }));
  rmSync(daemon.paths.socket);
  const client = await clientFor(t, { home: daemon.home });
  assert.deepEqual(await client.call('session.list', {}), { sessions: [] });
  await assert.rejects(connect({ ...who, home: daemon.home, prefer: 'unix' }), {
    code: 'NOT_RUNNING',
    message: /ENOENT/,
  });
});

test('an error tells the line of the agent that called', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  const theAgent = async () => {
    await session.undo(1);
  };
  await assert.rejects(theAgent(), (e: Error) => /at async theAgent .*client\.test/.test(e.stack!));
  daemon.after = () => 'hold';
  const slowAgent = async () => {
    await client.call('session.list', {}, { timeoutMs: 5 });
  };
  await assert.rejects(
    slowAgent(),
    (e: Error) => /TIMEOUT|no answer/.test(e.message) && /slowAgent/.test(e.stack!),
  );
});

test('a listener that throws is an uncaught exception of its author, and the connection and the other listeners go on', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home, reconnect: false });
  const session = await client.session({ ...open, session: 's' });
  const uncaught: unknown[] = [];
  const seen: number[] = [];
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (e) => uncaught.push(e));
  try {
    session.on('io.input', () => {
      throw new Error('a fault of the agent');
    });
    session.on('*', (e) => seen.push(e.seq));
    await session.subscribed;
    await session.append([{ role: 'user', content: 'a' }]);
    await session.append([{ role: 'user', content: 'b' }]);
    await until(() => seen.length === 2 && uncaught.length === 2);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of others) process.on('uncaughtException', listener);
  }
  assert.match(String(uncaught[0]), /a fault of the agent/);
  assert.ok(client.connected);
});

test('a reader that was refused, or has ended, is not renewed by a reconnect', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const subscribed = () => daemon.calls.filter((c) => c.method === 'session.subscribe').length;
  daemon.before = (call) => {
    if (call.method === 'session.subscribe') throw new CuratedError('UNSUPPORTED');
  };
  await assert.rejects(client.events('*'), { kind: 'UNSUPPORTED' });
  daemon.before = () => {};
  const stream = await client.events('*');
  await stream.return();
  assert.equal(subscribed(), 2);
  await cut(daemon, client);
  await client.call('session.list', {});
  assert.equal(subscribed(), 2);
});

test('a reader that has gone is told to the daemon, once the last one has', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  const ended = () =>
    daemon.calls.filter((c) => c.method === 'session.unsubscribe').map((c) => c.params.session);
  const off = session.on('io.input', () => {});
  await session.subscribed;
  const stream = await session.events();
  await stream.return();
  await client.call('session.list', {});
  assert.deepEqual(ended(), [], 'a listener is left');
  off();
  await until(() => ended().length === 1);
  const again: number[] = [];
  session.on('io.input', (e) => again.push(e.seq));
  await session.subscribed;
  await session.append([{ role: 'user', content: 'a' }]);
  assert.deepEqual(again, [1], 'a later listener listens');
  const all = await client.events('*');
  await all.return();
  await session.close();
  await until(() => ended().length === 3);
  assert.deepEqual(ended(), ['s', '*', 's']);
});

test('F39 a reader of a session that somebody else holds goes on over a reconnect, where it was', async (t) => {
  const daemon = await daemonFor(t);
  const agent = await clientFor(t, { home: daemon.home });
  const held = await agent.session({ ...open, session: 's' });
  const watcher = await clientFor(t, { home: daemon.home });
  const stream = await watcher.events('s', 1);
  await held.append([{ role: 'user', content: 'a' }]);
  assert.equal((await stream.next()).value.seq, 1);
  await cut(daemon, watcher, agent);
  await held.append([{ role: 'user', content: 'b' }]);
  assert.equal((await stream.next()).value.seq, 2);
  // Erased while the watcher was away: its reader ends with the reason, the client goes on.
  daemon.before = (call) => {
    if (call.method === 'session.subscribe') throw new CuratedError('UNKNOWN_SESSION');
  };
  daemon.drop();
  await assert.rejects(stream.next(), { kind: 'UNKNOWN_SESSION' });
  assert.deepEqual(await watcher.call('session.list', {}), { sessions: [] });
});

test("a project's folder is told from the root, and the schema takes no other", async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's', project: 'folder' });
  const opened = () => daemon.calls.filter((c) => c.method === 'session.open').at(-1)!;
  assert.equal((opened().params as { project?: string }).project, resolve('folder'));
  await cut(daemon, client);
  await session.append([{ role: 'user', content: 'a' }]);
  assert.equal(
    (opened().params as { project?: string }).project,
    resolve('folder'),
    'when it is resumed too',
  );
  const params = { ...open, session: 's', project: 'folder' };
  const refused = await client.call('session.open', params).then(() => 'taken');
  assert.equal(refused, 'taken', 'the client makes it absolute before it is checked');
  for (const project of ['folder', './folder', '../folder', '~', ''])
    assert.equal(METHODS['session.open'].params.safeParse({ ...params, project }).success, false, project);
});

test('F38 an append whose answer was lost is sent once more and takes effect once', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  let cuts = 1;
  daemon.after = (call) => (call.method === 'session.append' && cuts-- > 0 ? 'drop' : 'answer');
  const r = await session.append([{ role: 'user', content: 'once' }]);
  assert.deepEqual(r.ids, ['m1']);
  assert.equal(daemon.sessions.get('s')!.texts.length, 1);
  const appends = daemon.calls.filter((c) => c.method === 'session.append');
  assert.equal(appends.length, 2);
  assert.equal(new Set(appends.map((c) => (c.params as { key: string }).key)).size, 1);
});

test('a call cut twice is not sent a third time', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  daemon.after = (call) => (call.method === 'durable.add_decision' ? 'drop' : 'answer');
  await assert.rejects(session.durable.addDecision('x'), { code: 'CONNECTION_LOST' });
  assert.equal(daemon.calls.filter((c) => c.method === 'durable.add_decision').length, 2);
  assert.equal(await session.durable.toContextBlock(), 'x');
  assert.equal(await session.durable.isEmpty(), false);
});

test('a call that is not safe to repeat is not repeated', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  daemon.after = (call) => (call.method === 'session.fork' ? 'drop' : 'answer');
  await assert.rejects(session.fork({ as: 'f' }), { code: 'CONNECTION_LOST' });
  await session.prepare({});
  assert.equal(daemon.calls.filter((c) => c.method === 'session.fork').length, 1);
});

test('calls made while the daemon is away wait for it, and the session is resumed with last_seq', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  await session.append([{ role: 'user', content: 'a' }]);
  await daemon.stop();
  await until(() => !client.connected);
  const waiting = session.append([{ role: 'user', content: 'b' }]);
  await daemon.listen();
  assert.deepEqual((await waiting).ids, ['m2']);
  const opens = daemon.calls.filter((c) => c.method === 'session.open');
  assert.deepEqual(
    opens.map((c) => c.params.last_seq),
    [undefined, 1],
  );
  assert.equal(session.opened.resumed, true);
});

test('a call refused because the daemon drains is taken to the next one', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  daemon.before = (call) => {
    if (call.method === 'session.append') throw new CuratedError('DRAINING');
  };
  const append = session.append([{ role: 'user', content: 'a' }]);
  await until(() => daemon.calls.some((c) => c.method === 'session.append'));
  daemon.before = () => {};
  setTimeout(() => daemon.drop(), 20);
  assert.deepEqual((await append).ids, ['m1']);
});

test('F46 a journal shorter than what was acknowledged ends the session with SEQ_GAP, not the client', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  await session.append([{ role: 'user', content: 'a' }]);
  daemon.sessions.clear();
  daemon.drop();
  await until(() => session.fault !== undefined);
  await assert.rejects(session.prepare({}), { kind: 'SEQ_GAP' });
  assert.deepEqual(await client.call('session.list', {}), { sessions: [] });
});

test('events come once each and without a gap, over a reconnect too', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  const heard: number[] = [];
  const stop = session.on('io.input', (e) => heard.push(e.seq));
  await session.subscribed;
  const stream = await session.events(1);
  const read: number[] = [];
  const reading = (async () => {
    for await (const e of stream) {
      read.push(e.seq);
      if (e.type === 'the.end') break;
    }
  })();
  await session.append([{ role: 'user', content: 'a' }]);
  daemon.drop();
  // These happen while nobody is connected.
  daemon.emit('s', 'io.input');
  daemon.emit('s', 'io.input');
  await until(() => heard.length === 3);
  await session.append([{ role: 'user', content: 'b' }]);
  stop();
  daemon.emit('s', 'the.end');
  await reading;
  assert.deepEqual(heard, [1, 2, 3, 4]);
  assert.deepEqual(read, [1, 2, 3, 4, 5]);
});

test('events from now on are those from now on, over a reconnect too, whoever else reads', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const watcher = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  for (const content of ['a', 'b', 'c']) await session.append([{ role: 'user', content }]);
  const heard: number[] = [];
  session.on('*', (e) => heard.push(e.seq));
  const [own, whole, others] = await Promise.all([
    session.events(),
    session.events(1),
    watcher.events('s').then(reading),
  ]);
  const [mine, all] = [reading(own), reading(whole)];
  await until(() => all.length === 3);
  const cutting = cut(daemon, client, watcher);
  // Nobody is connected, and no reader from now on has seen an event yet.
  daemon.emit('s', 'io.input');
  await cutting;
  daemon.emit('s', 'io.input');
  await until(() => [heard, mine, others, all].every((seqs) => seqs.at(-1) === 5));
  assert.deepEqual(
    [heard, mine, others],
    [
      [4, 5],
      [4, 5],
      [4, 5],
    ],
  );
  assert.deepEqual(all, [1, 2, 3, 4, 5]);
});

test('a session that is opened twice is one: who listens goes on listening', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const first = await client.session({ ...open, session: 's' });
  const heard: number[] = [];
  first.on('io.input', (e) => heard.push(e.seq));
  const second = await client.session({ ...open, session: 's' });
  assert.equal(second, first);
  assert.equal(second.opened.resumed, true);
  await cut(daemon, client);
  await second.append([{ role: 'user', content: 'a' }]);
  await until(() => heard.length === 1);
});

test('F41 a superseded session refuses further calls and is not taken back by a reconnect', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  const told: CuratedEvent[] = [];
  session.on('session.superseded', (e) => told.push(e));
  daemon.signal('session.superseded', { session: 's' });
  await until(() => told.length === 1);
  await assert.rejects(session.append([{ role: 'user', content: 'late' }]), { kind: 'SUPERSEDED' });
  daemon.drop();
  await until(() => daemon.calls.filter((c) => c.method === 'initialize').length === 2);
  await client.call('session.list', {});
  assert.equal(daemon.calls.filter((c) => c.method === 'session.open').length, 1);
});

test('the client answers llm.complete and embeddings.create, and says so at initialize', async (t) => {
  const daemon = await daemonFor(t);
  await clientFor(t, {
    home: daemon.home,
    llm: async (request) => {
      if (request.purpose === 'compaction') throw new Error('no model here');
      return { text: `summary of ${request.messages.length}`, stop_reason: 'end_turn' };
    },
    embeddings: { model: 'e', dimensions: 2, create: async (input) => input.map((s) => [s.length, 1]) },
  });
  const hello = daemon.calls[0]!;
  assert.deepEqual(hello.params, {
    protocol: 1,
    client: who.client,
    capabilities: { llm: {}, embeddings: { model: 'e', dimensions: 2 } },
  });
  const request = { session: 's', system: '', messages: [{ role: 'user' }], max_tokens: 5 };
  assert.deepEqual(await daemon.ask('llm.complete', { ...request, purpose: 'summary' }), {
    text: 'summary of 1',
    stop_reason: 'end_turn',
  });
  const failed = (await daemon.ask('llm.complete', { ...request, purpose: 'compaction' })) as {
    message: string;
  };
  assert.equal(failed.message, 'no model here');
  assert.deepEqual(await daemon.ask('embeddings.create', { session: 's', input: ['abc', ''] }), {
    model: 'e',
    vectors: [
      [3, 1],
      [0, 1],
    ],
  });
  const unknown = (await daemon.ask('files.delete', {})) as { code: number };
  assert.equal(unknown.code, -32601);
});

test('a call without an answer ends at its deadline or by its signal, and its late answer harms nobody', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home, timeoutMs: 30 });
  daemon.after = (call) => (call.method === 'session.list' ? 'hold' : 'answer');
  await assert.rejects(client.call('session.list', {}), { code: 'TIMEOUT' });
  const stop = new AbortController();
  const aborted = client.call('session.list', {}, { signal: stop.signal, timeoutMs: 5_000 });
  stop.abort();
  await assert.rejects(aborted, { name: 'AbortError' });
  await assert.rejects(client.call('session.list', {}, { signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });
  daemon.after = () => 'answer';
  assert.deepEqual(await client.call('session.list', {}), { sessions: [] });
});

test('close rejects what waits, ends the readers and allows nothing more', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  const stream = await session.events();
  daemon.after = () => 'hold';
  const waiting = client.call('session.list', {});
  const next = stream.next();
  await client.close();
  await assert.rejects(waiting, { code: 'CLOSED' });
  assert.equal((await next).done, true);
  await assert.rejects(client.call('session.list', {}), { code: 'CLOSED' });
});

test('reconnecting can be given up, and can be off', async (t) => {
  const daemon = await daemonFor(t);
  const patient = await clientFor(t, { home: daemon.home, reconnect: { minMs: 5, maxMs: 10, giveUpMs: 40 } });
  const strict = await clientFor(t, { home: daemon.home, reconnect: false });
  await daemon.stop();
  await assert.rejects(patient.call('session.list', {}), { code: 'CLOSED' });
  await until(() => !strict.connected);
  await assert.rejects(strict.call('session.list', {}), { code: 'CONNECTION_LOST' });
});

test('a call that was given up before it was asked is not sent', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  const gone = AbortSignal.abort(new Error('changed my mind'));
  await assert.rejects(session.append([{ role: 'user', content: 'a' }], { signal: gone }), {
    message: 'changed my mind',
  });
  await client.call('session.list', {});
  assert.deepEqual(
    daemon.calls.map((c) => c.method),
    ['initialize', 'session.open', 'session.list'],
  );
});

test('a limit longer than a timer can hold is none', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home, timeoutMs: Number.POSITIVE_INFINITY });
  await client.call('session.list', {});
  await client.call('session.list', {}, { timeoutMs: 2 ** 31 });
});

test('a frame that the daemon would not take is refused here, and costs no connection', async (t) => {
  const daemon = await daemonFor(t);
  daemon.limits = { frame_bytes: 1_000 };
  const client = await clientFor(t, {
    home: daemon.home,
    llm: async () => ({ text: 'x'.repeat(1_000), stop_reason: null }),
  });
  const session = await client.session({ ...open, session: 's' });
  const other = session.append([{ role: 'user', content: 'beside' }]);
  await assert.rejects(session.append([{ role: 'user', content: 'ä'.repeat(500) }]), (e: unknown) => {
    assert.ok(e instanceof CuratedError && e.kind === 'LIMIT');
    assert.match(e.message, /^session.append: 11\d\d bytes in a frame; the daemon takes 1000$/);
    return true;
  });
  await other;
  const asked = { session: 's', purpose: 'summary', system: '', messages: [{ role: 'user' }], max_tokens: 5 };
  const refused = (await daemon.ask('llm.complete', asked)) as { data: { kind: string } };
  assert.equal(refused.data.kind, 'LIMIT');
  assert.equal(daemon.calls.filter((c) => c.method === 'initialize').length, 1);
});

test('calls that wait for the next daemon go out in the order they were asked', async (t) => {
  const daemon = await daemonFor(t);
  const client = await clientFor(t, { home: daemon.home });
  const session = await client.session({ ...open, session: 's' });
  let refused = 0;
  // The first is refused as the daemon drains, the second meets its end.
  daemon.before = (call) => {
    if (call.method === 'session.append' && refused++ === 0) throw new CuratedError('DRAINING');
  };
  daemon.after = (call) => (call.method === 'session.append' && refused === 2 ? 'drop' : 'answer');
  const first = session.append([{ role: 'user', content: 'first' }]);
  const second = session.append([{ role: 'user', content: 'second' }]);
  await Promise.all([first, second]);
  const sent = daemon.calls.filter((c) => c.method === 'session.append').slice(2);
  assert.deepEqual(
    sent.map((c) => c.method === 'session.append' && c.params.messages[0]!.text.includes('first')),
    [true, false],
  );
});

test('a daemon that takes connections and answers nothing ends connect, and does not keep close', async (t) => {
  const daemon = await daemonFor(t);
  daemon.after = () => 'hold';
  await assert.rejects(connect({ ...who, home: daemon.home, timeoutMs: 50 }), { code: 'TIMEOUT' });
  daemon.after = () => 'answer';
  const client = await connect({ ...who, home: daemon.home, reconnect: { minMs: 5, maxMs: 20 } });
  daemon.after = () => 'hold';
  daemon.drop();
  const greeted = daemon.calls.length;
  await until(() => daemon.calls.length > greeted);
  await client.close();
  await until(() => daemon.connections === 0);
});
