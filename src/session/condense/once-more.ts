// A command that failed on a summary which found no place is run again: the summary is given up by then, the history as it
// was. Whatever a curator does, the agent still gets its request.

import { Unfit } from './apply.js';

/** @param command is told whether it is run again */
export async function onceMore<T>(command: (again: boolean) => Promise<T>): Promise<T> {
  try {
    return await command(false);
  } catch (e) {
    if (!(e instanceof Unfit)) throw e;
    return command(true);
  }
}
