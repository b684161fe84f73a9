// The built-in summariser of a session: in the pool where the daemon has given one, else where it stands.

import { BuiltInSummariser } from '../../summary/built-in.js';
import { extract } from '../../summary/extractive.js';
import type { Summariser } from '../../summary/summariser.js';
import type { Session } from '../session.js';

/** @param background no call waits for it, until this fires */
export function builtIn(session: Session, background: AbortSignal): Summariser {
  const { deps } = session;
  return new BuiltInSummariser(async (p) =>
    deps.extract === undefined
      ? extract(p.messages, p.budget, (t) => deps.countShort(t, p.encoding))
      : deps.extract(p, { background }),
  );
}
