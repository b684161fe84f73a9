// Where the stored history holds thinking: what a model that binds it to its prefix (PV-A25) has an edit measured
// against. Positions only; kept as messages come and leave, so that asking costs what is new.

import { pointer } from '../../json/index.js';
import { isGenuineUser } from '../../providers/groups.js';
import type { Reading } from '../../providers/types.js';
import { headCount } from '../../sorted.js';
import type { Ledger } from '../state/ledger.js';

/** Stored messages, as far as they are asked about. */
type Messages = readonly { readonly reading: Reading }[];

export class Thoughts {
  /** Messages with thinking, ascending. */
  readonly #at: number[] = [];
  /** Messages of the user's own, ascending: the running loop begins behind the newest. */
  readonly #asked: number[] = [];
  /** The newest thinking that still goes out, as of `revision` of the ledger and the first `read` of `#at`. */
  #newest = { at: -1, revision: -1, read: 0 };

  static of(messages: Messages): Thoughts {
    const thoughts = new Thoughts();
    messages.forEach((m, at) => {
      thoughts.add(at, m.reading);
    });
    return thoughts;
  }

  add(at: number, reading: Reading): void {
    if (reading.parts.some((p) => p.kind === 'thinking')) this.#at.push(at);
    else if (isGenuineUser(reading) && !reading.parts.some((p) => p.kind === 'tool_result'))
      this.#asked.push(at);
  }

  /** Messages at or behind `index` have left. */
  truncate(index: number): void {
    for (const list of [this.#at, this.#asked]) while (list.length > 0 && list.at(-1)! >= index) list.pop();
    this.#newest = { at: -1, revision: -1, read: 0 };
  }

  /** Does the stored history hold any? */
  get any(): boolean {
    return this.#at.length > 0;
  }

  /** The first message with thinking; Infinity where none has. */
  get first(): number {
    return this.#at[0] ?? Number.POSITIVE_INFINITY;
  }

  /** The newest message with thinking before `index`, whether it goes out or not; -1 where there is none. */
  newestBelow(index: number): number {
    return this.#at[headCount(this.#at.length, (i) => this.#at[i]! < index) - 1] ?? -1;
  }

  /** First message of the running loop. */
  get loopFrom(): number {
    return (this.#asked.at(-1) ?? -1) + 1;
  }

  /** The newest message whose thinking goes out; -1 where none does. What no edit has touched since it was asked costs what is new. */
  newest(ledger: Ledger, messages: Messages): number {
    const known = this.#newest;
    const from = known.revision === ledger.revision ? known.read : 0;
    let at = from === 0 ? -1 : known.at;
    for (let i = this.#at.length - 1; i >= from; i -= 1) {
      if (!stands(ledger, messages, this.#at[i]!)) continue;
      at = this.#at[i]!;
      break;
    }
    this.#newest = { at, revision: ledger.revision, read: this.#at.length };
    return at;
  }

  /** Messages from `first` on whose thinking goes out, newest first. */
  *standing(ledger: Ledger, messages: Messages, first: number): Generator<number> {
    for (let i = this.#at.length - 1; i >= 0 && this.#at[i]! >= first; i -= 1)
      if (stands(ledger, messages, this.#at[i]!)) yield this.#at[i]!;
  }
}

function stands(ledger: Ledger, messages: Messages, at: number): boolean {
  if (ledger.isDropped(at)) return false;
  const parts = messages[at]!.reading.parts.filter((p) => p.kind === 'thinking');
  return parts.some((p) => !ledger.names(at, pointer(p.path)));
}
