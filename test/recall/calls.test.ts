// recall.* through the real handlers: what was said is found in its scope, and comes back byte for byte.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EntryStore } from '../../src/context/entry-store.js';
import { Pantry } from '../../src/context/pantry.js';
import { RecallIndex } from '../../src/context/recall/index-file.js';
import type { SessionKey } from '../../src/journal/index.js';
import { quarantined } from '../../src/journal/record.js';
import { Health } from '../../src/observe/health.js';
import { RecallFeed } from '../../src/service/recall-feed.js';
import {
  assistant,
  BenchCaller,
  BenchDaemon,
  clearing,
  type Json,
  toolRound,
  user,
} from '../session/bench-daemon.js';

interface World {
  bench: BenchDaemon;
  folder: string;
  file: string;
  health: Health;
  /** Another index over the same journals. */
  renew(path: string): RecallFeed;
}

function world(t: TestContext): World {
  const folder = mkdtempSync(join(tmpdir(), 'curated-recall-'));
  const bench = new BenchDaemon();
  const health = new Health(bench.clock, 'test');
  const pantry = new Pantry({
    data: folder,
    clock: bench.clock,
    count: (text) => Math.ceil(text.length / 4),
    entries: new EntryStore(':memory:'),
    health,
  });
  const file = join(folder, 'recall.db');
  const renew = (path: string) => {
    const feed = new RecallFeed({ store: bench.store, index: new RecallIndex(path), pantry, health });
    t.after(() => feed.close());
    return feed;
  };
  bench.rooms.pantry = pantry;
  bench.rooms.recall = renew(file);
  t.after(async () => {
    await pantry.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { bench, folder, file, health, renew };
}

async function session(
  bench: BenchDaemon,
  id: string,
  messages: Json[],
  o: object = {},
  caller?: BenchCaller,
): Promise<void> {
  await bench.call('session.open', { session: id, format: 'anthropic', model: 'claude-x', ...o }, caller);
  await bench.call('session.append', { session: id, messages }, caller);
}

const OUTPUT = `line one "quoted" \\u00e9\nthe flux capacitor broke\nline three`;

test('M-7 recall.search finds results, words and calls of a session, cleared or not, and recall.get gives the bytes', async (t) => {
  const { bench } = world(t);
  const spoken = 'Why does the turbine stall at dawn?';
  await session(bench, 'a', [
    user(spoken),
    ...toolRound('t1', 'grep', { pattern: 'hyperdrive' }, OUTPUT),
    assistant('It was the gearbox.'),
  ]);
  const find = async (query: string, o: object = {}) =>
    (await bench.call('recall.search', { session: 'a', query, ...o })).hits as Json[];
  const [hit] = await find('flux capacitor');
  assert.equal(hit.tool, 'grep');
  assert.equal(hit.session, 'a');
  assert.equal(hit.turn, 0);
  assert.ok(hit.tokens > 0 && hit.snippet.includes('flux capacitor'));
  assert.ok(hit.neighbours.some((n: Json) => n.snippet.includes('gearbox')));
  const got = await bench.call('recall.get', { handle: hit.handle });
  assert.deepEqual(got, { text: OUTPUT, total_bytes: Buffer.byteLength(OUTPUT), original: true });
  assert.equal((await bench.call('recall.get', { handle: (await find('turbine'))[0].handle })).text, spoken);
  const call = (await find('hyperdrive'))[0];
  assert.deepEqual((await bench.call('recall.get', { handle: call.handle })).parts, {
    pattern: 'hyperdrive',
  });
  assert.equal((await find('turbine', { tool: 'grep' })).length, 0);
  assert.equal((await find('capacitor', { tool: 'grep' })).length, 1);
  assert.equal((await find('capacitor', { topic: 'gearbox' })).length, 0);
  assert.equal((await find('', { topic: 'gearbox' })).length, 1);
  assert.equal(
    (await bench.call('recall.get', { handle: hit.handle, grep: 'FLUX' })).text,
    'the flux capacitor broke',
  );
});

test('M-7 pages of a recall by range put together are the original, wherever their edges fall', async (t) => {
  const { bench } = world(t);
  await bench.call('session.open', { session: 'a', format: 'anthropic', model: 'claude-x' });
  const whole = 'é🙂数a\r\ntwo 数据 lines 🙂🙂 of originals';
  await bench.call('session.append', { session: 'a', messages: [user(whole)] });
  const { handle } = (await bench.call('recall.search', { session: 'a', query: 'originals' }))
    .hits[0] as Json;
  const get = (o: Json) => bench.call('recall.get', { handle, ...o }) as Promise<Json>;
  const total = Buffer.byteLength(whole);
  for (let size = 1; size <= total + 1; size++) {
    let pages = '';
    for (let at = 0; at < total; at += size) pages += (await get({ range: [at, at + size] })).text;
    assert.equal(pages, whole, `pages of ${size} bytes`);
  }
  assert.deepEqual(await get({ range: [total, Number.MAX_SAFE_INTEGER] }), {
    text: '',
    total_bytes: total,
    original: true,
  });
  assert.equal((await get({ grep: 'TWO', range: [4, 10] })).text, '数据');
  for (const range of [[2, 1], [-1, 2], [0, 2 ** 53], [0.5, 1], [0]])
    await assert.rejects(get({ range }), { kind: 'BAD_TYPE' }, JSON.stringify(range));
});

test('M-7 a cleared result keeps the handle under which the search found it', async (t) => {
  const { bench } = world(t);
  const big = `needle ${'hay '.repeat(3000)}`;
  const config = clearing({ age_turns: 1, size_bytes_threshold: 50 });
  await bench.call('session.open', { session: 'a', format: 'anthropic', model: 'claude-x', config });
  await bench.call('llm.prepare', { session: 'a', append: [user('go')] });
  await bench.call('llm.prepare', { session: 'a', append: toolRound('t1', 'read', { p: 1 }, big) });
  await bench.call('session.append', { session: 'a', messages: [assistant('done')] });
  const before = (await bench.call('recall.search', { session: 'a', query: 'needle' })).hits[0].handle;
  await bench.call('turn.end', { session: 'a' });
  await bench.call('llm.prepare', { session: 'a', append: [user('next')] });
  const { cleared } = await bench.call('session.state', { session: 'a' });
  assert.deepEqual(
    cleared.map((c: Json) => c.handle),
    [before],
  );
  assert.equal((await bench.call('recall.get', { handle: before })).text, big);
});

test('M-7 R-8 scopes: a session, a project, all of a tenant, and nothing of another', async (t) => {
  const { bench, folder } = world(t);
  await session(bench, 'a', [user('zebra in project one')], { project: join(folder, 'one') });
  await session(bench, 'b', [user('zebra in project two')], { project: join(folder, 'two') });
  await session(bench, 'c', [user('zebra of nobody')]);
  const guest = new BenchCaller('guest');
  await session(bench, 'a', [user('zebra of a guest')], {}, guest);
  const sessions = async (o: object, caller?: BenchCaller) =>
    (await bench.call('recall.search', { query: 'zebra', ...o }, caller)).hits
      .map((h: Json) => h.session)
      .sort();
  assert.deepEqual(await sessions({}), ['a', 'b', 'c']);
  assert.deepEqual(await sessions({ project: join(folder, 'one') }), ['a']);
  assert.deepEqual(await sessions({ session: 'c' }), ['c']);
  assert.deepEqual(await sessions({}, guest), ['a']);
  const [hit] = (await bench.call('recall.search', { session: 'b', query: 'zebra' })).hits;
  await assert.rejects(bench.call('recall.get', { handle: hit.handle }, guest), { kind: 'UNKNOWN_HANDLE' });
  await assert.rejects(bench.call('recall.search', { session: 'b', query: 'x' }, guest), {
    kind: 'UNKNOWN_SESSION',
  });
});

test('M-6 a missing or damaged index fills again from the journals; a lock is an error and not an empty answer', async (t) => {
  const { bench, folder, file, health, renew } = world(t);
  await session(bench, 'a', [user('a quokka smiles')]);
  assert.equal((await bench.call('recall.search', { query: 'quokka' })).hits.length, 1);
  writeFileSync(join(folder, 'bad.db'), 'no database '.repeat(1000));
  for (const path of [join(folder, 'new.db'), join(folder, 'bad.db')]) {
    bench.rooms.recall = renew(path);
    assert.equal((await bench.call('recall.search', { query: 'quokka' })).hits.length, 1);
  }
  assert.ok(readFileSync(file).length > 0);
  bench.rooms.recall = renew(join(folder, 'no', '\0'));
  await assert.rejects(bench.call('recall.search', { query: 'quokka' }), { kind: 'STORAGE' });
  await assert.rejects(bench.call('recall.search', { session: 'a', query: 'quokka' }), { kind: 'STORAGE' });
  assert.equal(health.report().checks['recall_index']!.ok, false);
});

test('M-7 after a rewind what was taken back is not found, after a forget nothing is, in the files neither', async (t) => {
  const { bench, folder } = world(t);
  await session(bench, 'a', [user('keep the ocelot')]);
  const { seq } = await bench.call('session.state', { session: 'a' });
  await bench.call('session.append', { session: 'a', messages: [assistant('ok'), user('drop the wombat')] });
  const hits = async (query: string) => (await bench.call('recall.search', { query })).hits.length;
  assert.deepEqual([await hits('ocelot'), await hits('wombat')], [1, 1]);
  await bench.call('session.rewind', { session: 'a', to_seq: seq });
  assert.deepEqual([await hits('ocelot'), await hits('wombat')], [1, 0]);
  await bench.call('session.forget', { session: 'a' });
  assert.equal(await hits('ocelot'), 0);
  for (const name of readdirSync(folder).filter((f) => f.startsWith('recall.db')))
    assert.ok(!readFileSync(join(folder, name)).includes('ocelot'), name);
});

test('M-7 what left the history by divergence is still found and recalled', async (t) => {
  const { bench } = world(t);
  await session(bench, 'a', []);
  const first = [user('one'), assistant('the pangolin plan'), user('two')];
  await bench.call('llm.prepare', { session: 'a', messages: first });
  await bench.call('llm.prepare', { session: 'a', messages: [user('one'), assistant('other'), user('two')] });
  const [hit] = (await bench.call('recall.search', { session: 'a', query: 'pangolin' })).hits;
  assert.equal((await bench.call('recall.get', { handle: hit.handle })).text, 'the pangolin plan');
});

test('M-9 M-10 entries are searched beside sessions, by wing and room, and recalled by handle', async (t) => {
  const { bench, folder } = world(t);
  const project = join(folder, 'p');
  await bench.call('context.ingest', {
    project,
    entries: [
      { id: '1', text: 'The axolotl regrows', wing: 'bio', room: 'tank' },
      { id: '2', text: 'The axolotl sleeps', wing: 'bio', room: 'cave' },
    ],
  });
  const find = async (o: object) =>
    (await bench.call('recall.search', { project, query: 'axolotl', ...o })).hits;
  assert.equal((await find({})).length, 2);
  const [hit] = await find({ room: 'tank' });
  assert.equal(hit.score, Math.round(hit.score * 1000) / 1000);
  assert.equal((await bench.call('recall.get', { handle: hit.handle })).text, 'The axolotl regrows');
  await bench.call('context.ingest', { project, invalidate: ['1'] });
  assert.equal((await find({ room: 'tank' })).length, 0);
});

test('M-9 PV-A18 the snippet of an entry cuts no character in two', async (t) => {
  const { bench, folder } = world(t);
  const project = join(folder, 'p');
  const entries = ['x', ''].map((before, i) => ({ id: `${i}`, text: `${before}${'😀'.repeat(400)} needle` }));
  await bench.call('context.ingest', { project, entries });
  const { hits } = await bench.call('recall.search', { project, query: 'needle' });
  assert.equal(hits.length, 2);
  for (const { snippet } of hits) assert.match(snippet, /^x?(?:😀)+…$/u);
});

test('M-13 decisions and every 15 user messages become entries of the project, and leave with their session', async (t) => {
  const { bench, folder } = world(t);
  const project = join(folder, 'p');
  await session(bench, 'a', [], { project });
  await bench.call('durable.add_decision', { session: 'a', text: 'Use JWT, not cookies' });
  for (let i = 0; i < 16; i += 1) {
    await bench.call('session.append', {
      session: 'a',
      messages: [user(`ask number ${i}`), assistant('ok')],
    });
    await bench.rooms.recall!.follow({ tenant: 'default', session: 'a' });
  }
  const { text } = await bench.call('context.packet', { project });
  assert.match(
    text,
    /\[decisions\]\n {2}- Use JWT, not cookies\n\[requests\]\n {2}- ask number 0 · ask number 1 · /,
  );
  await bench.call('session.forget', { session: 'a' });
  assert.doesNotMatch((await bench.call('context.packet', { project })).text, /JWT/);
});

test('M-7 F38 a session that is quarantined is not searched, and the others are', async (t) => {
  const { bench, folder, health } = world(t);
  for (const id of ['good', 'bad', 'other']) await session(bench, id, [user(`keep the ocelot of ${id}`)]);
  const store = new Proxy(bench.store, {
    get(target, name) {
      if (name === 'read')
        return (key: SessionKey, from: number, n: number) =>
          key.session === 'bad'
            ? Promise.reject(quarantined('bad', 2, 'is missing'))
            : target.read(key, from, n);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const feed = new RecallFeed({ store, index: new RecallIndex(join(folder, 'again.db')), health });
  t.after(() => feed.close());
  bench.rooms.recall = feed;
  for (let round = 0; round < 2; round += 1) {
    const { hits } = await bench.call('recall.search', { query: 'ocelot' });
    assert.deepEqual((hits as Json[]).map((h) => h.session).sort(), ['good', 'other']);
  }
  await assert.rejects(bench.call('recall.search', { session: 'bad', query: 'ocelot' }), /quarantined/);
});

test('J-13 M-7 a session whose journal was swept is found no more, what it filed for its project stays', async (t) => {
  const { bench, folder } = world(t);
  const project = join(folder, 'p');
  await session(bench, 'a', [user('keep the ocelot')], { project });
  await bench.call('durable.add_decision', { session: 'a', text: 'Use JWT, not cookies' });
  const hits = async () => (await bench.call('recall.search', { query: 'ocelot' })).hits.length;
  assert.equal(await hits(), 1);
  await bench.call('session.close', { session: 'a' });
  const { removed } = await bench.store.sweep({
    now: bench.clock.now() + 10 * 86_400_000,
    retainDays: 1,
    open: [],
  });
  assert.deepEqual(
    removed.map((key) => key.session),
    ['a'],
  );
  for (const key of removed) await bench.rooms.recall!.expire(key);
  assert.equal(await hits(), 0);
  for (const name of readdirSync(folder).filter((f) => f.startsWith('recall.db')))
    assert.ok(!readFileSync(join(folder, name)).includes('ocelot'), name);
  assert.match((await bench.call('context.packet', { project })).text, /JWT/);
});

test('M-9 M-12 a search by topic stays within 500 tokens of snippets, one by words alone does not cut', async (t) => {
  const { bench, folder } = world(t);
  const project = join(folder, 'p');
  const entries = Array.from({ length: 40 }, (_, i) => ({
    id: `${i}`,
    text: `sockets ${'wait '.repeat(40)}${i}`,
  }));
  await bench.call('context.ingest', { project, entries });
  const find = async (o: object) =>
    (await bench.call('recall.search', { project, k: 40, ...o })).hits as Json[];
  const scoped = await find({ query: '', topic: 'sockets' });
  const tokens = scoped.reduce((sum, h) => sum + Math.ceil(h.snippet.length / 4), 0);
  assert.ok(tokens <= 500 && tokens >= 200, `${tokens}`);
  assert.equal((await find({ query: 'sockets' })).length, 40);
  assert.deepEqual(await find({ query: '', topic: 'nowhere' }), [], 'none is an answer of its own');
});
