// The daemon as a child process of a benchmark: started through the composition root, asked over IPC for its CPU and memory.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon } from '../../src/daemon.js';
import { resolvePaths } from '../../src/paths.js';
import type { DaemonSettings, Gauge, Order } from './child.js';
import { SAMPLE_MICROS, type Span, spansOf } from './spans.js';

const settings = JSON.parse(process.argv[2] ?? '{}') as DaemonSettings & { home: string };
const daemon = await startDaemon({
  paths: resolvePaths(process.env, settings.home),
  port: 0,
  logLevel: 'error',
  // Four characters a token, so that sizes stay in proportion.
  ...(settings.uncounted === true ? { count: (text: string | Uint8Array) => text.length >> 2 } : {}),
  limits: settings.limits ?? {},
  ...(settings.memory === true ? { memory: true } : {}),
});

/** Nanoseconds that the main thread ran, and that it was ready and had no core; its thread id is the process id. Zeros where the kernel does not tell. */
function mainThreadNanos(): { ran: number; waited: number } {
  try {
    const [ran, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return { ran: Number(ran), waited: Number(waited) };
  } catch {
    return { ran: 0, waited: 0 };
  }
}

/** Milliseconds between two looks at the event loop. */
const LOOK_MS = 1;
const delay: IntervalHistogram | undefined = settings.watchLoop
  ? monitorEventLoopDelay({ resolution: LOOK_MS })
  : undefined;
delay?.enable();

/** How late the loop was since the last look, microseconds: at most, and at the 99th percentile. */
function loopDelay(): { loopDelayMicros: number; loopP99Micros: number } {
  const late = (nanos: number) => Math.max(0, nanos / 1000 - LOOK_MS * 1000);
  const found = { loopDelayMicros: late(delay?.max ?? 0), loopP99Micros: late(delay?.percentile(99) ?? 0) };
  delay?.reset();
  return found;
}

function gauge(): Gauge {
  const { user, system } = process.cpuUsage();
  const memory = process.memoryUsage();
  const main = mainThreadNanos();
  return {
    cpuMicros: user + system,
    mainMicros: main.ran / 1000,
    mainWaitMicros: main.waited / 1000,
    rss: memory.rss,
    held: memory.heapUsed + memory.external,
    ...loopDelay(),
  };
}

/** Bytes by which two readings of one state differ. */
const STILL = 256 * 1024;
const PAUSE_MS = 100;
const MOST_ROUNDS = 10;

/**
 * Collects until what is resident no longer falls: V8 gives the pages that a collection has emptied back on another thread, and
 * what was read at once held some 17 MB of them, more or less by chance. More than once also since finalizers free more.
 */
async function collect(): Promise<void> {
  // Started with --expose-gc.
  const gc = (globalThis as { gc?: () => void }).gc ?? (() => {});
  let before = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MOST_ROUNDS; i++) {
    gc();
    await sleep(PAUSE_MS);
    const now = process.memoryUsage.rss();
    if (before - now < STILL) return;
    before = now;
  }
}

/** Shorter stretches are of no interest. */
const LEAST_MICROS = 300;
let profiler: Session | undefined;

async function profile(): Promise<void> {
  if (profiler === undefined) {
    profiler = new Session();
    profiler.connect();
    await profiler.post('Profiler.enable');
    await profiler.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
  }
  await profiler.post('Profiler.start');
}

async function profiled(): Promise<Span[]> {
  const stopped = await profiler?.post('Profiler.stop');
  return stopped === undefined ? [] : spansOf(stopped.profile, LEAST_MICROS);
}

process.on('message', async (order: { id: number; what: Order }) => {
  if (order.what === 'stop') {
    void daemon.stop().then(() => process.disconnect());
    return;
  }
  if (order.what === 'collect') await collect();
  if (order.what === 'profile') await profile();
  const spans = order.what === 'profiled' ? await profiled() : [];
  process.send!({ id: order.id, gauge: gauge(), spans });
});
process.once('disconnect', () => void daemon.stop().then(() => process.exit(0)));
process.send!({ socket: daemon.socket });
