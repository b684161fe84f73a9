// What a connection that only waits, and a session that nobody uses, cost the daemon. Each is the difference between two
// counts of the same kind, after a garbage collection, so that what the first ones set up is left out.
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonChild } from './daemon/child.js';
import { loadedSession, SESSION_TOKENS } from './daemon/load.js';
import { Wire } from './daemon/wire.js';
import { type BenchResult, machineLine, round } from './harness.js';

const CONNECTIONS = 2000;
const SESSIONS = 300;
const WARM = 200;
/** The daemon looks for idle sessions each 30 s. */
const PARKING_MS = 32_000;

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
    figures['idle_connection_kb'] = round((after.rss - before.rss) / CONNECTIONS / 1024);
    figures['idle_connection_held_kb'] = round((after.held - before.held) / CONNECTIONS / 1024);
    await Promise.all(wires.map((w) => w.close()));
  } finally {
    await open.stop();
  }
  const daemon = await daemonChild({ limits: { park_ms: 100 } });
  try {
    let made = 0;
    const more = async (n: number) => {
      const wire = await Wire.open(daemon.socket);
      for (const end = made + n; made < end; made++)
        await loadedSession(wire, `s${made}`, { tokens: SESSION_TOKENS });
      const inUse = await daemon.collected();
      // A session stays in memory while the connection that holds its lease is there.
      await wire.close();
      await sleep(PARKING_MS);
      return { inUse, parked: await daemon.collected() };
    };
    const first = await more(WARM);
    const second = await more(SESSIONS);
    const each = (a: number, b: number, n: number) => round((a - b) / n / 1024);
    figures['open_session_held_kb'] = each(second.inUse.held, first.parked.held, SESSIONS);
    figures['parked_session_kb'] = each(second.parked.rss, first.parked.rss, SESSIONS);
    figures['parked_session_held_kb'] = each(second.parked.held, first.parked.held, SESSIONS);
  } finally {
    await daemon.stop();
  }
  return { name: 'memory', figures };
}
