// Begins the cycle in the background that the session's own thresholds ask for.

import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import type { Compactor } from './compactor.js';
import type { Cycle } from './cycle.js';
import { due } from './worth.js';

/** @param run takes the cycle; its owner launches it when the command is sealed */
export function startDue(
  session: Session,
  draft: Draft,
  run: { compactor: Compactor; begun?: Cycle },
  pending: ReadonlySet<string>,
): void {
  if (run.compactor.cycle !== undefined) return;
  const wanted = due(session);
  if (wanted === undefined) return;
  const cycle = run.compactor.begin(draft, { ...wanted, origin: 'background', pending });
  if (cycle !== undefined) run.begun = cycle;
}
