// Where each identifier of a session stands: in texts and call arguments (then it is safe), or in tool results alone,
// and in which of them last. Grows with the session, rebuilt from its messages at any time. Pure.

import { identifiersIn, leavesOf, type Occurrence } from './identifiers.js';
import type { Survey } from './survey.js';

interface Held {
  /** Index of the newest result that holds it. */
  newest: number;
  /** Results that hold it. */
  results: number;
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
  readonly #held = new Map<string, Held>();
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
        if (part.kind === 'text') this.#say(part.text ?? '');
        else if (part.kind === 'tool_call') this.#call(leavesOf(part.args).join('\n'), at, index);
      });
      while (calls.results[this.#results]?.at === at) {
        const { part } = calls.results[this.#results]!;
        this.#hold(messages[at]!.reading.parts[part]?.text ?? '', this.#results);
        this.#results += 1;
      }
    }
  }

  #say(text: string): void {
    for (const run of identifiersIn(text).keys()) this.#said.add(run);
  }

  #call(text: string, at: number, part: number): void {
    for (const run of identifiersIn(text).keys()) {
      const held = this.#said.has(run) ? undefined : this.#held.get(run);
      if (held !== undefined) this.#uses.push({ run, result: held.newest, at, part });
      this.#said.add(run);
    }
  }

  #hold(text: string, result: number): void {
    for (const run of identifiersIn(text).keys()) {
      const held = this.#held.get(run);
      if (held === undefined) this.#held.set(run, { newest: result, results: 1 });
      else {
        held.newest = result;
        held.results += 1;
      }
    }
  }

  /** First uses since the last time this was asked. */
  takeUses(): FirstUse[] {
    const uses = this.#uses;
    this.#uses = [];
    return uses;
  }

  /** In how many results of the session a name stands. */
  spread(run: string): number {
    return this.#held.get(run)?.results ?? 0;
  }

  /** Names in a result's text that stand nowhere else that stays: it is the newest result to hold them. */
  needed(text: string, result: number): [string, Occurrence][] {
    return [...identifiersIn(text)].filter(
      ([run]) => !this.#said.has(run) && this.#held.get(run)?.newest === result,
    );
  }
}
