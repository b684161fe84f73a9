// What the provider's own clearing should do to the next request (PV-N1, PV-N5): the prediction that its report is held
// against. An index over the calls; costs what came new. Pure.

import type { NativeKnobs } from '../providers/native/fields.js';
import type { CallIndex } from './calls.js';

export interface Forecast {
  cleared_tool_uses: number;
  cleared_input_tokens: number;
}

export class NativeForecast {
  readonly #knobs: NativeKnobs;
  readonly #excluded: ReadonlySet<string>;
  /** Tokens of the newest results that are kept, oldest first. */
  #kept: number[] = [];
  #uses = 0;
  #tokens = 0;
  #seen = 0;
  #generation = 0;

  constructor(knobs: NativeKnobs) {
    this.#knobs = knobs;
    this.#excluded = new Set(knobs.excludeTools);
  }

  /** @param tokens of the request before the provider edits it */
  of(calls: CallIndex, tokens: number): Forecast {
    this.#sync(calls);
    const least = this.#knobs.clearAtLeast ?? 0;
    const acts = tokens >= this.#knobs.trigger && this.#uses > 0 && this.#tokens >= least;
    return {
      cleared_tool_uses: acts ? this.#uses : 0,
      cleared_input_tokens: acts ? this.#tokens : 0,
    };
  }

  #sync(calls: CallIndex): void {
    if (this.#generation !== calls.generation) {
      this.#generation = calls.generation;
      this.#kept = [];
      this.#uses = 0;
      this.#tokens = 0;
      this.#seen = 0;
    }
    for (; this.#seen < calls.results.length; this.#seen += 1) {
      const result = calls.results[this.#seen]!;
      if (this.#excluded.has(result.tool)) continue;
      this.#kept.push(result.tokens);
      if (this.#kept.length <= this.#knobs.keepToolUses) continue;
      this.#uses += 1;
      this.#tokens += this.#kept.shift()!;
    }
  }
}
