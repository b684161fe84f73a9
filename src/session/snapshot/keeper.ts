// When a session's state is written down beside its journal, and that nothing is written that is no longer so. A cache: what
// fails here costs a longer resume and nothing else.

import type { SessionKey, Store } from '../../journal/index.js';
import type { SessionState } from '../state/state.js';
import { bodyOf } from './body.js';
import { packed } from './container.js';

/** Of a session in use, in case the daemon dies under it: so many times the events that are enough at rest. */
const IN_USE = 8;

export class SnapshotKeeper {
  /** seq of the newest one, as far as this daemon knows; 0: none. */
  at = 0;
  /** Grows when the journal becomes another one: what was on its way then is not saved. */
  #journal = 0;
  #saving: Promise<void> | undefined;
  readonly #events: number;

  /** @param events as many are folded as fast as a snapshot of them would be read; Infinity: none is taken */
  constructor(events: number) {
    this.#events = events;
  }

  /** Of a session that leaves memory. A share of what it stands on, so that all snapshots together cost its length some ten times. */
  dueAtRest({ seq }: SessionState): boolean {
    return seq - this.at >= Math.max(this.#events, this.at >> 4);
  }

  dueInUse({ seq }: SessionState): boolean {
    return seq - this.at >= Math.max(this.#events * IN_USE, this.at >> 2);
  }

  get busy(): boolean {
    return this.#saving !== undefined;
  }

  /**
   * Call where the store has all that the state holds, and the state nothing but that. Reads the state at once; the rest is done
   * beside. Never rejects.
   */
  save(store: Store, key: SessionKey, state: SessionState): Promise<void> {
    const { seq, hash } = state;
    const journal = this.#journal;
    this.at = seq;
    const write = async () => {
      const bytes = await packed(bodyOf(state));
      if (journal === this.#journal) store.saveSnapshot(key, seq, hash, bytes);
    };
    this.#saving = write()
      // The store may be red, or the state too large for one buffer.
      .catch(() => {})
      .finally(() => {
        this.#saving = undefined;
      });
    return this.#saving;
  }

  /** The journal is erased or becomes another one: call it before that begins. */
  void(): void {
    this.#journal += 1;
    this.at = 0;
  }

  settled(): Promise<void> {
    return this.#saving ?? Promise.resolve();
  }
}
