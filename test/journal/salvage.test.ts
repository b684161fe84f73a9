// A damaged journal file: said in words, left as it is, and what is sound of it carried into a new one.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { checkJournalFile } from '../../src/cli/journal-checks.js';
import {
  chain,
  detach,
  diagnose,
  exportJsonl,
  GENESIS,
  SqliteStore,
  salvage,
  verifySession,
} from '../../src/journal/index.js';
import { resolvePaths } from '../../src/paths.js';
import { openSqlite, type Sqlite } from '../../src/sqlite.js';

const SESSIONS = ['a', 'b', 'c'];
const EVENTS = 40;

interface Sample {
  home: string;
  path: string;
  /** Lines of each session's export. */
  lines: Map<string, string[]>;
}

async function exported(store: SqliteStore, session: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportJsonl(store, { tenant: 't', session })) lines.push(line);
  return lines;
}

async function sample(t: TestContext): Promise<Sample> {
  const home = mkdtempSync(join(tmpdir(), 'curated-salvage-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, 'data', 'journal.db');
  const store = await SqliteStore.open(path);
  const lines = new Map<string, string[]>();
  for (const session of SESSIONS) {
    let head = GENESIS;
    for (let n = 1; n <= EVENTS; n++) {
      const { payload, blobs } = detach({ n, text: `${session} ${n} `.repeat(n % 8 === 0 ? 900 : 20) });
      const record = chain(head, { seq: n, ts: n, type: 'io.input', turn: 0, payload });
      store.append({ tenant: 't', session }, n - 1, [record], blobs);
      head = record;
    }
    await store.flush('sync');
    lines.set(session, await exported(store, session));
  }
  await store.close();
  return { home, path, lines };
}

/** Salvages and proves that each session of the new file is a prefix of what it was. Returns the records kept. */
async function prefixes(s: Sample, to: string): Promise<number> {
  const found = salvage(s.path, to);
  const store = await SqliteStore.open(to);
  let kept = 0;
  try {
    const sound = await store.check();
    assert.deepEqual([sound.structure, sound.broken], [[], []]);
    for (const { key, kept: n, reason } of found.sessions) {
      kept += n;
      if (n === 0) continue;
      assert.equal((await verifySession(store, key)).events, n);
      const whole = s.lines.get(key.session)!;
      const lines = await exported(store, key.session);
      assert.deepEqual(lines, whole.slice(0, lines.length));
      assert.equal(reason === undefined, lines.length === whole.length, `${key.session}: ${reason}`);
    }
  } finally {
    await store.close();
  }
  return kept;
}

test('F46 a sound journal is called sound and salvaged whole', async (t) => {
  const s = await sample(t);
  const bytes = readFileSync(s.path);
  assert.deepEqual(diagnose(s.path), {
    state: 'sound',
    faults: [],
    sessions: 3,
    archives: 0,
    events: 3 * EVENTS,
  });
  assert.equal(await prefixes(s, join(s.home, 'new.db')), 3 * EVENTS);
  assert.ok(readFileSync(s.path).equals(bytes), 'the old file is as it was');
  assert.throws(() => salvage(s.path, join(s.home, 'new.db')), /exists already/);
});

test('F46 a file of flipped bytes is never called sound where a record is lost, and its prefixes are saved', async (t) => {
  const s = await sample(t);
  const good = readFileSync(s.path);
  let damagedRuns = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 4 }),
      async (places) => {
        const bytes = Buffer.from(good);
        for (const p of places) bytes[Math.floor(p * bytes.length)]! ^= 0x55;
        writeFileSync(s.path, bytes);
        for (const end of ['-wal', '-shm', '.new']) rmSync(`${s.path}${end}`, { force: true });
        const found = diagnose(s.path);
        assert.notEqual(found.state, 'absent');
        if (found.state !== 'damaged' && found.state !== 'sound') return;
        let kept = 0;
        try {
          kept = await prefixes(s, `${s.path}.new`);
        } catch (e) {
          // Where nothing of it opens there is nothing to save, and that is said.
          assert.equal((e as { kind?: string }).kind, 'STORAGE', String(e));
        }
        if (found.state === 'sound') assert.equal(kept, 3 * EVENTS);
        else damagedRuns += 1;
        for (const end of ['', '-wal', '-shm']) rmSync(`${s.path}.new${end}`, { force: true });
      },
    ),
    { numRuns: 12, examples: [[[0]]] },
  );
  assert.ok(damagedRuns > 2, `${damagedRuns} of 12`);
});

test('F46 doctor says what is wrong with the file and what to do: truncated, foreign, newer, locked, not ours to write', async (t) => {
  const s = await sample(t);
  const paths = resolvePaths({}, s.home);
  const good = join(s.home, 'good.db');
  copyFileSync(s.path, good);
  const told = (pattern: RegExp, todo: RegExp, access?: () => never) => {
    const [finding] = checkJournalFile(paths, access === undefined ? {} : { access });
    assert.equal(finding!.level, 'error');
    assert.match(finding!.what, pattern);
    assert.match(finding!.todo ?? '', todo);
    copyFileSync(good, s.path);
  };
  const change = (work: (db: Sqlite) => void) => {
    const db = openSqlite(s.path);
    work(db);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  };
  assert.equal(checkJournalFile(paths)[0]!.level, 'ok');
  truncateSync(s.path, Math.floor(readFileSync(good).length * 0.6));
  told(/truncated: \d+ bytes of \d+/, /salvage --replace|put a backup in its place/);
  writeFileSync(s.path, 'this is a text');
  told(/not those of a SQLite file/, /nothing of it can be read: put a backup/);
  change((db) => db.pragma('user_version = 99'));
  told(/journal format 99/, /newer curated/);
  change((db) => db.pragma('application_id = 7'));
  told(/no journal of curated/, /move .* away/);
  change((db) => db.prepare("UPDATE events SET payload = replace(payload, 'b 7 ', 'b 8 ')").run());
  told(/session b: .*record 7 does not match its hash/, /keeps what is sound \(8[0-9] events\)/);
  const holder = openSqlite(s.path);
  holder.pragma('locking_mode = EXCLUSIVE');
  holder.exec('BEGIN EXCLUSIVE');
  holder.exec("UPDATE header SET value = value + 1 WHERE key = 'ticks'");
  const [locked] = checkJournalFile(paths);
  holder.exec('ROLLBACK');
  holder.close();
  assert.match(locked!.what, /another program has it open and locked/);
  assert.match(locked!.todo!, /fuser/);
  told(/cannot be written \(EACCES\)/, /chmod u\+rw/, () => {
    throw Object.assign(new Error('no'), { code: 'EACCES' });
  });
  rmSync(s.path);
  assert.match(checkJournalFile(paths)[0]!.what, /not there yet/);
});

test('F45 a log with a torn end is told, and what is before the tear is there', async (t) => {
  const s = await sample(t);
  const db = openSqlite(s.path);
  db.pragma('wal_autocheckpoint = 0');
  db.exec("UPDATE header SET value = value + 1 WHERE key = 'ticks'");
  const wal = readFileSync(`${s.path}-wal`);
  const bytes = readFileSync(s.path);
  db.close();
  writeFileSync(s.path, bytes);
  writeFileSync(`${s.path}-wal`, Buffer.concat([wal, Buffer.alloc(500, 7)]));
  const found = diagnose(s.path);
  assert.equal(found.state, 'damaged');
  assert.match(found.faults[0]!, /500 bytes of its log are torn/);
  assert.equal(found.events, 3 * EVENTS);
});
