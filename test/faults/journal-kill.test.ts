// F44: the writer's process is killed at random moments; what it had acknowledged is there, in order, and nothing else.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { GENESIS } from '../../src/journal/index.js';
import { unpackRecords } from '../../src/journal/packed.js';
import { replayRedo } from '../../src/journal/redo-replay.js';
import { SqliteEngine } from '../../src/journal/sqlite-engine.js';
import { group, key } from '../journal/kit.js';

const KILLS = Number(process.env['CURATED_KILLS'] ?? 50);
const folder = mkdtempSync(join(tmpdir(), 'curated-kill-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const writer = resolve(fileURLToPath(import.meta.url), '../../journal/kill-writer.js');

/** Runs the writer for `ms` after its first word, kills it, and returns the last acknowledged seq of each session. */
async function killAfter(path: string, ms: number, how: 'alone' | 'together'): Promise<Map<number, number>> {
  const child = spawn(process.execPath, [writer, path, how], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (out === '') setTimeout(() => child.kill('SIGKILL'), ms);
    out += text;
  });
  await new Promise((done) => child.once('close', done));
  assert.equal(child.signalCode, 'SIGKILL');
  const acknowledged = new Map<number, number>();
  // The last line may be cut by the kill itself.
  for (const line of out.split('\n').slice(1, -1)) {
    const [s, seq] = line.split(' ').map(Number);
    acknowledged.set(s!, seq!);
  }
  return acknowledged;
}

test(`F44 ${KILLS} kills of the writer: 0 acknowledged records lost, doubled or out of order`, async (t) => {
  const path = join(folder, 'kill.db');
  let [total, replayed] = [0, 0];
  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = await killAfter(path, (kill * 37) % 120, kill % 2 === 0 ? 'alone' : 'together');
    const engine = new SqliteEngine(path);
    replayed += replayRedo(path, engine, engine.vault).notices.length;
    for (let s = 0; s < 8; s++) {
      const head = engine.head(key(`s${s}`));
      const seq = head?.seq ?? 0;
      const known = acknowledged.get(s) ?? 0;
      assert.ok(seq >= known, `kill ${kill}: session ${s} has ${seq} records, ${known} were acknowledged`);
      if (seq === 0) continue;
      // The records are a function of their seq, so the expected chain can be made anew.
      const from = Math.max(1, seq - 200);
      const got = unpackRecords(engine.read(key(`s${s}`), from, 300));
      const before = from === 1 ? GENESIS : { seq: from - 1, hash: got[0]!.prev };
      assert.deepEqual(got, group(before, seq - from + 1));
      total = Math.max(total, seq);
    }
    if (kill % 10 === 9) assert.deepEqual(engine.check().broken, []);
    engine.close();
  }
  t.diagnostic(
    `the longest session holds ${total} records; ${replayed} starts had to write what was acknowledged`,
  );
  assert.ok(total > KILLS);
  assert.ok(replayed > 0);
});
