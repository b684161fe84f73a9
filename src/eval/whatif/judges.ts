// Judges on threads of their own: sessions go out as texts, reports come back.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { loadTables } from '../../../native/index.js';
import type { LoggedSession } from './logged.js';
import { packSession } from './packed.js';
import type { WhatIfReport } from './report.js';

/** Text that may be with each judge, UTF-16 units: a few sessions, so that none waits for the reader. */
const UNITS_A_JUDGE = 16 * 2 ** 20;

export class Judges {
  readonly #pool: Piscina;
  /** For `WhatIfOptions.ahead`. */
  readonly ahead: number;

  /** @param now day of the prices where a log has no times, epoch ms */
  constructor(now: number, threads = availableParallelism()) {
    const tables = loadTables();
    this.ahead = threads * UNITS_A_JUDGE;
    this.#pool = new Piscina({
      filename: fileURLToPath(new URL('../../../workers/whatif.js', import.meta.url)),
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      workerData: { tables: tables.shared ? tables : undefined, now },
    });
  }

  /** Rejects when the session cannot be played: a fault of ours, not of the log. */
  judge(session: LoggedSession): Promise<WhatIfReport> {
    return this.#pool.run(packSession(session)) as Promise<WhatIfReport>;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
