// The sessions of log files as work that may run at once: read on only as far ahead as its taker allows.
import type { Work } from './in-order.js';
import { type LoggedSession, sizeOf } from './whatif/logged.js';
import { type LogRun, readLog } from './whatif/read-log.js';

export interface LogWorkOptions<T> {
  /** What is made of one session, here or on another thread. */
  play: (session: LoggedSession) => Promise<T>;
  /** A session is done; `bytes` of the logs are read so far. */
  onSession?: ((session: LoggedSession, bytes: number) => void) | undefined;
}

/** In the order of the files, weights in UTF-16 units. Rejects when a file cannot be read. */
export async function* logWork<T>(
  files: readonly string[],
  run: LogRun,
  o: LogWorkOptions<T>,
): AsyncGenerator<Work<{ session: LoggedSession; result: T }>> {
  for (const file of files)
    for await (const session of readLog(file, run))
      yield {
        weight: sizeOf(session),
        run: async () => {
          const result = await o.play(session);
          o.onSession?.(session, run.counts.bytes);
          return { session, result };
        },
      };
}
