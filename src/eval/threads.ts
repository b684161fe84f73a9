// Players of sessions on threads of their own: sessions go out as texts, what they amount to comes back.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { loadTables } from '../../native/index.js';
import { threadFlags } from '../pool/thread-flags.js';
import type { ArmResult, ArmSpec } from './arms/index.js';
import { packSession } from './packed.js';
import type { LoggedSession } from './whatif/logged.js';
import type { WhatIfReport } from './whatif/report.js';

/** Text that may be with each thread, UTF-16 units: a few sessions, so that none waits for the reader. */
const UNITS_A_THREAD = 4 * 2 ** 20;

export class EvalThreads {
  readonly #pool: Piscina;
  /** For the `ahead` of whatIf and runArms. */
  readonly ahead: number;

  /** @param now day of the prices where a log has no times, epoch ms */
  constructor(now: number, threads = availableParallelism()) {
    const tables = loadTables();
    this.ahead = threads * UNITS_A_THREAD;
    this.#pool = new Piscina({
      filename: fileURLToPath(new URL('../../workers/eval.js', import.meta.url)),
      execArgv: threadFlags(),
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      workerData: { tables: tables.shared ? tables : undefined, now },
    });
  }

  /** What a session used and what each preset would have made of it. Rejects for a fault of ours alone. */
  judge(session: LoggedSession, plays = true): Promise<WhatIfReport> {
    return this.#pool.run({ session: packSession(session), plays }) as Promise<WhatIfReport>;
  }

  /** The session under each arm, in order. Rejects for a fault of ours alone. */
  playArms(session: LoggedSession, arms: readonly ArmSpec[]): Promise<ArmResult[]> {
    return this.#pool.run({ session: packSession(session), arms }) as Promise<ArmResult[]>;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
