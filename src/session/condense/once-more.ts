// A command that failed on a summary which found no place is run again: the summary is given up by then, the history as it
// was. Whatever a curator does, the agent still gets its request.

import { Unfit } from './apply.js';

/** @param command is told whether it is run again */
export function onceMore<T>(command: (again: boolean) => Promise<T>): Promise<T> {
  return command(false).catch((e: unknown) => {
    if (!(e instanceof Unfit)) throw e;
    return command(true);
  });
}
