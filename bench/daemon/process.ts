// The daemon as a child process of a benchmark: started through the composition root, asked over IPC for its CPU and memory.
import { readFileSync } from 'node:fs';
import { startDaemon } from '../../src/daemon.js';
import { resolvePaths } from '../../src/paths.js';
import type { DaemonSettings, Gauge } from './child.js';

const settings = JSON.parse(process.argv[2] ?? '{}') as DaemonSettings & { home: string };
const daemon = await startDaemon({
  paths: resolvePaths(process.env, settings.home),
  port: 0,
  logLevel: 'error',
  // Four characters a token, so that sizes stay in proportion.
  ...(settings.uncounted === true ? { count: (text: string | Uint8Array) => text.length >> 2 } : {}),
  limits: settings.limits ?? {},
});

/** Nanoseconds that the main thread ran; its thread id is the process id. 0 where the kernel does not tell. */
function mainThreadNanos(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

function gauge(): Gauge {
  const { user, system } = process.cpuUsage();
  const memory = process.memoryUsage();
  return {
    cpuMicros: user + system,
    mainMicros: mainThreadNanos() / 1000,
    rss: memory.rss,
    held: memory.heapUsed + memory.external,
  };
}

process.on('message', (order: { id: number; what: 'gauge' | 'collect' | 'stop' }) => {
  if (order.what === 'stop') {
    void daemon.stop().then(() => process.disconnect());
    return;
  }
  // Started with --expose-gc; twice, since finalizers free more.
  if (order.what === 'collect') for (let i = 0; i < 2; i++) (globalThis as { gc?: () => void }).gc?.();
  process.send!({ id: order.id, gauge: gauge() });
});
process.once('disconnect', () => void daemon.stop().then(() => process.exit(0)));
process.send!({ socket: daemon.socket });
