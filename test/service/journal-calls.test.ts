// Journals carried out, in and to safety over the wire: whole and verified, or not at all.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chain, GENESIS, MemoryStore, type SessionKey, SqliteStore } from '../../src/journal/index.js';
import { openSqlite } from '../../src/sqlite.js';
import {
  assistant,
  BenchCaller,
  BenchDaemon,
  clearing,
  type Json,
  toolRound,
  user,
} from '../session/bench-daemon.js';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'curated-journal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function talk(daemon: BenchDaemon, session: string, turns: number, size = 3000): Promise<void> {
  const call = (method: string, params: Json = {}) => daemon.call(method as never, { session, ...params });
  const config = clearing({ age_turns: 1, size_bytes_threshold: 200 });
  await call('session.open', { format: 'anthropic', model: 'claude-haiku-4-5', config });
  for (let n = 0; n < turns; n++) {
    const body = `${session} ${n} `.repeat(size / 5);
    await call('session.append', { messages: [user(`go ${n}`), ...toolRound(`t${n}`, 'Read', { n }, body)] });
    await call('llm.prepare');
    await call('session.append', { messages: [assistant(`done ${n}`)] });
    await call('turn.end');
  }
}

/** All pages of an export. */
async function exported(daemon: BenchDaemon, session: string, between = async () => {}): Promise<string[]> {
  const lines: string[] = [];
  const { seq } = await daemon.call('session.state', { session });
  let pages = 0;
  for (let from: number | undefined = 1; from !== undefined; pages++) {
    const page: Json = await daemon.call('journal.export', { session, from_seq: from, to_seq: seq });
    lines.push(...page.lines);
    from = page.next_seq;
    await between();
  }
  return Object.assign(lines, { pages });
}

test('J-1 an export in pages, made while the session goes on, comes in again byte for byte and replays', async (t) => {
  const daemon = new BenchDaemon();
  await talk(daemon, 's', 6, 900_000);
  const file = join(folderFor(t), 's.jsonl');
  const lines = await exported(daemon, 's', async () => {
    await daemon.call('session.append', { session: 's', messages: [user('meanwhile'), assistant('yes')] });
  });
  assert.ok((lines as unknown as { pages: number }).pages > 2, 'more than one page');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const done = await daemon.call('journal.import', { session: 'copy', path: file });
  const events = lines.filter((l) => l.startsWith('{"seq":'));
  assert.deepEqual([done.events, done.torn], [events.length, false]);
  const verified = await daemon.call('journal.verify', { session: 'copy' });
  assert.deepEqual([verified.events, verified.broken], [events.length, []]);
  const replayed = await daemon.call('journal.replay', { session: 'copy' });
  assert.deepEqual([replayed.requests, replayed.identical], [6, true]);
  // The copy is a session like any other, and the original has not noticed.
  await talk(daemon, 'copy', 1);
  assert.ok((await daemon.call('journal.verify', { session: 's' })).events > events.length);
});

test('J-11 handles of a fork and of an import are good after the session they came from is forgotten, and after a restart', async (t) => {
  const daemon = new BenchDaemon();
  await talk(daemon, 's', 5);
  const { cleared } = await daemon.call('session.state', { session: 's' });
  const original = await daemon.call('recall.get', { handle: cleared[0].handle });
  const file = join(folderFor(t), 's.jsonl');
  writeFileSync(file, `${(await exported(daemon, 's')).join('\n')}\n`);
  await daemon.call('session.fork', { session: 's', as: 'fork' });
  await daemon.call('session.forget', { session: 's' });
  assert.deepEqual(await daemon.call('recall.get', { handle: cleared[0].handle }), original);
  const other = new BenchDaemon({ store: daemon.store });
  assert.deepEqual(await other.call('recall.get', { handle: cleared[0].handle }), original);
  await other.call('session.forget', { session: 'fork' });
  await assert.rejects(other.call('recall.get', { handle: cleared[0].handle }), { kind: 'UNKNOWN_HANDLE' });
  await other.call('journal.import', { session: 'back', path: file });
  await talk(other, 'back', 1);
  const third = new BenchDaemon({ store: daemon.store });
  assert.deepEqual(await third.call('recall.get', { handle: cleared[0].handle }), original);
  const [listed] = (await third.call('session.list', {})).sessions;
  assert.deepEqual([listed.session, listed.model, listed.turn], ['back', 'claude-haiku-4-5', 6]);
});

test('J-6 an import that is damaged or would go over a session is refused, and nothing of it stays', async (t) => {
  const daemon = new BenchDaemon();
  await talk(daemon, 's', 3);
  const file = join(folderFor(t), 's.jsonl');
  const lines = await exported(daemon, 's');
  const refused = async (text: string, session = 'copy', kind = 'STORAGE') => {
    writeFileSync(file, text);
    await assert.rejects(daemon.call('journal.import', { session, path: file }), { kind });
    const { sessions } = await daemon.call('session.list', {});
    assert.deepEqual(
      sessions.map((s: Json) => s.session),
      ['s'],
    );
  };
  const whole = `${lines.join('\n')}\n`;
  await refused(whole, 's', 'BAD_TYPE');
  await refused(whole.replace('go 1', 'go 7'));
  await refused(whole.replace('"base64":"', '"base64":"AAAA'));
  await refused(lines.filter((_, i) => i !== lines.length - 2).join('\n'));
  await refused(whole.replace('"schema_version":"1"', '"schema_version":"2"'));
  await refused('');
  await assert.rejects(daemon.call('journal.import', { session: 'copy', path: 'relative' }), {
    kind: 'BAD_TYPE',
  });
  await assert.rejects(daemon.call('journal.import', { session: 'copy', path: `${file}.no` }), {
    kind: 'BAD_TYPE',
  });
  // An import into another tenant's name is another session.
  writeFileSync(file, whole);
  const other = new BenchCaller('other');
  assert.equal((await daemon.call('journal.import', { session: 's', path: file }, other)).events > 10, true);
  assert.ok((await daemon.call('journal.replay', { session: 's' }, other)).identical);
});

test('F46 verify names the session and the record, others are served, and a backup of a live journal is whole', async (t) => {
  const folder = folderFor(t);
  const path = join(folder, 'journal.db');
  let store = await SqliteStore.open(path);
  let daemon = new BenchDaemon({ store });
  await talk(daemon, 'a', 3);
  await talk(daemon, 'b', 3);
  const { archived } = await daemon.call('session.rewind', { session: 'a', to_seq: 12 });
  const copy = join(folder, 'copy.db');
  const [backup] = await Promise.all([daemon.call('journal.backup', { path: copy }), talk(daemon, 'c', 2)]);
  assert.ok(backup.bytes > 4096);
  await assert.rejects(daemon.call('journal.backup', { path: copy }), { kind: 'STORAGE' });
  assert.deepEqual((await daemon.call('journal.verify', {})).broken, []);
  await store.close();

  const db = openSqlite(path);
  const ids = db.prepare("SELECT id FROM sessions WHERE session = 'b' OR archive <> ''").pluck().all();
  assert.equal(ids.length, 2);
  for (const id of ids)
    db.prepare("UPDATE events SET payload = replace(payload, 'go 1', 'go 7') WHERE id / 268435456 = ?").run(
      id,
    );
  db.prepare(
    "DELETE FROM blobs WHERE id = (SELECT blob FROM refs WHERE session = (SELECT id FROM sessions WHERE session = 'c') LIMIT 1)",
  ).run();
  db.close();
  store = await SqliteStore.open(path);
  t.after(() => store.close());
  daemon = new BenchDaemon({ store });
  const { broken, sessions, archives } = await daemon.call('journal.verify', {});
  assert.deepEqual([sessions, archives], [3, 1]);
  assert.deepEqual(broken.map((b: Json) => b.session).sort(), ['a', 'b', 'c']);
  assert.equal(broken.find((b: Json) => b.session === 'a').archive, archived);
  assert.match(broken.find((b: Json) => b.session === 'b').reason, /does not match its hash/);
  assert.match(broken.find((b: Json) => b.session === 'c').reason, /is not in the journal/);
  assert.ok((await daemon.call('journal.replay', { session: 'a' })).identical);

  const saved = await SqliteStore.open(copy);
  t.after(() => saved.close());
  const sound = await saved.check();
  assert.deepEqual([sound.structure, sound.broken, sound.sessions >= 2], [[], [], true]);
});

/** A whole journal, by its hashes, with one event written by hand. */
async function written(daemon: BenchDaemon, session: string, change: (payload: Json) => Json, type: string) {
  await talk(daemon, 's', 3);
  const key = { tenant: 'default', session };
  let head: { seq: number; hash: string } = GENESIS;
  for (const r of await daemon.store.read({ ...key, session: 's' }, 1, 999)) {
    const { seq, ts, turn, ver } = r;
    const payload = r.type === type ? change(r.payload) : r.payload;
    const record = chain(head, { seq, ts, type: r.type, turn, ver, payload });
    daemon.store.append(key, head.seq, [record], []);
    head = record;
  }
  await daemon.store.flush('ack', key);
}

test('F46 a record that is whole and not what its type says quarantines its session alone, whoever asks and how often', async () => {
  for (const change of [() => ({}), (p: Json) => ({ ...p, text: 'no JSON' })]) {
    const daemon = new BenchDaemon();
    await written(daemon, 'odd', change, 'session.message');
    const open = { session: 'odd', format: 'anthropic', model: 'claude-haiku-4-5' };
    for (const [method, params] of [
      ['session.state', { session: 'odd' }],
      ['session.state', { session: 'odd' }],
      ['session.open', open],
      ['journal.bisect', { session: 'odd', text: 'go' }],
      ['journal.replay', { session: 'odd' }],
      ['session.open', open],
    ] as const)
      await assert.rejects(daemon.call(method as never, params as never), { kind: 'STORAGE' }, method);
    assert.equal((await daemon.call('journal.replay', { session: 's' })).identical, true);
  }
});

test('J-10 bisect and diff read an envelope and a system prompt that another build wrote otherwise', async () => {
  const daemon = new BenchDaemon();
  await written(daemon, 'odd', (p) => ({ layer: p.layer }), 'memory.curated');
  const { found, removed } = await daemon.call('journal.bisect', { session: 'odd', text: 's 0 s 0' });
  assert.deepEqual([found, removed!.type], ['removed', 'memory.tool_result_cleared']);
  assert.ok((await daemon.call('journal.diff', { session: 'odd' })).changes.length > 0);
});

test('F47 a journal that could not be read once is read by whoever asks next, and never taken for a session without events', async () => {
  class Flaky extends MemoryStore {
    failing = false;
    override read(key: SessionKey, from: number, limit: number) {
      return this.failing ? Promise.reject(new Error('EIO')) : super.read(key, from, limit);
    }
  }
  const store = new Flaky();
  const before = new BenchDaemon({ store });
  await talk(before, 's', 2);
  const { seq } = await before.call('session.state', { session: 's' });
  const daemon = new BenchDaemon({ store });
  const open = { session: 's', format: 'anthropic', model: 'claude-haiku-4-5' } as const;
  store.failing = true;
  // One that comes while another reads waits for the same, and neither makes a session.
  const asked = [0, 1].flatMap(() => [
    daemon.call('session.state', { session: 's' }),
    daemon.call('session.open', open),
  ]);
  for (const answer of await Promise.allSettled(asked))
    assert.match(String((answer as PromiseRejectedResult).reason), /EIO/);
  store.failing = false;
  assert.equal((await daemon.call('session.state', { session: 's' })).seq, seq);
  assert.equal((await daemon.call('session.open', open)).resumed, true);
});
