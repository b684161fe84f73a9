// context.* and the packet of session.open through the real handlers, and the command line on the files.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EntryStore } from '../../src/context/entry-store.js';
import { Pantry } from '../../src/context/pantry.js';
import { Health } from '../../src/observe/health.js';
import { curated, homeFor } from '../cli/command.js';
import { BenchCaller, BenchDaemon } from '../session/bench-daemon.js';
import { folder, project } from './project.js';
import { realCount } from './real-count.js';

function daemon(t: TestContext): BenchDaemon {
  const bench = new BenchDaemon();
  const pantry = new Pantry({
    data: folder(t),
    clock: bench.clock,
    count: realCount,
    entries: new EntryStore(':memory:'),
    health: new Health(bench.clock, 'test'),
  });
  bench.rooms.pantry = pantry;
  t.after(() => pantry.close());
  return bench;
}

test('M-7 M-8 context.* on the wire: taxonomy in, topics, packet and entries out', async (t) => {
  const bench = daemon(t);
  const root = project(t, 1);
  const taxonomies = [
    { collection: 'code__a', label: 'Sockets', doc_count: 9 },
    { collection: 'code__a', label: 'Frames', doc_count: 4, parent: 'Sockets' },
  ];
  const done = await bench.call('context.refresh', { project: root, taxonomies });
  assert.equal(done.topics, 2);
  assert.ok(done.tokens > 0 && existsSync(done.path));
  const { topics } = await bench.call('context.topics', { project: root, topic: 'frames' });
  assert.deepEqual(topics, [
    { label: 'Frames', prefix: 'code', count: 4, collection: 'code__a', parent: 'Sockets' },
  ]);
  const filed = await bench.call('context.ingest', {
    project: root,
    entries: [{ id: 'x', text: 'Use JWT' }],
  });
  assert.deepEqual(filed, { entries: 1, invalidated: 0 });
  const packet = await bench.call('context.packet', { project: join(root, 'src') });
  assert.match(packet.text, /Project knowledge map:\n {2}code: Sockets \(9\)\n\n## L1 — ESSENTIAL STORY/);
  assert.equal(packet.stale_days, 0);
  const small = await bench.call('context.packet', { project: root, budget: 45 });
  assert.ok(small.tokens <= 45);
});

test('R-12 a session with a project starts with the packet, once in its tree, and in silence without one', async (t) => {
  const bench = daemon(t);
  const root = project(t, 1);
  const open = (o: object) => bench.call('session.open', { format: 'anthropic', model: 'claude-x', ...o });
  const first = await open({ session: 'a', project: root });
  assert.match(first.packet.text, /## L0 — IDENTITY\nShop: Sells things/);
  assert.equal((await open({ session: 'a', project: root })).packet, undefined);
  assert.equal((await open({ session: 'sub', project: root, parent: 'a' })).packet, undefined);
  assert.equal((await open({ session: 'b' })).packet, undefined);
  assert.equal((await open({ session: 'c', project: join(folder(t), 'gone') })).packet, undefined);
});

test('R-8 a tenant never sees the topics of another', async (t) => {
  const bench = daemon(t);
  const root = project(t, 1);
  const taxonomies = [{ collection: 'c', label: 'Secret', doc_count: 1 }];
  await bench.call('context.refresh', { project: root, taxonomies });
  const guest = new BenchCaller('guest');
  assert.deepEqual(await bench.call('context.topics', { project: root }, guest), { topics: [] });
  assert.doesNotMatch((await bench.call('context.packet', { project: root }, guest)).text, /Secret/);
});

test('R-6 R-7 R-18 curated context refresh, show and topics, with no daemon running', async (t) => {
  const home = homeFor(t);
  const root = project(t);
  const before = await curated(['context', 'topics', root], home);
  assert.match(before.stdout, /no topics/);
  const done = await curated(['context', 'refresh', join(root, 'src')], home);
  assert.equal(done.code, 0, done.stderr);
  const [path, sizes] = done.stdout.split('\n');
  assert.ok(path!.startsWith(join(home, 'data/context/')) && existsSync(path!));
  assert.match(sizes!, /^\d+ topics, \d+ characters, \d+ tokens$/);
  const shown = await curated(['context', 'show', root], home);
  assert.match(shown.stdout, /Project knowledge map:\n {2}code: /);
  assert.doesNotMatch(shown.stdout, /\$\{|undefined/);
  const listed = await curated(['context', 'topics', root, '--json'], home);
  assert.ok((JSON.parse(listed.stdout) as { topics: unknown[] }).topics.length > 2);
  await curated(['context', 'refresh', root, '--global'], home);
  assert.ok(existsSync(join(home, 'data/context_l1.txt')));
  const gone = await curated(['context', 'refresh', join(root, 'nowhere')], home);
  assert.equal(gone.code, 0, 'a folder inside the project is the project');
});
