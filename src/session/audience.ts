// Who hears a session's events, and the events that wait until they are as safe as their call asked for.

import type { Committed } from './commit.js';
import type { SessionEvent } from './state/events.js';
import { type ProjectedEvent, project, type Signal } from './state/project.js';

export type Subscriber = (session: string, event: ProjectedEvent | Signal) => void;

export class Audience {
  readonly #session: string;
  /** Hears the events of every session of the tenant, while `watched` says that somebody listens. */
  readonly #global: Subscriber;
  readonly #watched: () => boolean;
  /** Most sessions have none. */
  #subscribers: Set<Subscriber> | undefined;
  /** Without their records, whose texts nobody needs any more once the store has them. */
  #waiting: SessionEvent[] = [];

  constructor(session: string, global: Subscriber, watched: () => boolean) {
    this.#session = session;
    this.#global = global;
    this.#watched = watched;
  }

  /** Nobody has subscribed to the session itself. */
  get isEmpty(): boolean {
    return this.#subscribers === undefined;
  }

  /** All was told. */
  get isQuiet(): boolean {
    return this.#waiting.length === 0;
  }

  add(subscriber: Subscriber): void {
    this.#subscribers ??= new Set();
    this.#subscribers.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers?.delete(subscriber);
    if (this.#subscribers?.size === 0) this.#subscribers = undefined;
  }

  removeAll(): void {
    this.#subscribers = undefined;
  }

  /** Events that are to be told once they are safe, in their order. */
  expect(committed: readonly Committed[]): void {
    for (const { event } of committed) this.#waiting.push(event);
  }

  /** They were lost: nobody hears of them. */
  forgetExpected(): void {
    this.#waiting = [];
  }

  /** Tells the events up to `seq`. */
  deliver(upTo: number): void {
    let n = 0;
    while (n < this.#waiting.length && this.#waiting[n]!.seq <= upTo) n += 1;
    if (n === 0) return;
    const gone = this.#waiting.splice(0, n);
    if (this.#subscribers === undefined && !this.#watched()) return;
    for (const event of gone) this.tell(project(event));
  }

  tell(event: ProjectedEvent | Signal): void {
    this.#global(this.#session, event);
    if (this.#subscribers !== undefined) for (const s of this.#subscribers) s(this.#session, event);
  }
}
