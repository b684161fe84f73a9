// One run of the stack over a session: decisions into the draft, in the mode of its settings.

import type { DecisionFields, LedgerEdit } from '../../curation/decisions.js';
import type { Outcome } from '../../curation/stack.js';
import type { Trace } from '../../curation/trace.js';
import type { Draft } from '../commit.js';
import { knownPrefix } from '../money/prefix.js';
import type { Session } from '../session.js';
import type { NewEvent } from '../state/events.js';
import { surveyOf } from './survey-of.js';

export interface CurateOptions {
  forced?: boolean;
  /** What was sent is being edited already at this boundary. */
  sharesEdit?: boolean;
  pending?: ReadonlySet<string>;
  maxTokens?: number;
  toolChoice?: unknown;
  /** Gets a span a layer. */
  trace?: Trace | undefined;
}

/** Runs the deterministic layers and takes their decisions into the state. */
export function curate(session: Session, draft: Draft, o: CurateOptions = {}): Outcome {
  const { settings } = session;
  if (settings.mode === 'off') return { steps: [], waiting: [] };
  session.projection.sync(session.state);
  const now = session.deps.clock.now();
  const survey = surveyOf(session, { ...o, prefix: knownPrefix(session, now), at: now });
  const outcome = session.stack.run(survey, o.trace);
  const observed = settings.mode === 'observe';
  for (const step of outcome.steps) draft.push(withEdits(step.event as NewEvent, step.edits, observed));
  return outcome;
}

/** The event was made for this run alone, so it takes the edits as it is: there are many, of many fields. */
function withEdits(e: NewEvent, edits: LedgerEdit[], observed: boolean): NewEvent {
  if (edits.length > 0) (e.payload as DecisionFields)._edits = edits;
  return observed ? ({ type: e.type, payload: e.payload, observed: true } as NewEvent) : e;
}
