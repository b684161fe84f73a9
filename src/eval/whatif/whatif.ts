// Logs in, report out. Reads on, while judges work, only as far ahead as `ahead` allows, so that memory stays bounded.

import { isDrawn } from '../cases/sampler.js';
import { inOrder } from '../in-order.js';
import { logWork } from '../log-work.js';
import type { LoggedSession } from './logged.js';
import { newRun } from './read-log.js';
import type { WhatIfReport } from './report.js';
import { Sum } from './sum.js';

export interface WhatIfOptions {
  /** What a session used and what each preset would have made of it: `judge`, here or on another thread. */
  judge: (session: LoggedSession, plays: boolean) => Promise<WhatIfReport>;
  /** Share of the sessions, by their text, that the presets are played on; what was used is of all. Default 1. */
  sample?: number;
  /** Text of sessions that may be with judges at once, UTF-16 units. Default 0: one after the other. */
  ahead?: number;
  /** A session was judged; `bytes` of the logs are read so far. */
  onSession?: (session: LoggedSession, bytes: number) => void;
}

/** Rejects when a file cannot be read or a judge fails. */
export async function whatIf(files: readonly string[], o: WhatIfOptions): Promise<WhatIfReport> {
  const sum = new Sum();
  const run = newRun();
  const work = logWork(files, run, {
    play: (session) => o.judge(session, isDrawn(nameOf(session), o.sample ?? 1)),
    onSession: o.onSession,
  });
  for await (const { result } of inOrder(work, o.ahead ?? 0)) sum.add(result);
  return sum.report({ files: files.length, ...run.counts });
}

/** One draw for all parts of a session. */
function nameOf({ id, isPart }: LoggedSession): string {
  return isPart ? id.replace(/[#/][^#/]*$/, '') : id;
}
