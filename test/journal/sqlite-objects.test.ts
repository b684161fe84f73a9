// No object of SQLite is left to the garbage collector, which in some versions of Node ends the process with it (src/sqlite.ts); and
// since all are held, what a daemon does all the time makes none.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EntryStore } from '../../src/context/entry-store.js';
import { RecallIndex } from '../../src/context/recall/index-file.js';
import { packGroup } from '../../src/journal/packed.js';
import { SqliteEngine } from '../../src/journal/sqlite-engine.js';
import { keptObjects, openSqlite } from '../../src/sqlite.js';
import { key, Writer } from './kit.js';

const folder = mkdtempSync(join(tmpdir(), 'curated-objects-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** How many objects of SQLite ten rounds of the work leave behind, after a first one that may prepare what is kept. */
function madeBy(work: (round: number) => void): number {
  work(0);
  const before = keptObjects();
  for (let round = 1; round <= 10; round++) work(round);
  return keptObjects() - before;
}

test('what a database makes is held, whoever calls for it', async () => {
  const db = openSqlite(join(folder, 'held.db'));
  const grows = async (what: string, by: () => unknown) => {
    const before = keptObjects();
    await by();
    assert.ok(keptObjects() > before, `${what} is not held`);
  };
  await grows('a statement', () => db.prepare('SELECT 1'));
  await grows('a statement of a pragma', () => db.pragma('user_version'));
  await grows('the statements of a transaction', () => db.transaction(() => undefined)());
  await grows('an iterator', () => [...db.prepare('SELECT 1').iterate()]);
  await grows('a backup', () => db.backup(join(folder, 'copy.db')));
  await grows('a database', () => openSqlite(':memory:').close());
  db.close();
});

test('the journal at work makes none: appends with and without a sync, reads, snapshots, erasing, the log written back', () => {
  const engine = new SqliteEngine(join(folder, 'engine.db'), { checkpointIdle: 0 });
  const made = madeBy((round) => {
    const k = key(`s${round}`);
    const writer = new Writer();
    for (const sync of [true, false, true]) {
      const group = packGroup(k, writer.head.seq, writer.next(3));
      assert.equal(engine.commit([{ op: 'append', group }], sync).size, 0);
    }
    const { seq, hash } = writer.head;
    engine.commit([{ op: 'snapshot', key: k, seq, hash, bytes: Buffer.from('state') }], false);
    engine.commit([{ op: 'meta', key: k, meta: '{}' }], false);
    assert.equal(engine.read(k, 1, 99).cells.length > 0, true);
    assert.equal(engine.loadSnapshot(k)?.seq, seq);
    engine.head(k);
    engine.heads();
    engine.stats();
    engine.idle(false);
    engine.rewind(k, 4, 'before');
    engine.erase(k);
  });
  engine.close();
  assert.equal(made, 0);
});

test('memory entries and the recall index at work make none', () => {
  const entries = new EntryStore(join(folder, 'entries.db'));
  const index = new RecallIndex(join(folder, 'recall.db'));
  const made = madeBy((round) => {
    const project = { tenant: 't', root: '/p' };
    entries.ingest(project, [{ id: `e${round}`, text: `decided ${round}` }], round, `s${round}`);
    assert.equal(entries.top(project).entries.length, 1);
    entries.byHandle('t', 'e0');
    entries.forget('t', `s${round}`);
    const row = {
      seq: 1,
      part: 0,
      turn: 1,
      role: 'user' as const,
      tool: null,
      handle: `r${round}`,
      tokens: 1,
      text: `common words ${round}`,
    };
    const at = { seq: 1, hash: 'h', format: 'anthropic', project: '', inputs: 0 } as const;
    index.add('t', `s${round}`, [row], at);
    assert.equal(index.search({ tenant: 't', must: '', k: 5, query: 'common' }).length, 1);
    index.tidy();
    index.erase('t', `s${round}`);
  });
  entries.close();
  index.close();
  assert.equal(made, 0);
});
