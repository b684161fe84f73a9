// What the process itself costs: memory, CPU, garbage collection, how busy its event loop is. Read at each scrape; nothing ticks
// between two of them, since a daemon that nobody uses should let the machine sleep.
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Of a sampler that never comes to its turn: milliseconds, the longest that a timer takes. */
const NEVER = 2 ** 31 - 1;

/** What prom-client makes of the sampler's histogram. `eventloop_lag_seconds`, which it measures when it is asked, stays. */
const SAMPLED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (what) => `nodejs_eventloop_lag_${what}_seconds`,
);

export function watchProcess(registry: Registry, prefix: string): void {
  // By default it wakes the process a hundred times a second to sample the lag of the event loop.
  collectDefaultMetrics({ register: registry, prefix, eventLoopMonitoringPrecision: NEVER });
  for (const name of SAMPLED) registry.removeSingleMetric(prefix + name);
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  new Gauge({
    name: `${prefix}nodejs_eventloop_utilization`,
    help: 'Share of the time since the last scrape that the event loop was busy, 0 to 1.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, before).utilization);
      before = now;
    },
  });
}
