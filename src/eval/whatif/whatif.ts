// Logs in, report out. Reads on, while judges work, only as far ahead as `ahead` allows, so that memory stays bounded.
import type { LoggedSession } from './logged.js';
import { newRun, readLog } from './read-log.js';
import type { WhatIfReport } from './report.js';
import { Sum } from './sum.js';

export interface WhatIfOptions {
  /** What a session used and what each preset would have made of it: `judge`, here or on another thread. */
  judge: (session: LoggedSession) => Promise<WhatIfReport>;
  /** Text of sessions that may be with judges at once, UTF-16 units; one larger session goes alone. Default 0: one after the other. */
  ahead?: number;
  /** A session was judged; `bytes` of the logs are read so far. */
  onSession?: (session: LoggedSession, bytes: number) => void;
}

/** Rejects when a file cannot be read or a judge fails. */
export async function whatIf(files: readonly string[], o: WhatIfOptions): Promise<WhatIfReport> {
  const sum = new Sum();
  const run = newRun();
  const queue = new Queue(o.ahead ?? 0, (part) => sum.add(part));
  for (const file of files) {
    for await (const session of readLog(file, run)) {
      await queue.put(sizeOf(session), async () => {
        const part = await o.judge(session);
        o.onSession?.(session, run.counts.bytes);
        return part;
      });
    }
  }
  await queue.end();
  return sum.report({ files: files.length, ...run.counts });
}

/** Work that runs at once up to a weight; its results come out in the order in which it went in. */
class Queue {
  readonly #most: number;
  readonly #take: (part: WhatIfReport) => void;
  readonly #running: { weight: number; done: Promise<WhatIfReport> }[] = [];
  #weight = 0;

  constructor(most: number, take: (part: WhatIfReport) => void) {
    this.#most = most;
    this.#take = take;
  }

  async put(weight: number, work: () => Promise<WhatIfReport>): Promise<void> {
    while (this.#running.length > 0 && this.#weight + weight > this.#most) await this.#first();
    const done = work();
    // It is awaited later, in its turn: until then its failure is nobody's.
    done.catch(() => {});
    this.#running.push({ weight, done });
    this.#weight += weight;
  }

  async end(): Promise<void> {
    while (this.#running.length > 0) await this.#first();
  }

  async #first(): Promise<void> {
    const { weight, done } = this.#running[0]!;
    this.#take(await done);
    this.#running.shift();
    this.#weight -= weight;
  }
}

function sizeOf(session: LoggedSession): number {
  let units = (session.system?.text.length ?? 0) + (session.tools?.text.length ?? 0);
  for (const m of session.messages) units += m.text.length;
  return units;
}
