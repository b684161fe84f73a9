// When a summary in the background is due (L4-1, L4-21, L5-13, P-2), and whether putting it in pays (COSTS 3).

import { isRangeClaim } from '../../curation/claim.js';
import { judge } from '../../curation/price.js';
import { PLUGIN_IDS, type SummaryStrategy } from '../../settings/index.js';
import { surveyOf } from '../curating/survey-of.js';
import { knownPrefix } from '../money/prefix.js';
import { requestTokens } from '../request/sections.js';
import type { Session } from '../session.js';
import type { Cycle, CycleKind } from './cycle.js';
import { weightOf } from './range.js';

export interface Due {
  kind: CycleKind;
  reason: string;
  tail: number;
}

/** The cycle that the session's own thresholds ask for. Layer 4 goes before layer 5, which the gate asks for itself. */
export function due(session: Session): Due | undefined {
  const { settings, state, rendering } = session;
  if (settings.mode !== 'enforce' || session.native.plan.delegated.has('summary')) return undefined;
  rendering.sync(state);
  const tokens = requestTokens(state, rendering, settings.curated.fixedOverheadTokens);
  const over = tokens > session.budget().most;
  if (blocked(session)) return undefined;
  // Who took a summary back wants the history as it is, as long as that fits.
  if (!over && [...state.pins].some(isRangeClaim)) return undefined;
  const { summaryBuffer, compaction } = settings.plugins;
  if (settings.active.has(PLUGIN_IDS.summaryBuffer) && (over || !summaryBuffer.requireOverBudget)) {
    const reason = met(session, summaryBuffer, tokens);
    if (reason !== undefined) return { kind: 'summary', reason, tail: summaryBuffer.maxRecent };
  }
  const gated = settings.active.has(PLUGIN_IDS.contextWindow);
  if (settings.active.has(PLUGIN_IDS.compaction) && !gated && over) {
    const reason = met(session, compaction, tokens);
    if (reason !== undefined) return { kind: 'compaction', reason, tail: compaction.protectRecent };
  }
  return undefined;
}

interface Thresholds {
  strategy: SummaryStrategy;
  messageThreshold: number;
  tokenThreshold: number;
  turnThreshold: number;
}

/** Measure, value and threshold in words, where the measure has reached it. */
function met(session: Session, t: Thresholds, tokens: number): string | undefined {
  const { state, rendering } = session;
  const [measure, value, threshold] =
    t.strategy === 'message_count'
      ? (['message count', rendering.pieces.length, t.messageThreshold] as const)
      : t.strategy === 'token_estimate'
        ? (['token estimate', tokens, t.tokenThreshold] as const)
        : (['turn count', state.turn - state.summarisedAt, t.turnThreshold] as const);
  return value >= threshold ? `${measure} ${value} >= threshold ${threshold}` : undefined;
}

/** Tokens that must have come before what failed is tried again. */
function growth(session: Session): number {
  return Math.max(256, Math.floor(session.budget().threshold / 64));
}

/** A cycle failed, or nothing could be done, and nothing that could be reduced has come since (NS-17). */
export function blocked(session: Session): boolean {
  const { cooldown } = session.state;
  return cooldown !== undefined && session.rendering.tokens < cooldown + growth(session);
}

/** The cost rule for putting a summary in at a boundary; over budget it need not pay (P-7). */
export function pays(session: Session, cycle: Cycle, text: string): boolean {
  const { state, deps } = session;
  const at = deps.clock.now();
  const survey = surveyOf(session, { prefix: knownPrefix(session, at), at });
  const leaves = session.countShort(text);
  const frees = weightOf(session, cycle.range) - leaves;
  if (frees <= 0) return false;
  const candidate = {
    at: cycle.range.from,
    frees,
    leaves,
    since: cycle.since,
    presend: cycle.range.from >= state.sent.messages,
    build: () => undefined,
  };
  return judge(survey, [candidate]).from === 0;
}
