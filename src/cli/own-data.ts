// The data folder for one command alone: no daemon has it, and none can start on it meanwhile.
import { lockData } from '../data-lock.js';
import type { Paths } from '../paths.js';
import { liveDaemon } from './daemon-file.js';
import { CommandError } from './failure.js';

/** Runs `work` while nobody else may open the journal. @throws CommandError when a daemon or another command has it. */
export async function withOwnData<T>(paths: Paths, work: () => T | Promise<T>): Promise<T> {
  const lock = lockData(paths.data);
  if (lock === undefined) {
    const live = liveDaemon(paths);
    if (live === undefined)
      throw new CommandError('another command, or a daemon that is just starting, has the journal', {
        hint: 'try again in a moment',
      });
    throw new CommandError(`a daemon runs (pid ${live.pid}) and has the journal`, { hint: 'curated stop' });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
