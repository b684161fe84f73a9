// What a session is listed with while it is not in memory.

import { handlePrefix } from '../curation/handle.js';
import type { Session } from './session.js';

/** `handles`: first letters of handles that it gave out under another name, so that they are found here. */
export function listing({ key, state }: Pick<Session, 'key' | 'state'>): Record<string, unknown> {
  const own = handlePrefix(key.tenant, key.session);
  const taken = [...state.givenBy].filter((prefix) => prefix !== own);
  return {
    model: state.model,
    turn: state.turn,
    tokens: state.messageTokens,
    ...(taken.length === 0 ? {} : { handles: taken }),
  };
}
