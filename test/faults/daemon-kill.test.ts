// F44: the whole daemon is killed at random moments under 64 WebSocket sessions. The long form, beyond the runner's time for one file:
// CURATED_KILLS=2000 node dist/test/faults/daemon-kill.test.js
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SqliteStore } from '../../src/journal/index.js';
import { foldState, resume } from '../../src/session/load.js';
import { stateHash } from '../../src/session/snapshot/body.js';
import { Agent, dice } from './kill-agent.js';

const KILLS = Number(process.env['CURATED_KILLS'] ?? 50);
const SESSIONS = 64;
/** Every eighth is narrow: its calls are held for a summary. */
const NARROW = 8;
/** Lives of a session before another takes its place, so that histories stay short in the long form. */
const LIVES = { wide: 20, narrow: 6 };
const child = fileURLToPath(new URL('./kill-daemon.js', import.meta.url));

interface Life {
  process: ChildProcess;
  said: (word: string) => Promise<void>;
  ended: Promise<void>;
}

/** A daemon that has loaded everything and waits for its word. */
function load(home: string): Life {
  const process_ = spawn(process.execPath, [child, home], { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  let tell = () => {};
  process_.stdout!.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    tell();
  });
  const ended = new Promise<void>((resolve) =>
    process_.once('exit', () => {
      out += 'ended\n';
      tell();
      resolve();
    }),
  );
  const said = async (word: string) => {
    while (!out.includes(word)) {
      if (out.includes('ended')) throw new Error(`the daemon ended before it was ${word}`);
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
    }
  };
  return { process: process_, said, ended };
}

test(`F44 F38 ${KILLS} kills of the whole daemon under ${SESSIONS} sessions: nothing acknowledged is lost, doubled or reordered`, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'curated-kills-'));
  const socket = join(home, 'run/curated.sock');
  const roll = dice(Number(process.env['CURATED_SEED'] ?? 1));
  const running = new Set<Life>();
  const another = (): Life => {
    const made = load(home);
    running.add(made);
    void made.ended.then(() => running.delete(made));
    return made;
  };
  let life = another();
  t.after(async () => {
    for (const { process: p } of running) p.kill('SIGKILL');
    await Promise.all([...running].map((l) => l.ended));
    rmSync(home, { recursive: true, force: true });
  });
  const fresh = (i: number, n: number) => new Agent(`s${i}-${n}`, i % NARROW === 0, i * 1000 + n);
  const agents = Array.from({ length: SESSIONS }, (_, i) => fresh(i, 0));
  const retired: Agent[] = [];
  const answers = () => agents.reduce((n, a) => n + a.acknowledged, 0);
  const begin = async () => {
    await life.said('loaded');
    life.process.stdin!.write('go\n');
  };
  for (let kill = 0; kill < KILLS; kill++) {
    await begin();
    const next = another();
    // Some die while they still open the journal or greet their clients.
    const early = roll() < 0.15;
    let ready = 0;
    if (early) await sleep(roll() * 300);
    else await life.said('listening');
    const lives = early
      ? []
      : agents.map((a) =>
          a.live(socket, () => {
            ready += 1;
          }),
        );
    if (!early) {
      // Most agents at work, and some answers given: then any moment. By what was done, so that a busy machine kills alike.
      const before = answers();
      const wanted = roll() * SESSIONS;
      for (let i = 0; i < 500 && (ready < SESSIONS * 0.75 || answers() < before + wanted); i++)
        await sleep(4);
      await sleep(roll() * 10);
    }
    life.process.kill('SIGKILL');
    await Promise.all(lives);
    await life.ended;
    life = next;
    for (const [i, a] of agents.entries()) {
      if ((kill + i) % (a.narrow ? LIVES.narrow : LIVES.wide) !== 0 || kill === 0) continue;
      retired.push(a);
      agents[i] = fresh(i, kill);
    }
  }
  await begin();
  await life.said('listening');
  let requests = 0;
  const all = [...retired.filter((a) => a.acknowledged > 0), ...agents];
  for (const a of all) {
    await a.attend(socket);
    requests += await a.replay();
    a.leave();
  }
  life.process.kill('SIGKILL');
  await life.ended;
  const store = await SqliteStore.open(join(home, 'data/journal.db'));
  let snapshots = 0;
  try {
    for (const { key } of await store.heads()) {
      const { state, snapshot, refused } = await resume(store, key);
      assert.equal(refused, undefined, `the snapshot of ${key.session}`);
      if (snapshot === 0) continue;
      snapshots += 1;
      assert.equal(stateHash(state), stateHash(await foldState(store, key)), `the state of ${key.session}`);
    }
  } finally {
    await store.close();
  }
  const sum = (f: (a: Agent) => number) => all.reduce((n, a) => n + f(a), 0);
  t.diagnostic(
    `${sum((a) => a.acknowledged)} calls acknowledged, ${sum((a) => a.repeated)} made again after a kill, ` +
      `${sum((a) => a.held)} summaries asked for, ${sum((a) => a.refused)} refused, ${sum((a) => a.compared)} states compared, ${requests} requests replayed, ${snapshots} sessions with a snapshot`,
  );
  assert.ok(sum((a) => a.acknowledged) > KILLS * 10);
  assert.ok(sum((a) => a.repeated) > KILLS);
  assert.ok(snapshots > 0);
  assert.ok(sum((a) => a.held) > 0 && sum((a) => a.compared) > 0);
});
