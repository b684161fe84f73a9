// Results that a later one repeats word for word (curated.dedup): the older becomes a pointer to the newer, which the
// model sees in full. Equality is that of the bodies themselves, never of call ids.

import { sliceIn } from '../../json/index.js';
import { Bodies } from '../bodies.js';
import { CLEAR_ID, Clearing, isClearable } from '../clearing.js';
import { type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import type { Survey } from '../survey.js';
import type { Vocabulary } from '../vocabulary.js';

/** Shorter bodies are not worth a pointer. */
const SHORTEST_BYTES = 200;

export class IdenticalResults implements Layer {
  readonly name = 'tool_result_clear';
  readonly id = CLEAR_ID;
  readonly invalidatesUnknown = false;
  readonly #vocabulary: Vocabulary;
  #bodies = new Bodies();
  #repeated = new Map<number, { by: number; clearing: Clearing }>();
  #seen = 0;
  #history = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  plan(survey: Survey): LayerPlan {
    if (!survey.settings.plugins.toolResultClear.enabled || !survey.settings.curated.dedup) {
      return NOTHING;
    }
    this.#sync(survey);
    if (!survey.looksBack) return NOTHING;
    const candidates: Candidate[] = [];
    for (const [index, { by, clearing }] of this.#repeated) {
      const copy = survey.calls.results[by]!;
      // The pointer must lead to something that is there.
      if ((copy.cuts?.length ?? 0) > 0 || survey.isDropped(copy.at)) continue;
      const offer = clearing.offer(survey);
      if (offer === 'never') this.#repeated.delete(index);
      else if (offer !== undefined) candidates.push(offer);
    }
    return { candidates };
  }

  /** O(new). */
  #sync(survey: Survey): void {
    if (this.#history !== survey.calls.generation) {
      this.#history = survey.calls.generation;
      this.#bodies = new Bodies();
      this.#repeated = new Map();
      this.#seen = 0;
    }
    const { results } = survey.calls;
    for (; this.#seen < results.length; this.#seen += 1) {
      const index = this.#seen;
      const result = results[index]!;
      if (result.bytes < SHORTEST_BYTES || !isClearable(survey, result)) continue;
      const body = bodyOf(survey, index);
      if (body === undefined) continue;
      const equal = this.#bodies.take(index, body, (before) => bodyOf(survey, before) ?? '');
      if (equal !== undefined) {
        const note = `same as ${result.id}`;
        const of = { index: equal, reason: 'duplicate', since: survey.requests, note } as const;
        this.#repeated.set(equal, { by: index, clearing: new Clearing(this.#vocabulary, of) });
      }
    }
  }
}

function bodyOf(survey: Survey, index: number): string | undefined {
  const { at, part } = survey.calls.results[index]!;
  const message = survey.messages[at];
  const path = message?.reading.parts[part]?.bodyPath;
  return message === undefined || path === undefined ? undefined : sliceIn(message.native, path);
}
