// Where each identifier of a session stands: in texts and call arguments (then it is safe), or in tool results alone,
// and in which of them last. Grows with the session, rebuilt from its messages at any time. Pure.

import type { Part } from '../providers/types.js';
import { eachNameIn } from './identifiers.js';
import type { Survey } from './survey.js';

/** Index of the newest result that holds a name, and how many do, in one number: there are many names. */
const SPREADS = 1024;

function newestOf(held: number): number {
  return Math.floor(held / SPREADS);
}

/** A call named for the first time what until then only results held. */
export interface FirstUse {
  run: string;
  /** Index of the newest result that held it. */
  result: number;
  /** Message and part of the call. */
  at: number;
  part: number;
}

export class Vocabulary {
  /** Identifiers that texts and call arguments name: nothing that is cleared takes them away. */
  readonly #said = new Set<string>();
  readonly #held = new Map<string, number>();
  #uses: FirstUse[] = [];
  #messages = 0;
  #results = 0;
  #history = 0;

  /** Takes in what came since the last call. O(new). */
  sync(survey: Survey): void {
    const { messages, calls } = survey;
    if (this.#history !== survey.calls.generation) {
      this.#history = survey.calls.generation;
      this.#said.clear();
      this.#held.clear();
      this.#uses = [];
      this.#messages = 0;
      this.#results = 0;
    }
    for (; this.#messages < messages.length; this.#messages += 1) {
      const at = this.#messages;
      messages[at]!.reading.parts.forEach((part, index) => {
        if (part.kind === 'text') this.#say(part);
        else if (part.kind === 'tool_call') this.#call(part, at, index);
      });
      while (calls.results[this.#results]?.at === at) {
        const { part } = calls.results[this.#results]!;
        const result = messages[at]!.reading.parts[part];
        if (result !== undefined) this.#hold(result, this.#results);
        this.#results += 1;
      }
    }
  }

  #say(text: Part): void {
    eachNameIn(text, (run) => this.#said.add(run));
  }

  #call(call: Part, at: number, part: number): void {
    eachNameIn(call, (run) => {
      if (this.#said.has(run)) return;
      const held = this.#held.get(run);
      if (held !== undefined) this.#uses.push({ run, result: newestOf(held), at, part });
      this.#said.add(run);
    });
  }

  #hold(body: Part, result: number): void {
    eachNameIn(body, (run) => {
      const held = this.#held.get(run);
      // Of a name that stands in a text twice the result is the newest already.
      if (held !== undefined && newestOf(held) === result) return;
      const results = held === undefined ? 0 : held % SPREADS;
      this.#held.set(run, result * SPREADS + Math.min(SPREADS - 1, results + 1));
    });
  }

  /** First uses since the last time this was asked. */
  takeUses(): readonly FirstUse[] {
    const uses = this.#uses;
    if (uses.length > 0) this.#uses = [];
    return uses;
  }

  /** In how many results of the session a name stands. */
  spread(run: string): number {
    return (this.#held.get(run) ?? 0) % SPREADS;
  }

  /** Does a name in a result's text stand nowhere else that stays? Then it is the newest result to hold it. */
  needs(run: string, result: number): boolean {
    const held = this.#held.get(run);
    return held !== undefined && newestOf(held) === result && !this.#said.has(run);
  }
}
