// The topics of a session in memory: the tracker that follows the stored history, and the inputs whose vectors are awaited.
// Derived from the state; after a restart it follows the journalled boundaries and decides nothing again.

import { Tracker } from '../../topics/tracker.js';
import type { SessionState } from '../state/state.js';
import { ClosedIndex } from './closed-index.js';
import { shiftAt } from './state.js';

/** An input whose vector is wanted. */
export interface WantedVector {
  text: string;
  message: number;
  turn: number;
  /** A phrase has decided: the vector only begins the new topic's mean (L3-9). */
  decided: boolean;
}

export interface Embedder {
  model: string;
  /** Of its vectors; undefined where it alone knows: the first that comes tells. */
  dimensions?: number;
  /** Absent: the client. */
  over?: 'http' | 'local';
}

export class SessionTopics {
  tracker = new Tracker();
  /** What the holder of the session offers, or the daemon's server; undefined: no vectors. */
  embedder: Embedder | undefined;
  readonly closed = new ClosedIndex();
  #at = 0;
  /** seq of the last message followed: another one in its place means that the history was cut. */
  #seq = 0;
  /** The open input's message and turn. */
  #input: { message: number; turn: number } | undefined;
  #wanted: WantedVector[] = [];
  #chain: Promise<void> = Promise.resolve();
  #works = 0;

  /** The state was read anew: what follows from it is made again. Vectors on their way still arrive. */
  restart(): void {
    this.tracker = new Tracker();
    this.#at = 0;
    this.#input = undefined;
    this.#wanted = [];
  }

  get input(): { message: number; turn: number } | undefined {
    return this.#input;
  }

  /** Follows the stored messages up to `end`. O(new messages). */
  follow(state: SessionState, end = state.messages.length): void {
    if (this.#at > end || (this.#at > 0 && state.messages[this.#at - 1]!.seq !== this.#seq)) this.restart();
    for (; this.#at < end; this.#at += 1) {
      const { reading, turn, seq, hint } = state.messages[this.#at]!;
      this.#seq = seq;
      if (reading.ownText === '' || hint?.preload === true) continue;
      if (reading.role === 'user') {
        this.close(state);
        this.tracker.read(reading.ownText, turn, this.#at);
        this.#input = { message: this.#at, turn };
      } else if (reading.role === 'assistant' && this.tracker.open) this.tracker.answer(reading.ownText);
    }
    if (this.#input !== undefined && this.#input.turn < state.turn) this.close(state);
  }

  /** The open exchange becomes part of its topic, as the journal says. */
  close(state: SessionState): void {
    const input = this.#input;
    if (input === undefined) return;
    const shift = shiftAt(state.topic, input.message);
    const { past } = this.tracker;
    const back =
      shift?.returnedTo === undefined ? undefined : past.findLast((p) => p.start === shift.returnedTo);
    this.tracker.fold(shift !== undefined, back);
    this.#input = undefined;
  }

  want(wanted: WantedVector): void {
    this.#wanted.push(wanted);
  }

  /** Inputs since the last call whose vectors are wanted. */
  takeWanted(): WantedVector[] {
    const taken = this.#wanted;
    this.#wanted = [];
    return taken;
  }

  /** Work on vectors runs in the order of the inputs, whatever order the answers come in. */
  inOrder(work: () => Promise<void>): void {
    this.#works += 1;
    const done = () => {
      this.#works -= 1;
    };
    this.#chain = this.#chain.then(work, work);
    this.#chain.then(done, done);
  }

  /** Vectors are on their way. */
  get awaits(): boolean {
    return this.#works > 0 || this.#wanted.length > 0;
  }

  /** Resolves when no vector is awaited any more; each is within its deadline. */
  settled(): Promise<void> {
    return this.#chain.catch(() => {});
  }
}
