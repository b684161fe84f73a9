// What a connection that only waits, and a session that nobody uses, cost the daemon: by how much each further one adds to what
// is there after garbage collection, so that what the first ones set up is left out.
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonChild, type Gauge } from './daemon/child.js';
import { loadedSession, SESSION_TOKENS } from './daemon/load.js';
import { Wire } from './daemon/wire.js';
import { type BenchResult, machineLine, round } from './harness.js';

const CONNECTIONS = 2000;
const WARM = 300;
/** The heaps of the worker threads have their size only after some 400 sessions of that length have gone through them. */
const WARM_SESSIONS = 500;
/** Many, since what is resident swings by 4 MB from count to count: over 2,400 sessions that is 2 KB each, and the trend less. */
const SESSIONS = 2_400;
/** Sessions of one message: the daemon knows them by their journals. */
const KNOWN = 10_000;
const KNOWN_BATCH = 1_000;
const IN_USE = 50;
const BATCH = 100;
/** Idle time after which sessions leave memory here, ms. */
const PARK_MS = 2_000;

interface Point {
  n: number;
  gauge: Gauge;
}

/**
 * Growth a session over the counts of many batches: the median of the slopes between any two. What is resident swings by some MB
 * with what worker threads happen to have collected, which between two counts alone is more than what is measured.
 */
function trend(points: readonly Point[], of: (g: Gauge) => number): number {
  const slopes = points.flatMap((a, i) =>
    points.slice(i + 1).map((b) => (of(b.gauge) - of(a.gauge)) / (b.n - a.n)),
  );
  return slopes.sort((x, y) => x - y)[slopes.length >> 1] ?? 0;
}

function eachOf(name: string, points: readonly Point[]): Record<string, number> {
  return claimed(
    name,
    trend(points, (g) => g.rss),
    trend(points, (g) => g.held),
  );
}

/**
 * Kilobytes of one: resident, and held by V8 and its buffers. What is held may lie in pages that were resident before,
 * so the figure that is claimed is the larger one.
 */
function claimed(name: string, rssBytes: number, heldBytes: number): Record<string, number> {
  const [rss, held] = [round(rssBytes / 1024), round(heldBytes / 1024)];
  return { [`${name}_kb`]: Math.max(rss, held), [`${name}_rss_kb`]: rss, [`${name}_held_kb`]: held };
}

function each(name: string, after: Gauge, before: Gauge, n: number): Record<string, number> {
  return claimed(name, (after.rss - before.rss) / n, (after.held - before.held) / n);
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
      const points: Point[] = [];
      // In batches of one size: the heap that a batch takes while it is in use is there before the first count.
      for (const end = made + n; made < end; ) {
        for (let i = 0; i < batch; i++) await loadedSession(wire, `${name}${made++}`, { tokens });
        points.push({ n: made, gauge: await parked() });
      }
      return points;
    };
    const warm = await grow('s', WARM_SESSIONS, SESSION_TOKENS, BATCH);
    const parkedOnes = await grow('s', SESSIONS, SESSION_TOKENS, BATCH);
    Object.assign(figures, eachOf('parked_session', [warm.at(-1)!, ...parkedOnes]));
    const few = await grow('w', KNOWN_BATCH, 0, KNOWN_BATCH);
    const knownOnes = await grow('k', KNOWN, 0, KNOWN_BATCH);
    Object.assign(figures, eachOf('known_session', [...few, ...knownOnes]));
    const known = await daemon.collected();
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
