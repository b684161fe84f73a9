// Turns a second over 256 sessions of 50,000 tokens, closed loop: each session sends its next turn when it has the answer
// to the last. A turn is one `llm.prepare` that brings 1.5 KB (a call and its result) and returns what differs from the last answer. The client is
// this process, the daemon another one. `--profile DIR` writes the daemon's CPU profile there, `--turns N` measures N turns
// a session.
import { type DaemonSettings, daemonChild, type Gauge } from './daemon/child.js';
import { type LoadedSession, loadedSession, took, turnParams } from './daemon/load.js';
import { Wire } from './daemon/wire.js';
import { type BenchOptions, type BenchResult, machineLine, round } from './harness.js';

const SESSIONS = 256;
const CONNECTIONS = 16;
const WARM_TURNS = 20;
const TURNS = 80;

interface Measured {
  turnsPerSecond: number;
  cpuMicros: number;
  mainMicros: number;
  /** The client's own share of the machine. */
  clientMicros: number;
}

async function measure(settings: DaemonSettings, turnsEach: number): Promise<Measured> {
  const daemon = await daemonChild(settings);
  try {
    const wires = await Promise.all(Array.from({ length: CONNECTIONS }, () => Wire.open(daemon.socket)));
    const lanes: { wire: Wire; session: LoadedSession }[] = [];
    for (let i = 0; i < SESSIONS; i++) {
      const wire = wires[i % CONNECTIONS]!;
      lanes.push({ wire, session: await loadedSession(wire, `s${i}`, { holds: true }) });
    }
    const turns = async (n: number): Promise<void> => {
      await Promise.all(
        lanes.map(async ({ wire, session }) => {
          for (let i = 0; i < n; i++) took(session, await wire.call('llm.prepare', turnParams(session)));
        }),
      );
    };
    await turns(WARM_TURNS);
    const before: Gauge = await daemon.gauge();
    const own = process.cpuUsage();
    const start = performance.now();
    await turns(turnsEach);
    const seconds = (performance.now() - start) / 1000;
    const after = await daemon.gauge();
    const ownUsed = process.cpuUsage(own);
    await Promise.all(wires.map((w) => w.close()));
    const count = SESSIONS * turnsEach;
    return {
      turnsPerSecond: count / seconds,
      cpuMicros: (after.cpuMicros - before.cpuMicros) / count,
      mainMicros: (after.mainMicros - before.mainMicros) / count,
      clientMicros: (ownUsed.user + ownUsed.system) / count,
    };
  } finally {
    await daemon.stop();
  }
}

export default async function run({ args }: BenchOptions): Promise<BenchResult> {
  const option = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const dir = option('--profile');
  const turnsEach = Number(option('--turns') ?? TURNS);
  const profile = dir === undefined ? {} : { nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${dir}`] };
  const counted = await measure(profile, turnsEach);
  const uncounted = await measure({ uncounted: true }, turnsEach);
  return {
    name: 'throughput',
    figures: {
      machine: machineLine(),
      turns_per_s: Math.round(counted.turnsPerSecond),
      cpu_us_per_turn: round(counted.cpuMicros),
      main_us_per_turn: round(counted.mainMicros),
      turns_per_s_uncounted: Math.round(uncounted.turnsPerSecond),
      cpu_us_per_turn_uncounted: round(uncounted.cpuMicros),
      main_us_per_turn_uncounted: round(uncounted.mainMicros),
      client_us_per_turn: round(counted.clientMicros),
    },
  };
}
