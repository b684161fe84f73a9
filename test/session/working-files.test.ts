// The working buffer and the archives as files: what they hold, that a crash costs nothing, that the journal gives the
// same bytes again.

import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MemoryStore } from '../../src/journal/index.js';
import { rebuildFiles } from '../../src/service/working-files.js';
import { assistant, BenchDaemon, type Json, user } from './bench-daemon.js';
import {
  COMPACTION,
  compact,
  events,
  FakeSummariser,
  journal,
  open,
  prepare,
  S,
  settled,
} from './condensing.js';

const CAPPED = 'nexus.memory.capped';
const KEY = { tenant: 'default', session: S };

function temporary(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'curated-files-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Every file below a folder, by relative path. */
function tree(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const e of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(e.parentPath, e.name);
    if (e.isFile()) found[relative(dir, path)] = readFileSync(path, 'utf8');
  }
  return found;
}

function lines(path: string): Json[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((l) => l !== '')
    .map((l) => JSON.parse(l));
}

const long = (n: number) => [user(`question ${n}`), assistant(`answer ${n} ${'word '.repeat(300)}`)];

async function daemon(files: string, store = new MemoryStore(), active = [COMPACTION]): Promise<BenchDaemon> {
  const d = new BenchDaemon({ summariser: new FakeSummariser(), files, store });
  d.clock.advance(Date.UTC(2026, 10, 30, 1, 2, 3) - d.clock.now());
  await open(d, active, { blocks: { [COMPACTION]: { protect_recent: 2 } } });
  return d;
}

async function assertRebuilt(d: BenchDaemon, t: TestContext, at: string): Promise<void> {
  const again = temporary(t);
  const { session } = await d.registry.get('default', S);
  await rebuildFiles(d.store, KEY, again, session.state, session.settings);
  const there = tree(at);
  assert.deepEqual(tree(again), there);
  // The call makes them in their place.
  rmSync(at, { recursive: true });
  const made = await d.call('session.files', { session: S });
  assert.equal(made.folder, at);
  assert.deepEqual(made.files, Object.keys(there).sort());
  assert.deepEqual(tree(at), there);
}

test('L5-9 J-12 the buffer grows by message, a cycle replaces it and archives what it stands for; the journal gives the same bytes', async (t) => {
  const root = temporary(t);
  const d = await daemon(root);
  const at = d.files!.folderOf(KEY);
  const current = join(at, 'current.jsonl');
  const messages = [...long(1), ...long(2)];
  await d.call('session.append', { session: S, messages: messages.slice(0, 3) });
  await d.files!.settled(KEY);
  const head = readFileSync(current, 'utf8');
  await d.call('session.append', { session: S, messages: messages.slice(3) });
  await d.files!.settled(KEY);
  assert.ok(readFileSync(current, 'utf8').startsWith(head), 'appended');
  assert.deepEqual(
    lines(current).map((l) => l.message),
    messages,
  );
  await compact(d);
  await d.call('session.append', { session: S, messages: [user('after')] });
  await d.files!.settled(KEY);
  const after = lines(current);
  assert.match(JSON.stringify(after[0].message), /Prior Context \(Compacted\)/);
  assert.deepEqual(
    after.slice(1).map((l) => l.message),
    [...messages.slice(2), user('after')],
  );
  const name = 'archive/001-20261130-010203';
  assert.deepEqual(
    lines(join(at, `${name}.jsonl`)).map((l) => l.message),
    messages.slice(0, 2),
  );
  assert.deepEqual(JSON.parse(readFileSync(join(at, `${name}.meta.json`), 'utf8')), {
    archive_number: 1,
    message_count: 2,
    timestamp: '2026-11-30T01:02:03.000Z',
    strategy: 'message_count',
    reason: events(d, 'memory.compacted')[0].reason,
  });
  assert.equal(readFileSync(join(at, `${name}.summary.md`), 'utf8'), 'Turns 0 to 0.\n');
  for (const type of ['memory.compaction.triggered', 'memory.compacted'])
    assert.equal(events(d, type)[0].backup_path, `${name}.jsonl`);
  await assertRebuilt(d, t, at);
});

test('F44 what a kill left half written of the files is taken away by the next daemon', async (t) => {
  const root = temporary(t);
  const store = new MemoryStore();
  const first = await daemon(root, store);
  await first.call('session.append', { session: S, messages: long(1) });
  await first.files!.close();
  const at = first.files!.folderOf(KEY);
  writeFileSync(join(at, 'current.jsonl.0123abcd.tmp'), 'half of it');
  const second = await daemon(root, store);
  await second.call('session.append', { session: S, messages: long(2) });
  await second.files!.settled(KEY);
  assert.deepEqual(readdirSync(at), ['current.jsonl']);
});

test('L5-9 H-3 after a restart the counter goes on, torn lines are skipped and counted, lost archives are made again', async (t) => {
  const root = temporary(t);
  const store = new MemoryStore();
  const first = await daemon(root, store);
  await first.call('session.append', { session: S, messages: [...long(1), ...long(2)] });
  await compact(first);
  await first.files!.close();
  const at = first.files!.folderOf(KEY);
  // What a crash may leave: half a line, an archive that never got there, one that the journal does not know.
  appendFileSync(join(at, 'current.jsonl'), '{"id":"m9","mess');
  rmSync(join(at, 'archive/001-20261130-010203.jsonl'));
  writeFileSync(join(at, 'archive/007-20200101-000000.jsonl'), '');
  const second = await daemon(root, store);
  await second.files!.settled(KEY);
  await second.call('session.append', { session: S, messages: [...long(3), ...long(4)] });
  await compact(second);
  await settled(second);
  await second.files!.settled(KEY);
  assert.deepEqual(
    readdirSync(join(at, 'archive')).filter((n) => n.endsWith('.jsonl')),
    ['001-20261130-010203.jsonl', '002-20261130-010203.jsonl'],
  );
  const [told] = (await journal(second, 'memory.diagnostic')).filter(
    (e: Json) => e.payload?.what === 'working_file_lines_skipped' || e.what === 'working_file_lines_skipped',
  );
  assert.deepEqual(told.detail ?? told.payload.detail, { file: 'current.jsonl', lines: 1 });
  await assertRebuilt(second, t, at);
});

test('H-2 a compaction rewrites the capped conversation; the originals stay in the journal', async (t) => {
  const root = temporary(t);
  const d = await daemon(root, new MemoryStore(), [CAPPED, COMPACTION]);
  const at = d.files!.folderOf(KEY);
  const messages = [...long(1), ...long(2)];
  await d.call('session.append', { session: S, messages });
  await compact(d);
  await d.files!.settled(KEY);
  const kept = lines(join(at, 'context/conversation.jsonl'));
  assert.match(JSON.stringify(kept[0].message), /Prior Context/);
  assert.deepEqual(
    kept.slice(1).map((l) => l.message),
    messages.slice(2),
  );
  assert.deepEqual(
    (await d.call('session.messages', { session: S })).messages.map((m: Json) => m.message),
    messages,
  );
  assert.deepEqual(
    readdirSync(join(at, 'context')).filter((n) => n.includes('.tmp')),
    [],
  );
  await assertRebuilt(d, t, at);
});

test('H-1 the capped conversation holds what the view keeps', async (t) => {
  const root = temporary(t);
  const d = new BenchDaemon({ files: root });
  await open(d, [CAPPED], { blocks: { [CAPPED]: { max_messages: 2 } } });
  await prepare(d, [...long(1), ...long(2), user('now')]);
  await d.files!.settled(KEY);
  const kept = lines(join(d.files!.folderOf(KEY), 'context/conversation.jsonl'));
  assert.deepEqual(
    kept.slice(-2).map((l) => l.message),
    [long(2)[1], user('now')],
  );
  assert.ok(!existsSync(join(d.files!.folderOf(KEY), 'current.jsonl')));
});

test('J-12 a rewind, a divergence and moved marks leave the files as the journal has them', async (t) => {
  const root = temporary(t);
  const d = await daemon(root);
  const at = d.files!.folderOf(KEY);
  await d.call('session.append', { session: S, messages: [...long(1), ...long(2)] });
  const { seq } = await d.call('session.state', { session: S });
  await compact(d);
  await d.files!.settled(KEY);
  await d.call('session.rewind', { session: S, to_seq: seq });
  await d.call('session.append', { session: S, messages: [user('instead')] });
  await d.files!.settled(KEY);
  assert.equal(lines(join(at, 'current.jsonl')).length, 5);
  await assertRebuilt(d, t, at);
  const marked = {
    role: 'user',
    content: [{ type: 'text', text: 'question 1', cache_control: { type: 'ephemeral' } }],
  };
  await prepare(d, undefined, { messages: [marked, long(1)[1], user('another way')] });
  await d.files!.settled(KEY);
  assert.deepEqual(
    lines(join(at, 'current.jsonl')).map((l) => l.message),
    [marked, long(1)[1], user('another way')],
  );
  await assertRebuilt(d, t, at);
});

test('F42 files stay in their own folder whatever the session is called, and go when it is forgotten', async (t) => {
  const root = temporary(t);
  const d = new BenchDaemon({ files: root });
  const ids = ['../../evil', 'a/b', '..', 'A', 'a', 'x'.repeat(256), 'a b', 'con.'];
  for (const session of ids) {
    await d.call('session.open', {
      session,
      format: 'anthropic',
      model: 'claude-sonnet-4-5',
      preset: 'balanced',
    });
    await d.call('session.append', { session, messages: [user(session)] });
    await d.files!.settled({ tenant: 'default', session });
  }
  const folders = ids.map((session) => d.files!.folderOf({ tenant: 'default', session }));
  assert.equal(new Set(folders.map((f) => f.toLowerCase())).size, ids.length);
  for (const [i, f] of folders.entries()) {
    assert.ok(f.startsWith(join(root, 'default/')), f);
    assert.deepEqual(
      lines(join(f, 'current.jsonl')).map((l) => l.message),
      [user(ids[i]!)],
    );
    await d.call('session.forget', { session: ids[i] });
    assert.ok(!existsSync(f));
  }
});

test('L5-9 F47 files that cannot be written are told, and the session goes on', async (t) => {
  const root = temporary(t);
  writeFileSync(join(root, 'default'), 'a file where a folder should be');
  const d = await daemon(root);
  await d.call('session.append', { session: S, messages: long(1) });
  await d.files!.settled(KEY);
  assert.equal(d.faults.length, 1);
  rmSync(join(root, 'default'));
  await d.call('session.append', { session: S, messages: long(2) });
  await d.files!.settled(KEY);
  assert.equal(lines(join(d.files!.folderOf(KEY), 'current.jsonl')).length, 4);
});

test('L5-9 persist: false keeps no files, and no event names one', async (t) => {
  const root = temporary(t);
  const d = new BenchDaemon({ summariser: new FakeSummariser(), files: root });
  await open(d, [COMPACTION], { blocks: { [COMPACTION]: { protect_recent: 2, persist: false } } });
  await d.call('session.append', { session: S, messages: [...long(1), ...long(2)] });
  await compact(d);
  await d.files!.settled(KEY);
  assert.deepEqual(readdirSync(root), []);
  assert.equal(events(d, 'memory.compacted')[0].backup_path, null);
});
