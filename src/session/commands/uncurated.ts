// The request where its curation failed by a fault of ours: nothing new is decided for it. What was decided before stands, and
// what a provider would refuse is mended as always.

import { fail } from '../../errors.js';
import type { Draft } from '../commit.js';
import { fitMarks } from '../marks/host-marks.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { soundness } from '../validity/validity.js';
import { fitsProvider } from '../window/bounds.js';
import { estimateRequest } from '../window/estimate.js';
import { answer, type Curated } from './answer.js';
import type { Prepared, PrepareParams } from './prepared.js';

/** Says why nothing is decided at this call. @param fault in words */
export function tellFault(draft: Draft, fault: string): void {
  draft.push(event('memory.diagnostic', { what: 'curation_failed', detail: { fault } }));
}

/**
 * @param fault in words: what the event says
 * @throws INTERNAL where the request as it stands is longer than what the provider takes; PAIRING, INVALID_MESSAGES
 */
export function asItStands(
  session: Session,
  p: PrepareParams,
  draft: Draft,
  told: Pick<Curated, 'kind' | 'pending' | 'before' | 'first'>,
  fault: string,
): Prepared {
  const { state, rendering, settings } = session;
  tellFault(draft, fault);
  if (settings.mode === 'enforce') fitMarks(session, draft);
  rendering.sync(state);
  const violations = soundness(session);
  rendering.place([]);
  if (!fitsProvider(session, estimateRequest(session).p95, p.max_tokens))
    fail('INTERNAL', `curation failed, and the request does not fit without it: ${fault}`);
  return answer(session, p, draft, { ...told, waiting: [], violations, marks: [] });
}
