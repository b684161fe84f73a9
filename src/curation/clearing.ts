// Clearing one tool result: which results may be cleared at all, what stands in their place, and the edit with its
// event. Shared by all layers that clear results; which of them is old, superseded or equal is theirs to say.

import { type Path, pointer, sliceIn } from '../json/index.js';
import { type ResultRecord, standing } from './calls.js';
import { claimOf } from './claim.js';
import { planned } from './decisions.js';
import { digest, nameBudget, pickNames } from './digest.js';
import { droppable, dropping, type Pair } from './full-drop.js';
import { handleOf } from './handle.js';
import { identifiersIn } from './identifiers.js';
import { systemEnd } from './keep.js';
import type { Built, Candidate } from './layer.js';
import { marker } from './marker.js';
import type { Survey } from './survey.js';
import type { Vocabulary } from './vocabulary.js';

export const CLEAR_ID = 'nexus.memory.tool_result_clear';

export type ClearReason =
  | 'age'
  | 'subsequent_call'
  | 'keep'
  | 'superseded'
  | 'duplicate'
  | 'no_citation'
  | 'synthesis_detected';

/** Reasons of the seed's own rule: where nothing else is asked for, its marker is the golden one (L1-7). */
const SEED: ReadonlySet<ClearReason> = new Set<ClearReason>(['age', 'subsequent_call']);

/** About what a marker and a digest without names cost; the exact count is made for what is chosen. */
const MARKER_TOKENS = 40;
const DIGEST_TOKENS = 50;
/** Share of the budget for names that a digest uses, on average. */
const BUDGET_USED = 0.7;

export function isPlain(survey: Survey, reason: ClearReason): boolean {
  const { preset } = survey.settings.curated;
  return SEED.has(reason) && preset !== 'balanced' && preset !== 'aggressive';
}

/** Kinds and tools that are never cleared (L1-5, L1-6, exclude and allow lists). */
export function isClearable(survey: Survey, result: ResultRecord): boolean {
  if (result.id === '' || !isAllowed(survey, result.tool)) return false;
  const { askUserTools, preserveRecentKinds } = survey.settings.plugins.toolResultClear;
  const kind = result.error ? 'error' : askUserTools.includes(result.tool) ? 'user_question' : 'ok';
  return !preserveRecentKinds.includes(kind);
}

export function isAllowed(survey: Survey, tool: string): boolean {
  const { excludeTools, onlyTools } = survey.settings.curated;
  return !excludeTools.includes(tool) && (onlyTools === undefined || onlyTools.includes(tool));
}

/** The open round and calls in flight stay as they are (PV-A9). */
export function isProtected(survey: Survey, result: ResultRecord): boolean {
  const { firstMessages = 0 } = survey.settings.curated.keep;
  const kept =
    result.at >= survey.openFrom ||
    (firstMessages > 0 && result.at < systemEnd(survey.messages) + firstMessages);
  return (kept && !survey.forced) || survey.pending.has(result.id);
}

/**
 * A result that a rule of ours would clear, as a candidate. Its layer keeps it until the result is cleared and has it offered
 * at each boundary: what no boundary changes is worked out once.
 */
export class Clearing implements Candidate {
  /** Index of the result in the session's calls. */
  readonly index: number;
  readonly reason: ClearReason;
  /** Main requests when it became so. */
  readonly since: number;
  /** Shown in the digest. */
  readonly note: string | undefined;
  at = -1;
  frees = 0;
  leaves = 0;
  presend = false;
  claim = '';
  readonly #vocabulary: Vocabulary;
  /** Where the result stands in its message, and what a digest of it will have, about; once it was looked at. */
  #part: { path: Path; digest: number } | undefined;
  /** It goes together with its call. */
  #pair: Pair | undefined;

  constructor(vocabulary: Vocabulary, c: Pick<Clearing, 'index' | 'reason' | 'since'> & { note?: string }) {
    this.#vocabulary = vocabulary;
    this.index = c.index;
    this.reason = c.reason;
    this.since = c.since;
    this.note = c.note;
  }

  /** Itself as it stands now; undefined where it is out of the question for now, `never`: for good. */
  offer(survey: Survey): Candidate | 'never' | undefined {
    const result = survey.calls.results[this.index]!;
    if (result.cleared !== undefined || survey.isDropped(result.at)) return 'never';
    if (isProtected(survey, result)) return undefined;
    this.#part ??= partOf(survey, result);
    if (this.#part === undefined || survey.isFrozen(result.at, this.#part.path)) return 'never';
    if (this.claim === '') this.claim = claimOf(result.at, result.part);
    const pair = result.at < survey.openFrom ? droppable(survey, result) : undefined;
    this.#pair = pair;
    this.at = pair?.call.at ?? result.at;
    this.presend = this.at >= survey.sent;
    if (pair !== undefined) {
      this.frees = pair.tokens;
      this.leaves = 0;
      return this;
    }
    this.leaves = isPlain(survey, this.reason) ? MARKER_TOKENS : this.#part.digest;
    this.frees = standing(result) - this.leaves;
    return this.frees <= 0 ? 'never' : this;
  }

  build(survey: Survey): Built | readonly Built[] | undefined {
    const pair = this.#pair;
    const dropped =
      pair === undefined
        ? undefined
        : dropping(survey, pair, this.reason, `${CLEAR_ID}/${survey.calls.results[this.index]!.id}`);
    return dropped ?? clearing(survey, this, this.#vocabulary);
  }
}

/** Undefined where a result has no body. */
function partOf(survey: Survey, result: ResultRecord): { path: Path; digest: number } | undefined {
  const part = survey.messages[result.at]!.reading.parts[result.part];
  if (part?.bodyPath === undefined) return undefined;
  const names = BUDGET_USED * nameBudget(part.text ?? '', result.tokens);
  return { path: part.path, digest: DIGEST_TOKENS + Math.round(names) };
}

/** The edit and its event; undefined when what would stand there is no smaller (L1-1, PV-A8). */
function clearing(survey: Survey, c: Clearing, vocabulary: Vocabulary): Built | undefined {
  const result = survey.calls.results[c.index]!;
  const message = survey.messages[result.at]!;
  const part = message.reading.parts[result.part]!;
  const body = sliceIn(message.native, part.bodyPath!);
  if (body === undefined) return undefined;
  const handle = handleOf(survey.tenant, survey.session, message.seq, result.part, body);
  const text = placeholder(survey, c, result, part.text ?? '', handle, vocabulary);
  const delta = survey.count(text) - standing(result);
  if (delta >= 0) return undefined;
  return {
    edits: [{ ...survey.spec.marker(part, text), at: result.at, delta }],
    section: { section_id: `${CLEAR_ID}/${result.id}`, kind: 'volatile', tokens_delta: delta },
    event: planned('memory.tool_result_cleared', {
      tool_call_id: result.id,
      tool: result.tool,
      original_size: result.bytes,
      cleared_at_turn: survey.turn,
      reason: c.reason,
      handle,
      message: result.at,
      path: pointer(part.path),
      tokens_delta: delta,
      tokens_delta_estimate: -Math.trunc(result.bytes / 4),
      _of: part.bodyPath!,
    }),
  };
}

function placeholder(
  survey: Survey,
  c: Clearing,
  result: ResultRecord,
  body: string,
  handle: string,
  vocabulary: Vocabulary,
): string {
  const fields = { tool: result.tool, originalSize: result.bytes, clearedAt: survey.turn };
  if (isPlain(survey, c.reason)) return marker({ ...fields, id: result.id });
  return digest({
    ...fields,
    handle,
    args: result.call === undefined ? undefined : survey.calls.calls[result.call]?.args,
    names: namesOf(survey, c.index, body, nameBudget(body, result.tokens), vocabulary),
    ...(c.note === undefined ? {} : { note: c.note }),
  });
}

/** Names of a result's body that would be lost with it, as many as fit. */
export function namesOf(
  survey: Survey,
  index: number,
  body: string,
  budget: number,
  vocabulary: Vocabulary,
): string[] {
  vocabulary.sync(survey);
  const { at, part } = survey.calls.results[index]!;
  const whole = survey.messages[at]!.reading.parts[part];
  const isNeeded = (run: string) => vocabulary.needs(run, index);
  const known = whole?.text === body ? whole.names : undefined;
  const names =
    known === undefined ? [...identifiersIn(body, isNeeded)] : [...known].filter(([run]) => isNeeded(run));
  return pickNames(names, budget, (run) => vocabulary.spread(run));
}
