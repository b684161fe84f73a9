// Handlers of tools.*: discovery on behalf of the model.

import { discover } from '../session/commands/discover.js';
import type { Handlers } from './context.js';

export const TOOL_CALLS: Handlers = {
  'tools.discover': async (caller, p, rooms) => {
    const actor = await rooms.registry.known(caller.tenant, p.session);
    return actor.write(
      { holder: caller, command: 'write', method: 'tools.discover', level: 'ack' },
      (draft) => discover(actor.session, p, draft),
    );
  },
};
