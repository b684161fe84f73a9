// The pages that show health and metrics, in the shape of the gate's route port. Knows no HTTP server.
import type { Health } from './health.js';
import type { Metrics } from './metrics.js';
import { scrub } from './scrub.js';

export interface Page {
  scope: 'metrics';
  answer(tenant: string): Promise<{ status: number; type: string; body: string }>;
}

/**
 * `/healthz`: 200 when all is green, 503 otherwise, the report in both; `/metrics`: Prometheus text. Figures of the process and
 * of everybody's calls are for the owner's tenant; another gets what its own calls did, and whether all is well.
 */
export function observePages(health: Health, metrics: Metrics, owner = 'default'): Map<string, Page> {
  return new Map<string, Page>([
    [
      '/healthz',
      {
        scope: 'metrics',
        answer: async (tenant) => ({
          status: health.ok ? 200 : 503,
          type: 'application/json',
          body: `${scrub(JSON.stringify(tenant === owner ? health.report() : { ok: health.ok }))}\n`,
        }),
      },
    ],
    [
      '/metrics',
      {
        scope: 'metrics',
        answer: async (tenant) => ({
          status: 200,
          type: metrics.contentType,
          body: await (tenant === owner ? metrics.text() : metrics.tenantText(tenant)),
        }),
      },
    ],
  ]);
}
