// context.* and the packet of session.open through the real handlers, and the command line on the files.
import assert from 'node:assert/strict';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { EntryStore } from '../../src/context/entry-store.js';
import { identitySource } from '../../src/context/identity.js';
import { Pantry } from '../../src/context/pantry.js';
import { projectTexts } from '../../src/context/project-files.js';
import { Health } from '../../src/observe/health.js';
import { curated, homeFor } from '../cli/command.js';
import { BenchCaller, BenchDaemon } from '../session/bench-daemon.js';
import { folder, project } from './project.js';
import { realCount } from './real-count.js';

function daemon(t: TestContext, roots?: () => readonly string[], data = folder(t)): BenchDaemon {
  const bench = new BenchDaemon();
  const pantry = new Pantry({
    data,
    roots,
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
  assert.match(before.stdout, /nothing is known of this project yet/);
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

/** A token as `curated token add` makes it. */
function agentOf(tenant: string): BenchCaller {
  return Object.assign(new BenchCaller(tenant), { scopes: ['agent'] });
}

test('F42 a token for agents has no folder read that its tenant has not, and the operator lists those that it may', async (t) => {
  const listed: string[] = [];
  const bench = daemon(t, () => listed);
  const root = project(t, 1);
  const agent = agentOf('guest');
  const refused = { kind: 'FORBIDDEN_SCOPE', path: '/project' };
  await assert.rejects(bench.call('context.refresh', { project: root }, agent), refused);
  await assert.rejects(bench.call('context.refresh', { project: '/etc' }, agent), refused);
  // Nor does the answer tell whether a folder is there.
  await assert.rejects(bench.call('context.refresh', { project: '/no/such' }, agent), refused);
  assert.equal((await bench.call('context.packet', { project: root }, agent)).text, '');
  const open = (o: object) =>
    bench.call('session.open', { format: 'anthropic', model: 'claude-x', project: root, ...o }, agent);
  assert.equal((await open({ session: 'a' })).packet, undefined);
  await bench.rooms.pantry!.settled();
  assert.deepEqual((await bench.call('context.topics', { project: root }, agent)).topics, []);
  const { events } = await bench.call('journal.read', { session: 'a' }, agent);
  const notices = (events as { type: string; path?: string; text?: string }[]).filter(
    (e) => e.type === 'session.notice',
  );
  assert.deepEqual(
    notices.map((n) => n.path),
    ['/project'],
  );
  assert.match(notices[0]!.text!, /curated\.context\.roots/);
  listed.push(join(root, '..'));
  const done = await bench.call('context.refresh', { project: root }, agent);
  assert.ok(done.topics >= 0);
  assert.match((await open({ session: 'b' })).packet.text, /Shop: Sells things/);
});

test('F42 its own topics make a map for a token whose folder is not read, and nothing of the folder is in it', async (t) => {
  const bench = daemon(t, () => []);
  const root = project(t, 3);
  const taxonomies = [{ collection: 'code__a', label: 'Sockets', doc_count: 9 }];
  const agent = agentOf('default');
  await bench.call('context.refresh', { project: root, taxonomies }, agent);
  const { text } = await bench.call('context.packet', { project: root }, agent);
  assert.match(text, /Sockets \(9\)/);
  assert.doesNotMatch(text, /Sells things|[1-9]\d* files/);
  // A map of one's own topics is not what opens a folder.
  const emptied = bench.call('context.refresh', { project: root, taxonomies: [] }, agent);
  await assert.rejects(emptied, { kind: 'FORBIDDEN_SCOPE' });
});

test('R-9 what the owner works in is read for the agents of the same tenant, after a restart too', async (t) => {
  const data = folder(t);
  const root = project(t, 1);
  const bench = daemon(t, () => [], data);
  const agent = agentOf('default');
  const before = bench.call('context.refresh', { project: root }, agent);
  await assert.rejects(before, { kind: 'FORBIDDEN_SCOPE' });
  await bench.call('context.refresh', { project: root });
  const again = daemon(t, () => [], data);
  await again.call('context.refresh', { project: root }, agent);
  assert.match((await again.call('context.packet', { project: root }, agent)).text, /Shop: Sells things/);
  const stranger = again.call('context.refresh', { project: root }, agentOf('guest'));
  await assert.rejects(stranger, { kind: 'FORBIDDEN_SCOPE' });
});

test('F42 a link in a project is not a way to what lies outside of it', async (t) => {
  const secret = join(folder(t), 'secret.md');
  writeFileSync(secret, 'confidential ledger of somebody else');
  const root = folder(t);
  symlinkSync(secret, join(root, 'README.md'));
  symlinkSync(secret, join(root, 'notes.md'));
  writeFileSync(join(root, 'AGENTS.md'), '# Own words\n');
  symlinkSync(join(root, 'AGENTS.md'), join(root, 'CLAUDE.md'));
  const { documents } = await projectTexts(root, 'p');
  assert.deepEqual(
    documents.map((d) => d.id),
    ['AGENTS.md'],
  );
  assert.equal(identitySource(root), 'Own words');
  rmSync(join(root, 'AGENTS.md'));
  assert.equal(identitySource(root), '');
});
