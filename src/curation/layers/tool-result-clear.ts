// Layer 1: stale tool results become markers (REQUIREMENTS 4), by age and size, by a later equal call, or by the keep
// rules where the session has some. Offers candidates; boundary and price are the stack's.

import type { ToolResultClearSettings } from '../../settings/types.js';
import type { Amnesia } from '../amnesia.js';
import type { ResultRecord } from '../calls.js';
import { CLEAR_ID, Clearing, isClearable } from '../clearing.js';
import { keepLine } from '../keep.js';
import { type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import { Repeats } from '../repeats.js';
import type { Survey } from '../survey.js';
import type { Vocabulary } from '../vocabulary.js';

export class ToolResultClear implements Layer {
  readonly name = 'tool_result_clear';
  readonly id = CLEAR_ID;
  readonly invalidatesUnknown = false;
  readonly #vocabulary: Vocabulary;
  readonly #amnesia: Amnesia;
  readonly #repeats = new Repeats();
  /** Results below this have been looked at for age and are either on the list or never to be cleared. */
  #agedTo = 0;
  #ruled = false;
  #generation = 0;
  /** Results that are old enough and not cleared yet. */
  #eligible = new Map<number, Clearing>();

  constructor(vocabulary: Vocabulary, amnesia: Amnesia) {
    this.#vocabulary = vocabulary;
    this.#amnesia = amnesia;
  }

  plan(survey: Survey): LayerPlan {
    const settings = survey.settings.plugins.toolResultClear;
    if (!settings.enabled) return NOTHING;
    this.#collect(survey, settings);
    if (!survey.looksBack) return NOTHING;
    const candidates: Candidate[] = [];
    for (const clearing of this.#eligible.values()) {
      const { index } = clearing;
      if (clearing.reason === 'subsequent_call' && !this.#stillRepeated(survey, index)) continue;
      if (clearing.reason === 'keep' && this.#amnesia.keeps(survey, index)) continue;
      const offer = clearing.offer(survey);
      if (offer === 'never') this.#eligible.delete(index);
      else if (offer !== undefined) candidates.push(offer);
    }
    return { candidates };
  }

  /** The later result must still be in the request itself (L1-15). */
  #stillRepeated(survey: Survey, index: number): boolean {
    const by = survey.calls.results[this.#repeats.repeatedBy(index) ?? -1];
    return by !== undefined && by.cleared === undefined && !survey.isDropped(by.at);
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
      this.#repeats.reset();
    }
    for (const index of this.#repeats.sync(survey.calls)) {
      const result = results[index]!;
      if (settings.subsequentCallExempt.includes(result.tool) || !isClearable(survey, result)) continue;
      const since = this.#eligible.get(index)?.since ?? survey.requests;
      this.#enlist({ index, reason: 'subsequent_call', since });
    }
    while (this.#agedTo < results.length) {
      const result = results[this.#agedTo]!;
      if (keep.ruled) {
        if (this.#agedTo >= keep.results || result.at >= keep.messages) break;
      } else if (!isOld(survey, settings, result)) break;
      const large = keep.ruled || result.bytes >= settings.sizeBytesThreshold;
      if (large && isClearable(survey, result) && !this.#eligible.has(this.#agedTo)) {
        this.#enlist({ index: this.#agedTo, reason: keep.ruled ? 'keep' : 'age', since: survey.requests });
      }
      this.#agedTo += 1;
    }
  }

  #enlist(c: Pick<Clearing, 'index' | 'reason' | 'since'>): void {
    this.#eligible.set(c.index, new Clearing(this.#vocabulary, c));
  }
}

function isOld(survey: Survey, settings: ToolResultClearSettings, result: ResultRecord): boolean {
  if (survey.turn - result.turn >= settings.ageTurns) return true;
  return settings.ageRounds !== undefined && survey.round - result.round >= settings.ageRounds;
}
