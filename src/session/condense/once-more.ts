// A command that failed on a summary which found no place is run again: the summary is given up by then, the history as it
// was. Whatever a curator does, the agent still gets its request.

import { Unfit } from './apply.js';

export async function onceMore<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await command();
  } catch (e) {
    if (!(e instanceof Unfit)) throw e;
    return command();
  }
}
