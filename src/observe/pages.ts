// The pages that show health and metrics, in the shape of the gate's route port. Knows no HTTP server.
import type { Health } from './health.js';
import type { Metrics } from './metrics.js';
import { scrub } from './scrub.js';

export interface Page {
  scope: 'metrics';
  answer(): Promise<{ status: number; type: string; body: string }>;
}

/** `/healthz`: 200 when all is green, 503 otherwise, the report in both; `/metrics`: Prometheus text. */
export function observePages(health: Health, metrics: Metrics): Map<string, Page> {
  return new Map<string, Page>([
    [
      '/healthz',
      {
        scope: 'metrics',
        answer: async () => ({
          status: health.ok ? 200 : 503,
          type: 'application/json',
          body: `${scrub(JSON.stringify(health.report()))}\n`,
        }),
      },
    ],
    [
      '/metrics',
      {
        scope: 'metrics',
        answer: async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
      },
    ],
  ]);
}
