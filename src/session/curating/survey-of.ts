// The facts that the layers look at, taken from a session at one moment.

import { pinnedBy } from '../../curation/claim.js';
import type { UndoWish } from '../../curation/decisions.js';
import type { KnownPrefix } from '../../curation/known-prefix.js';
import type { Survey } from '../../curation/survey.js';
import { type Path, pointer } from '../../json/index.js';
import type { Settings } from '../../settings/types.js';
import { cachesTo, entryBefore } from '../money/prefix.js';
import { spentOf } from '../money/spending.js';
import { tokensWith } from '../request/edit-tokens.js';
import { requestTokens, sectionTokens } from '../request/sections.js';
import type { Session } from '../session.js';
import type { SessionState } from '../state/state.js';
import { inTopic, topicEndedSince } from '../topics/spans.js';
import { toldWindow } from '../window/window.js';
import { freeFrom, openFrom, thinksOn } from './open-round.js';
import { toolSurvey } from './tool-survey-of.js';

export interface SurveyOptions {
  forced?: boolean;
  /** An edit of what was sent is being made already at this boundary, and this belongs to it. */
  sharesEdit?: boolean;
  pending?: ReadonlySet<string>;
  maxTokens?: number;
  /** The request's tool_choice, as the host gave it. */
  toolChoice?: unknown;
  prefix: KnownPrefix;
  /** Epoch ms. */
  at: number;
}

/** A round end that the daemon sees by itself: the newest messages answer all calls and no request has carried them. */
function roundEnded(state: SessionState, settings: Settings): boolean {
  if (settings.curated.boundary !== 'round' || state.calls.openCount > 0) return false;
  const newest = state.messages[state.messages.length - 1];
  return (
    newest !== undefined &&
    state.messages.length > state.sent.messages &&
    newest.reading.parts.some((p) => p.kind === 'tool_result')
  );
}

/** A repair left it out (a second result, one without its call): there is nothing to decide about it. */
function isTakenOut(state: SessionState, at: number, path: Path): boolean {
  const edits = state.ledger.editsOf(at, true);
  if (edits.length === 0) return false;
  const place = pointer(path);
  return edits.some((e) => e.op === 'remove' && pointer(e.path) === place);
}

/** May what was sent be edited now, as far as turns and rounds go (P-7)? */
export function boundaryNow({ state, settings }: Session): boolean {
  return (state.boundary || roundEnded(state, settings)) && !state.edited;
}

const NONE_PENDING: ReadonlySet<string> = new Set();
const NO_WISHES: readonly UndoWish[] = [];

/** Is what the user wants back still away? */
function stands(state: SessionState, wish: UndoWish): boolean {
  if (wish.tool_id !== undefined) return state.toolList.pruned.has(wish.tool_id);
  return state.ledger.get(wish.seq_of) !== undefined;
}

export function surveyOf(session: Session, o: SurveyOptions): Survey {
  const { state, settings, projection: rendering, profile } = session;
  const budget = session.budget(o.maxTokens);
  const bound = profile.modelClass === 'AB';
  const free = freeFrom(state, bound);
  const editable = free < state.sent.messages && !(bound && thinksOn(state));
  return {
    tenant: session.key.tenant,
    session: session.key.session,
    spec: state.spec,
    profile,
    settings,
    turn: state.turn,
    round: state.round,
    boundary: (boundaryNow(session) || o.sharesEdit === true) && editable,
    forced: o.forced === true,
    looksBack: false,
    messages: state.messages,
    calls: state.calls,
    openFrom: openFrom(state),
    freeFrom: free,
    sent: state.sent.messages,
    pending: o.pending ?? NONE_PENDING,
    isDropped: (at) => state.ledger.isDropped(at),
    isEditedAt: (at, path) => state.ledger.names(at, path),
    isFrozen: (at, path) =>
      (state.frozen.size > 0 && state.frozen.has(`${at}${pointer(path)}`)) || isTakenOut(state, at, path),
    isPinned: (claim) => pinnedBy(state.pins, claim),
    undo:
      state.turnBoundary && state.undo.size > 0
        ? [...state.undo.values()].filter((w) => stands(state, w) && !session.rewritten.has(w.seq_of))
        : NO_WISHES,
    takingBack: (decisions) => state.ledger.weight(decisions, (at) => state.messages[at]!.tokens),
    shows: (at, text) => rendering.pieces[rendering.ownIndexOf(at)]?.text.includes(text) === true,
    sinceEdit: {
      turns: state.turn - (state.lastEdit?.turn ?? 0),
      calls: state.calls.calls.length - (state.lastEdit?.calls ?? 0),
    },
    inTopic: inTopic(state.topic),
    topicEnded: topicEndedSince(state.topic, state.lastEdit?.turn ?? -1),
    tokensChanged: (at, edits) => tokensWith(session, at, edits),
    indexOf: (at) => rendering.indexOf(at),
    tools: toolSurvey(
      state,
      rendering.projected,
      o.toolChoice,
      session.native.plan.edits.includes('tool_changes'),
    ),
    tokensBehind: (at, end) =>
      rendering.tokensBetween(at, end) + (at < 0 ? sectionTokens(state, rendering).static : 0),
    viewTokens: requestTokens(state, rendering, settings.curated.fixedOverheadTokens),
    budget: budget.most,
    window: toldWindow(budget, settings),
    prefix: o.prefix,
    cachesTo: cachesTo(session),
    entryBefore: (at) => entryBefore(state.ends, at),
    requests: state.sent.requests,
    model: state.model,
    tariff: session.tariff(o.at),
    spent: spentOf(state),
    at: o.at,
    count: (text) => session.countShort(text),
  };
}
