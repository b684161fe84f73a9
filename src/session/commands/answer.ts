// The request as it leaves: recorded with its hash, and told to the host with what was decided since its last one.

import type { Outcome } from '../../curation/stack.js';
import type { Violation } from '../../providers/types.js';
import type { Draft } from '../commit.js';
import { SEALED } from '../emission.js';
import type { PlacedMark } from '../marks/placed-mark.js';
import { boundTo } from '../mending/void-thinking.js';
import { changedPart } from '../money/miss.js';
import { knownPrefix } from '../money/prefix.js';
import { spendingWith } from '../money/spending.js';
import { nativeFields } from '../native/native.js';
import { breakpoints } from '../request/view.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';
import { type ProjectedEvent, project } from '../state/project.js';

import { requestFeatures } from '../window/estimate.js';
import { type Prepared, type PrepareParams, tokensOf } from './prepared.js';

/** What has been done about the request before it leaves. */
export interface Curated {
  /** Task kind, as it is recorded. */
  kind: string;
  pending: ReadonlySet<string>;
  /** Events of the draft, and the journal's seq, when curation began. */
  before: number;
  first: number;
  waiting: Outcome['waiting'];
  violations: readonly Violation[];
  marks: readonly PlacedMark[];
}

/** Records the request that the session renders now, and answers with it. */
export function answer(session: Session, p: PrepareParams, draft: Draft, c: Curated): Prepared {
  const { state, rendering } = session;
  const curated = envelopesSince(session, draft, c);
  const tokens = tokensOf(session, p);
  const now = session.deps.clock.now();
  const prefix = knownPrefix(session, now);
  const native = nativeFields(session, tokens.curated);
  const { emission = SEALED } = session.deps;
  const hash = emission.hash(session);
  const firstChanged = firstChangedOf(session);
  const changed = changedPart(session);
  const bound = boundTo(session);
  draft.push(
    event('llm.request', {
      hash,
      request: state.sent.requests + 1,
      task_kind: c.kind,
      messages: state.messages.length,
      tokens: tokens.curated,
      features: requestFeatures(session).map((v) => Math.round(v * 100) / 100),
      ...(c.pending.size === 0 ? {} : { pending: [...c.pending] }),
      ...(session.settings.mode === 'off' ? {} : { _spent: spendingWith(session, prefix, now) }),
      ...(changed === undefined ? {} : { changed }),
      ...native.event,
      ...(bound === undefined || bound === state.boundTo ? {} : { bound }),
      ...(c.marks.length === 0 ? {} : { _marks: [...c.marks] }),
    }),
  );
  const form = emission.body(session, p);
  rendering.answered(hash, rendering.statics.system(state), rendering.statics.tools(state));
  return {
    turn: state.turn,
    seq: state.seq,
    ...form,
    hash,
    tokens,
    cache: {
      prefix_stable: firstChanged === undefined,
      ...(firstChanged === undefined ? {} : { first_changed: firstChanged }),
      recache_tokens: prefix.known && firstChanged !== undefined ? recache(curated) : 0,
      breakpoints: breakpoints(state, rendering),
    },
    curated,
    pending: c.waiting,
    ...(c.violations.length > 0 ? { violations: c.violations.map((v) => ({ ...v })) } : {}),
    ...native.fields,
    fits: true,
  };
}

/** Envelopes of edits that the host has not heard of: of this call, and of what was decided between two. */
function envelopesSince(
  { state, told }: Session,
  draft: Draft,
  { before, first }: Curated,
): ProjectedEvent[] {
  return [
    ...state.envelopes.filter((v) => v.seq < first && !told.has(v.seq)),
    ...draft.committed
      .slice(before)
      .filter((c) => c.event.type === 'memory.curated')
      .map((c) => project(c.event)),
  ];
}

/** Index of the first message that differs from the last main request's; undefined when this one only grew. What stands before the messages counts as 0. */
function firstChangedOf(session: Session): number | undefined {
  const { state, rendering } = session;
  if (state.sent.requests === 0) return undefined;
  if (state.staticChanged || state.toolList.changed) return 0;
  return Number.isFinite(state.dirtyFrom) ? rendering.indexOf(state.dirtyFrom) : undefined;
}

function recache(curated: readonly ProjectedEvent[]): number {
  return curated.reduce((sum, c) => Math.max(sum, Number(c['recache_tokens'] ?? 0)), 0);
}
