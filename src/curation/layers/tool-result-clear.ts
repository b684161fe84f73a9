// Layer 1: stale tool results become markers (REQUIREMENTS 4). Offers candidates; boundary and price are the stack's.

import { pointer, sliceValue } from '../../json/index.js';
import type { ToolResultClearSettings } from '../../settings/types.js';
import type { ResultRecord } from '../calls.js';
import { planned } from '../decisions.js';
import { handleOf } from '../handle.js';
import { keepLine } from '../keep.js';
import type { Built, Candidate, Layer, LayerPlan } from '../layer.js';
import { marker } from '../marker.js';
import { Repeats } from '../repeats.js';
import type { Survey } from '../survey.js';

const ID = 'nexus.memory.tool_result_clear';

/** About what a marker costs, for the choice; the exact count is made for what is chosen. */
const MARKER_TOKENS = 40;

/** Why a result may go, and the number of main requests when that began. */
interface Eligible {
  reason: 'subsequent_call' | 'age' | 'keep';
  since: number;
}

export class ToolResultClear implements Layer {
  readonly name = 'tool_result_clear';
  readonly id = ID;
  readonly invalidatesUnknown = false;
  readonly #repeats = new Repeats();
  /** Results below this have been looked at for age and are either on the list or never to be cleared. */
  #agedTo = 0;
  #ruled = false;
  #generation = 0;
  /** Results that are old enough and not cleared yet. */
  #eligible = new Map<number, Eligible>();

  plan(survey: Survey): LayerPlan {
    const settings = survey.settings.plugins.toolResultClear;
    if (!settings.enabled) return { candidates: [] };
    this.#collect(survey, settings);
    const candidates: Candidate[] = [];
    for (const [index, { reason, since }] of this.#eligible) {
      const result = survey.calls.results[index]!;
      if (result.cleared !== undefined || survey.isDropped(result.at)) {
        this.#eligible.delete(index);
        continue;
      }
      if (isProtected(survey, result)) continue;
      const part = survey.messages[result.at]!.reading.parts[result.part];
      if (part === undefined || survey.isFrozen(result.at, pointer(part.path))) continue;
      const frees = result.tokens - MARKER_TOKENS;
      if (frees <= 0) {
        this.#eligible.delete(index);
        continue;
      }
      candidates.push({
        at: result.at,
        frees,
        leaves: MARKER_TOKENS,
        since,
        presend: result.at >= survey.sent,
        build: () => clearing(survey, result, reason),
      });
    }
    candidates.sort((a, b) => a.at - b.at);
    return { candidates };
  }

  /** Moves results that have become old or superfluous onto the list. Costs what became so, not what the history holds. */
  #collect(survey: Survey, settings: ToolResultClearSettings): void {
    const { results } = survey.calls;
    const keep = keepLine(survey, survey.settings.curated.keep);
    const { generation } = survey.calls;
    if (generation !== this.#generation || keep.ruled !== this.#ruled) {
      this.#generation = generation;
      this.#agedTo = 0;
      this.#eligible = new Map();
      this.#ruled = keep.ruled;
    }
    this.#repeats.sync(survey.calls);
    for (const index of this.#repeats.repeated()) {
      const result = results[index]!;
      const by = results[this.#repeats.repeatedBy(index)!]!;
      // The later result must still be in the request itself (L1-15).
      if (by.cleared !== undefined || survey.isDropped(by.at)) continue;
      if (settings.subsequentCallExempt.includes(result.tool) || !clearable(settings, survey, result))
        continue;
      const known = this.#eligible.get(index);
      this.#eligible.set(index, { reason: 'subsequent_call', since: known?.since ?? survey.requests });
    }
    while (this.#agedTo < results.length) {
      const result = results[this.#agedTo]!;
      if (keep.ruled) {
        if (this.#agedTo >= keep.results || result.at >= keep.messages) break;
      } else if (!isOld(survey, settings, result)) break;
      const large = keep.ruled || result.bytes >= settings.sizeBytesThreshold;
      if (large && clearable(settings, survey, result) && !this.#eligible.has(this.#agedTo)) {
        this.#eligible.set(this.#agedTo, { reason: keep.ruled ? 'keep' : 'age', since: survey.requests });
      }
      this.#agedTo += 1;
    }
  }
}

function isOld(survey: Survey, settings: ToolResultClearSettings, result: ResultRecord): boolean {
  if (survey.turn - result.turn >= settings.ageTurns) return true;
  return settings.ageRounds !== undefined && survey.round - result.round >= settings.ageRounds;
}

/** Kinds and tools that are never cleared (L1-5, L1-6, exclude and allow lists). */
function clearable(settings: ToolResultClearSettings, survey: Survey, result: ResultRecord): boolean {
  const { excludeTools, onlyTools } = survey.settings.curated;
  if (result.id === '' || excludeTools.includes(result.tool)) return false;
  if (onlyTools !== undefined && !onlyTools.includes(result.tool)) return false;
  const kind = result.error ? 'error' : settings.askUserTools.includes(result.tool) ? 'user_question' : 'ok';
  return !settings.preserveRecentKinds.includes(kind);
}

/** The open round and calls in flight stay as they are (PV-A9). */
function isProtected(survey: Survey, result: ResultRecord): boolean {
  return (result.at >= survey.openFrom && !survey.forced) || survey.pending.has(result.id);
}

/** The edit and its event; undefined when the marker would be no smaller (L1-1, PV-A8). */
export function clearing(survey: Survey, result: ResultRecord, reason: string): Built | undefined {
  const message = survey.messages[result.at]!;
  const part = message.reading.parts[result.part];
  if (part?.bodyPath === undefined) return undefined;
  const body = sliceValue(message.native.text, part.bodyPath);
  if (body === undefined) return undefined;
  const handle = handleOf(survey.tenant, survey.session, message.seq, result.part, body);
  const text = marker({
    id: result.id,
    tool: result.tool,
    originalSize: result.bytes,
    clearedAt: survey.turn,
  });
  const delta = survey.count(text) - result.tokens;
  if (delta >= 0) return undefined;
  return {
    edits: [{ ...survey.spec.marker(part, text), at: result.at, delta }],
    section: { section_id: `${ID}/${result.id}`, kind: 'volatile', tokens_delta: delta },
    event: planned('memory.tool_result_cleared', {
      tool_call_id: result.id,
      tool: result.tool,
      original_size: result.bytes,
      cleared_at_turn: survey.turn,
      reason,
      handle,
      message: result.at,
      path: pointer(part.path),
      tokens_delta: delta,
      tokens_delta_estimate: -Math.trunc(result.bytes / 4),
    }),
  };
}
