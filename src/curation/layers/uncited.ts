// The two opt-in reasons of L1-18: nothing of a result was taken up by any later message for `age_turns` turns
// (no_citation), or a later assistant message restates it (synthesis_detected). Judged by the words that tell a body
// apart; both are off by default.

import { CLEAR_ID, Clearing, type ClearReason, isClearable } from '../clearing.js';
import { identifiersIn, leavesOf } from '../identifiers.js';
import { type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import type { Survey } from '../survey.js';
import type { Vocabulary } from '../vocabulary.js';

/** Words of a body that are followed. */
const FOLLOWED = 200;
/** A restatement names so many of them, and that share. */
const RESTATED_LEAST = 5;
const RESTATED_SHARE = 0.5;
const LONG_WORD = /[\p{L}]{7,}/gu;

interface Watched {
  words: number;
  cited: boolean;
  restated: boolean;
  /** Since there was a reason. */
  clearing?: Clearing;
}

export class Uncited implements Layer {
  readonly name = 'tool_result_clear';
  readonly id = CLEAR_ID;
  readonly invalidatesUnknown = false;
  readonly #vocabulary: Vocabulary;
  #watched = new Map<number, Watched>();
  #holders = new Map<string, number[]>();
  #messages = 0;
  #results = 0;
  #history = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  plan(survey: Survey): LayerPlan {
    const settings = survey.settings.plugins.toolResultClear;
    if (!settings.enabled || settings.extraReasons.length === 0) return NOTHING;
    this.#sync(survey);
    if (!survey.looksBack) return NOTHING;
    const candidates: Candidate[] = [];
    for (const [index, watched] of this.#watched) {
      const reason = this.#reason(survey, index, watched);
      if (reason === undefined) continue;
      if (watched.clearing?.reason !== reason) {
        const since = watched.clearing?.since ?? survey.requests;
        watched.clearing = new Clearing(this.#vocabulary, { index, reason, since });
      }
      const offer = watched.clearing.offer(survey);
      if (offer === 'never') this.#watched.delete(index);
      else if (offer !== undefined) candidates.push(offer);
    }
    return { candidates };
  }

  #reason(survey: Survey, index: number, watched: Watched): ClearReason | undefined {
    const { extraReasons, ageTurns } = survey.settings.plugins.toolResultClear;
    if (watched.restated && extraReasons.includes('synthesis_detected')) return 'synthesis_detected';
    const age = survey.turn - survey.calls.results[index]!.turn;
    const uncited = !watched.cited && age >= Math.max(1, ageTurns);
    return uncited && extraReasons.includes('no_citation') ? 'no_citation' : undefined;
  }

  /** O(new). */
  #sync(survey: Survey): void {
    if (this.#history !== survey.calls.generation) {
      this.#history = survey.calls.generation;
      this.#watched = new Map();
      this.#holders = new Map();
      this.#messages = 0;
      this.#results = 0;
    }
    const { messages, calls } = survey;
    for (; this.#messages < messages.length; this.#messages += 1) {
      const at = this.#messages;
      const { role, parts } = messages[at]!.reading;
      for (const part of parts) {
        if (part.kind === 'text') this.#cite(part.text ?? '', role === 'assistant');
        else if (part.kind === 'tool_call') this.#cite(leavesOf(part.args).join('\n'), false);
      }
      for (; calls.results[this.#results]?.at === at; this.#results += 1) {
        const result = calls.results[this.#results]!;
        if (isClearable(survey, result)) this.#watch(parts[result.part]?.text ?? '', this.#results);
      }
    }
  }

  #watch(text: string, index: number): void {
    const words = telling(text).slice(0, FOLLOWED);
    // A body without a telling word can neither be cited nor restated as far as we can see.
    if (words.length === 0) return;
    this.#watched.set(index, { words: words.length, cited: false, restated: false });
    for (const word of words) {
      const holders = this.#holders.get(word);
      if (holders === undefined) this.#holders.set(word, [index]);
      else holders.push(index);
    }
  }

  #cite(text: string, byAssistant: boolean): void {
    const named = new Map<number, number>();
    for (const word of telling(text)) {
      for (const index of this.#holders.get(word) ?? []) named.set(index, (named.get(index) ?? 0) + 1);
    }
    for (const [index, count] of named) {
      const watched = this.#watched.get(index);
      if (watched === undefined) continue;
      watched.cited = true;
      const share = Math.max(RESTATED_LEAST, RESTATED_SHARE * watched.words);
      if (byAssistant && count >= share) watched.restated = true;
    }
  }
}

/** Words that tell a text apart from others: identifiers and long words, each once. */
function telling(text: string): string[] {
  const words = new Set(identifiersIn(text).keys());
  for (const match of text.slice(0, 100_000).matchAll(LONG_WORD)) words.add(match[0].toLowerCase());
  return [...words];
}
