// Results that a later one makes stale (curated.supersede): the whole place read again or written over, or the same
// command run again. A partial read or the receipt of an edit outdates nothing. Whatever their age: stale is stale.

import { callMeaning } from '../call-meaning.js';
import { CLEAR_ID, Clearing, isClearable } from '../clearing.js';
import { type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import { callIdentity } from '../repeats.js';
import type { Survey } from '../survey.js';
import { looksFailed } from '../tool-semantics.js';
import type { Vocabulary } from '../vocabulary.js';

interface Stale {
  /** The result that outdates it. */
  by: number;
  clearing: Clearing;
}

export class Superseded implements Layer {
  readonly name = 'tool_result_clear';
  readonly id = CLEAR_ID;
  readonly invalidatesUnknown = false;
  readonly #vocabulary: Vocabulary;
  /** Reads of each place that nothing has outdated. */
  #reads = new Map<string, number[]>();
  #runs = new Map<string, number>();
  #stale = new Map<number, Stale>();
  #seen = 0;
  #history = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  plan(survey: Survey): LayerPlan {
    if (!survey.settings.plugins.toolResultClear.enabled || !survey.settings.curated.supersede) {
      return NOTHING;
    }
    this.#sync(survey);
    if (!survey.looksBack) return NOTHING;
    const candidates: Candidate[] = [];
    for (const [index, { by, clearing }] of this.#stale) {
      const later = survey.calls.results[by]!;
      if (later.cleared !== undefined || survey.isDropped(later.at)) continue;
      const offer = clearing.offer(survey);
      if (offer === 'never') this.#stale.delete(index);
      else if (offer !== undefined) candidates.push(offer);
    }
    return { candidates };
  }

  /** O(new). */
  #sync(survey: Survey): void {
    if (this.#history !== survey.calls.generation) {
      this.#history = survey.calls.generation;
      this.#reads = new Map();
      this.#runs = new Map();
      this.#stale = new Map();
      this.#seen = 0;
    }
    const { results } = survey.calls;
    for (; this.#seen < results.length; this.#seen += 1) this.#take(survey, this.#seen);
  }

  #take(survey: Survey, index: number): void {
    const result = survey.calls.results[index]!;
    const call = result.call === undefined ? undefined : survey.calls.calls[result.call];
    if (call === undefined || result.error || result.id === '') return;
    if (looksFailed(survey.messages[result.at]!.reading.parts[result.part]?.text ?? '')) return;
    const meaning = callMeaning(call);
    if (meaning.kind === 'read' || meaning.kind === 'command') this.#again(survey, index, callIdentity(call));
    if (meaning.path === undefined) return;
    const reads = this.#reads.get(meaning.path) ?? [];
    if (meaning.kind === 'write' || (meaning.kind === 'read' && meaning.full === true)) {
      for (const earlier of reads) this.#outdate(survey, earlier, index);
      reads.length = 0;
    }
    if (meaning.kind === 'read') reads.push(index);
    this.#reads.set(meaning.path, reads);
  }

  /** The same call as before: what it said then is old. */
  #again(survey: Survey, index: number, identity: string): void {
    const before = this.#runs.get(identity);
    this.#runs.set(identity, index);
    if (before === undefined || survey.calls.results[before]!.at === survey.calls.results[index]!.at) return;
    this.#outdate(survey, before, index);
  }

  #outdate(survey: Survey, index: number, by: number): void {
    const result = survey.calls.results[index]!;
    const exempt = survey.settings.plugins.toolResultClear.subsequentCallExempt.includes(result.tool);
    if (exempt || !isClearable(survey, result) || this.#stale.has(index)) return;
    const since = survey.requests;
    const clearing = new Clearing(this.#vocabulary, {
      index,
      reason: 'superseded',
      since,
      note: 'superseded',
    });
    this.#stale.set(index, { by, clearing });
  }
}
