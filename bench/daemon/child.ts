// Starts the daemon of a benchmark in a process and a home of its own, and reads its gauges.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeArgs } from '../../src/cli/node-args.js';
import type { Span } from './spans.js';

export interface DaemonSettings {
  /** Counts by length, so that the cost of counting is left out. */
  uncounted?: boolean;
  limits?: Record<string, number>;
  /** Keeps the journal in memory alone. */
  memory?: boolean;
  /** YAML of its configuration file. */
  config?: string;
  /** Keeps the event loop's delay, which wakes the main thread every millisecond. */
  watchLoop?: boolean;
  /** Further arguments of node, such as --cpu-prof. */
  nodeArgs?: readonly string[];
}

export interface Gauge {
  /** Microseconds of CPU so far, all threads; and of the main thread alone. */
  cpuMicros: number;
  mainMicros: number;
  /** Microseconds so far that the main thread could have run and had no core. */
  mainWaitMicros: number;
  /** The longest delay of the event loop since the gauge before, microseconds; 0 where it is not watched. */
  loopDelayMicros: number;
  /** The same at the 99th percentile. */
  loopP99Micros: number;
  /** Bytes: resident, and held by V8 and its buffers. */
  rss: number;
  held: number;
}

export type Order = 'gauge' | 'collect' | 'profile' | 'profiled' | 'stop';

export interface DaemonChild {
  socket: string;
  gauge(): Promise<Gauge>;
  /** Begins a CPU profile of the main thread. */
  profile(): Promise<void>;
  /** Ends it. @returns what that thread did at one stretch for some time */
  profiled(): Promise<Span[]>;
  /** The same after full garbage collections, once the pages that they emptied are given back. */
  collected(): Promise<Gauge>;
  stop(): Promise<void>;
}

interface Told {
  id: number;
  gauge: Gauge;
  spans: Span[];
}

export async function daemonChild(settings: DaemonSettings = {}): Promise<DaemonChild> {
  const home = mkdtempSync(join(tmpdir(), 'curated-bench-'));
  const { nodeArgs: further = [], config, ...rest } = settings;
  if (config !== undefined) writeFileSync(join(home, 'config.yaml'), config);
  const child = fork(
    fileURLToPath(new URL('./process.js', import.meta.url)),
    [JSON.stringify({ ...rest, home })],
    { execArgv: ['--expose-gc', ...nodeArgs(), ...further] },
  );
  const waiting = new Map<number, (told: Told) => void>();
  let next = 0;
  const socket = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the daemon ended with code ${code}`)));
    child.on('message', (m: { socket: string } | Told) => {
      if ('socket' in m) resolve(m.socket);
      else waiting.get(m.id)?.(m);
    });
  });
  const ask = (what: Order): Promise<Told> =>
    new Promise((resolve) => {
      const id = next++;
      waiting.set(id, (told) => {
        waiting.delete(id);
        resolve(told);
      });
      child.send({ id, what });
    });
  return {
    socket,
    gauge: async () => (await ask('gauge')).gauge,
    collected: async () => (await ask('collect')).gauge,
    profile: async () => void (await ask('profile')),
    profiled: async () => (await ask('profiled')).spans,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => {
          rmSync(home, { recursive: true, force: true });
          resolve();
        });
        child.send({ id: -1, what: 'stop' });
      }),
  };
}
