// What other rooms may use of the observer.
export { type CheckState, Health, type HealthReport } from './health.js';
export { createLog, LOG_LEVELS, type Log, type LogLevel, type LogOptions } from './log.js';
export { createMetrics, type GateCounters, type Metrics, type MetricsOptions } from './metrics.js';
export { observePages, type Page } from './pages.js';
export { scrub } from './scrub.js';
