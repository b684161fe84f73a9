// What a connection that only waits, and a session that nobody uses, cost the daemon. Each is the difference between two
// counts of the same kind, after a garbage collection, so that what the first ones set up is left out.
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonChild, type Gauge } from './daemon/child.js';
import { loadedSession, SESSION_TOKENS } from './daemon/load.js';
import { Wire } from './daemon/wire.js';
import { type BenchResult, machineLine, round } from './harness.js';

const CONNECTIONS = 2000;
const WARM = 300;
const SESSIONS = 900;
/** Sessions of one message: the daemon knows them by their journals. */
const KNOWN = 10_000;
const KNOWN_BATCH = 1_000;
const IN_USE = 50;
const BATCH = 50;
/** Idle time after which sessions leave memory here, ms. */
const PARK_MS = 2_000;

/**
 * Kilobytes of one of `n`: resident, and held by V8 and its buffers. What is held may lie in pages that were resident before,
 * so the figure that is claimed is the larger one.
 */
function each(name: string, after: Gauge, before: Gauge, n: number): Record<string, number> {
  const rss = round((after.rss - before.rss) / n / 1024);
  const held = round((after.held - before.held) / n / 1024);
  return { [`${name}_kb`]: Math.max(rss, held), [`${name}_rss_kb`]: rss, [`${name}_held_kb`]: held };
}

export default async function run(): Promise<BenchResult> {
  const figures: Record<string, number | string> = { machine: machineLine() };
  const open = await daemonChild();
  try {
    const wires: Wire[] = [];
    const more = async (n: number) => {
      for (let i = 0; i < n; i += 50)
        wires.push(...(await Promise.all(Array.from({ length: 50 }, () => Wire.open(open.socket)))));
    };
    await more(WARM);
    const before = await open.collected();
    await more(CONNECTIONS);
    const after = await open.collected();
    Object.assign(figures, each('idle_connection', after, before, CONNECTIONS));
    await Promise.all(wires.map((w) => w.close()));
  } finally {
    await open.stop();
  }
  const daemon = await daemonChild({ limits: { park_ms: PARK_MS } });
  try {
    // The connection stays: it holds the sessions, and they leave memory all the same.
    const wire = await Wire.open(daemon.socket);
    let made = 0;
    const parked = async () => {
      while (!(await wire.call('daemon.status', '{}')).includes('"open":0')) await sleep(PARK_MS);
      return daemon.collected();
    };
    const grow = async (name: string, n: number, tokens: number, batch: number) => {
      // In batches of one size: the heap that a batch takes while it is in use is there before the first count.
      for (const end = made + n; made < end; ) {
        for (let i = 0; i < batch; i++) await loadedSession(wire, `${name}${made++}`, { tokens });
        await parked();
      }
      return parked();
    };
    const before = await grow('s', WARM, SESSION_TOKENS, BATCH);
    const after = await grow('s', SESSIONS, SESSION_TOKENS, BATCH);
    Object.assign(figures, each('parked_session', after, before, SESSIONS));
    const few = await grow('w', KNOWN_BATCH, 0, KNOWN_BATCH);
    const known = await grow('k', KNOWN, 0, KNOWN_BATCH);
    Object.assign(figures, each('known_session', known, few, KNOWN));
    const names = Array.from({ length: IN_USE }, (_, i) => `u${i}`);
    for (const name of names) await loadedSession(wire, name, { tokens: SESSION_TOKENS });
    await Promise.all(names.map((name) => wire.call('session.state', `{"session":"${name}"}`)));
    Object.assign(figures, each('open_session', await daemon.collected(), known, IN_USE));
    await wire.close();
  } finally {
    await daemon.stop();
  }
  return { name: 'memory', figures };
}
