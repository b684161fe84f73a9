// Load of recorded conversations over WebSocket: `npm run bench -- load [--sessions N] [--rate R] [--seconds S] [--preset P]
// [--profile DIR] [FILE..]`. Closed loop: each session sends its next round when it has the answer to the last. With `--rate`, open loop: R
// rounds a second fall due by the clock whether or not earlier ones are answered, and a round's time counts from when it was
// due, so that a stall counts for all that had to wait (no coordinated omission). The daemon is another process.
import { daemonChild } from './daemon/child.js';
import { quantile } from './daemon/load.js';
import { recordedFiles, type Script, scriptsOf } from './daemon/script.js';
import { Wire } from './daemon/wire.js';
import { type BenchOptions, type BenchResult, machineLine, round } from './harness.js';

const DEFAULTS = { sessions: 64, seconds: 15 } as const;
const CONNECTIONS = 16;

interface LoadOptions {
  sessions: number;
  seconds: number;
  /** Rounds a second over all sessions; undefined: closed loop. */
  rate: number | undefined;
  preset: string;
  /** Folder for the daemon's CPU profile. */
  profile: string | undefined;
  files: readonly string[];
}

/** What was measured of one round: from when it was due to its request, ms. */
interface Tally {
  prepares: number[];
  errors: number;
  firstError: string | undefined;
}

export default async function run({ args }: BenchOptions): Promise<BenchResult> {
  const o = optionsOf(args);
  const scripts = await scriptsOf(o.files, o.preset);
  if (scripts.length === 0) throw new Error('no conversation in these files');
  const profile = ['--cpu-prof', `--cpu-prof-dir=${o.profile}`];
  const daemon = await daemonChild(o.profile === undefined ? {} : { nodeArgs: profile });
  try {
    const wires = await Promise.all(
      Array.from({ length: Math.min(CONNECTIONS, o.sessions) }, () => Wire.open(daemon.socket)),
    );
    const tally: Tally = { prepares: [], errors: 0, firstError: undefined };
    const before = await daemon.gauge();
    const start = performance.now();
    const end = start + o.seconds * 1000;
    await Promise.all(
      Array.from({ length: o.sessions }, (_, lane) =>
        drive(wires[lane % wires.length]!, scripts, lane, paceOf(o, lane, start), end, tally),
      ),
    );
    const seconds = (performance.now() - start) / 1000;
    const after = await daemon.gauge();
    await Promise.all(wires.map((w) => w.close()));
    const rounds = tally.prepares.length;
    if (tally.firstError !== undefined) console.log(tally.firstError);
    return {
      name: 'load',
      figures: {
        machine: machineLine(),
        loop: o.rate === undefined ? 'closed' : `open, ${o.rate} rounds/s`,
        sessions: o.sessions,
        rounds,
        rounds_per_s: round(rounds / seconds),
        p50_ms: round(quantile(tally.prepares, 0.5)),
        p90_ms: round(quantile(tally.prepares, 0.9)),
        p99_ms: round(quantile(tally.prepares, 0.99)),
        p999_ms: round(quantile(tally.prepares, 0.999)),
        max_ms: round(Math.max(0, ...tally.prepares)),
        errors: tally.errors,
        daemon_cpu_us_per_round: round((after.cpuMicros - before.cpuMicros) / Math.max(1, rounds)),
        daemon_rss_mb: round(after.rss / 2 ** 20),
      },
    };
  } finally {
    await daemon.stop();
  }
}

/** When a lane's round k is due, performance.now() ms; undefined: as soon as the one before is done. */
type Pace = (k: number) => number | undefined;

function paceOf(o: LoadOptions, lane: number, start: number): Pace {
  const { rate } = o;
  if (rate === undefined) return () => undefined;
  const gap = (1000 * o.sessions) / rate;
  return (k) => start + (gap * lane) / o.sessions + gap * k;
}

/** Plays one conversation after the other until time is up. A round that is due later than the end is not begun. */
async function drive(
  wire: Wire,
  scripts: readonly Script[],
  lane: number,
  pace: Pace,
  end: number,
  tally: Tally,
): Promise<void> {
  for (let k = 0, copy = 0; ; copy++) {
    const script = scripts[(lane + copy * 7) % scripts.length]!;
    const session = `"session":"${script.id}-${lane}-${copy}"`;
    if (performance.now() >= end) return;
    await wire.call('session.open', `{${session},${script.open}}`);
    for (const r of script.rounds) {
      const due = pace(k++);
      const wait = (due ?? 0) - performance.now();
      if ((due ?? performance.now()) >= end) return;
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const from = due ?? performance.now();
      try {
        if (r.results !== undefined) await wire.call('session.append', `{${session},${r.results}}`);
        if (r.end !== undefined) await wire.call('turn.end', `{${session},${r.end}}`);
        await wire.call('llm.prepare', `{${session},${r.prepare}}`);
        tally.prepares.push(performance.now() - from);
        await wire.call('session.append', `{${session},${r.answer}}`);
      } catch (e) {
        tally.errors++;
        tally.firstError ??= `${script.id}: ${(e as Error).message}`;
        break;
      }
    }
  }
}

function optionsOf(args: readonly string[]): LoadOptions {
  const named = new Map<string, string>();
  const files: string[] = [];
  for (let i = 0; i < args.length; i++) {
    if (args[i]!.startsWith('--')) named.set(args[i]!.slice(2), args[++i] ?? '');
    else files.push(args[i]!);
  }
  const number = (name: string): number | undefined => {
    const text = named.get(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!(value > 0)) throw new Error(`--${name}: a number above 0 is expected`);
    return value;
  };
  return {
    sessions: Math.round(number('sessions') ?? DEFAULTS.sessions),
    seconds: number('seconds') ?? DEFAULTS.seconds,
    rate: number('rate'),
    preset: named.get('preset') ?? 'balanced',
    profile: named.get('profile'),
    files: files.length > 0 ? files : recordedFiles(),
  };
}
