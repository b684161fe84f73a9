// Who may write to a session: one connection at a time, the newest that opened it.

import { fail } from '../errors.js';
import type { Holder } from './holder.js';

export class Lease {
  #holder: Holder | undefined;
  /** Takes back that the holder's end is waited for. */
  #leave: (() => void) | undefined;
  /** Those that a newer one took the session from. */
  #former: WeakSet<Holder> | undefined;

  get holder(): Holder | undefined {
    return this.#holder;
  }

  /** The newer writer holds the session. @returns the older one, who is to be told */
  take(holder: Holder): Holder | undefined {
    const old = this.#holder;
    this.#hold(holder);
    this.#former?.delete(holder);
    if (old === undefined || old === holder) return undefined;
    this.#former ??= new WeakSet();
    this.#former.add(old);
    return old;
  }

  release(holder: Holder): void {
    if (this.#holder !== holder) return;
    this.#holder = undefined;
    this.#leave?.();
    this.#leave = undefined;
  }

  /** The session under this name is gone: nobody holds it, and nobody was told to stay away from the next one. */
  clear(): void {
    if (this.#holder !== undefined) this.release(this.#holder);
    this.#former = undefined;
  }

  /** Whoever asks first holds what nobody holds. @throws SUPERSEDED while another holds it */
  check(holder: Holder): void {
    if (this.#holder === undefined) this.#hold(holder);
    else if (this.#holder !== holder) {
      fail(
        'SUPERSEDED',
        'another connection opened this session later and holds it; open it again to take it back',
      );
    }
  }

  wasTakenFrom(holder: Holder): boolean {
    return this.#former?.has(holder) === true;
  }

  /** One that is gone already holds nothing, but what it had asked for is still done. */
  #hold(holder: Holder): void {
    if (this.#holder === holder) return;
    this.#leave?.();
    this.#leave = undefined;
    this.#holder = holder;
    this.#leave = holder.onEnd(() => this.release(holder));
  }
}
