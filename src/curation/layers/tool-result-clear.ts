// Layer 1: stale tool results become markers (REQUIREMENTS 4), by age and size, by a later equal call, or by the keep
// rules where the session has some. Offers candidates; boundary and price are the stack's.

import type { ToolResultClearSettings } from '../../settings/types.js';
import type { Amnesia } from '../amnesia.js';
import type { ResultRecord } from '../calls.js';
import { CLEAR_ID, isClearable, offerClearing } from '../clearing.js';
import { keepLine } from '../keep.js';
import type { Candidate, Layer, LayerPlan } from '../layer.js';
import { Repeats } from '../repeats.js';
import type { Survey } from '../survey.js';
import type { Vocabulary } from '../vocabulary.js';

/** Why a result may go, and the number of main requests when that began. */
interface Eligible {
  reason: 'subsequent_call' | 'age' | 'keep';
  since: number;
}

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
  #eligible = new Map<number, Eligible>();

  constructor(vocabulary: Vocabulary, amnesia: Amnesia) {
    this.#vocabulary = vocabulary;
    this.#amnesia = amnesia;
  }

  plan(survey: Survey): LayerPlan {
    const settings = survey.settings.plugins.toolResultClear;
    if (!settings.enabled) return { candidates: [] };
    this.#collect(survey, settings);
    if (!survey.looksBack) return { candidates: [] };
    const candidates: Candidate[] = [];
    for (const [index, { reason, since }] of this.#eligible) {
      if (reason === 'subsequent_call' && !this.#stillRepeated(survey, index)) continue;
      if (reason === 'keep' && this.#amnesia.keeps(survey, index)) continue;
      const offer = offerClearing(survey, { index, reason, since }, this.#vocabulary);
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
      const known = this.#eligible.get(index);
      this.#eligible.set(index, { reason: 'subsequent_call', since: known?.since ?? survey.requests });
    }
    while (this.#agedTo < results.length) {
      const result = results[this.#agedTo]!;
      if (keep.ruled) {
        if (this.#agedTo >= keep.results || result.at >= keep.messages) break;
      } else if (!isOld(survey, settings, result)) break;
      const large = keep.ruled || result.bytes >= settings.sizeBytesThreshold;
      if (large && isClearable(survey, result) && !this.#eligible.has(this.#agedTo)) {
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
