// Events for one reader, in order and once each: by callback or by `for await`.

import { Latest } from '../latest.js';
import type { EventHead } from '../protocol/index.js';
import { ClientError } from './errors.js';

/** A notification of the daemon: `type` is the event's name, the rest is its params. */
export type CuratedEvent = EventHead & { type: string };

/** How many events a slow `for await` reader may be behind. */
const MAX_BACKLOG = 10_000;
/** Of how many sessions a reader of all remembers the seq, so that a month of watching takes no more memory than a day. */
const MAX_SESSIONS = 10_000;

export class EventStream implements AsyncIterableIterator<CuratedEvent> {
  readonly #backlog: CuratedEvent[] = [];
  readonly #waiting: {
    resolve: (r: IteratorResult<CuratedEvent>) => void;
    reject: (e: unknown) => void;
  }[] = [];
  #end: { error?: Error } | undefined;
  /** The daemon has not said yet where the subscription begins; with a seq to begin at, its history is being told. */
  #begun = false;
  readonly #fromSeq: number | undefined;
  #most = Number.POSITIVE_INFINITY;
  /** Last seq seen, by session; a resumed subscription may tell an event twice. */
  readonly #seen = new Latest<string, number>(MAX_SESSIONS);
  /** The session it tells of, or "*". */
  readonly session: string;
  readonly #onEnd: (stream: EventStream) => void;

  /** Passes on the events of `session`, or of all with "*": from `fromSeq`, or from where `began` says. */
  constructor(session: string, onEnd: (stream: EventStream) => void = () => {}, fromSeq?: number) {
    this.session = session;
    this.#onEnd = onEnd;
    this.#fromSeq = session === '*' ? undefined : fromSeq;
    if (this.#fromSeq !== undefined) this.#seen.set(session, Math.max(0, this.#fromSeq - 1));
  }

  /** The daemon has answered: all up to `seq` was told, or is not to be. A history may be longer than a reader may be behind. */
  began(seq: number): void {
    this.#begun = true;
    if (this.session !== '*' && this.#fromSeq === undefined) {
      // Told for another reader of the same connection.
      const ours = this.#backlog.filter((e) => typeof e.seq !== 'number' || e.seq > seq);
      this.#backlog.splice(0, Number.POSITIVE_INFINITY, ...ours);
      this.#seen.set(this.session, Math.max(seq, this.lastSeq ?? 0));
    }
    this.#most = this.#backlog.length + MAX_BACKLOG;
  }

  /** The journal ends before what was seen: what comes behind `seq` is new. */
  cutTo(seq: number): void {
    this.#seen.set(this.session, seq);
  }

  /** Of the session that it tells of, the last event seen or passed over; undefined where that is not known. */
  get lastSeq(): number | undefined {
    return this.#seen.get(this.session);
  }

  push(event: CuratedEvent): void {
    if (this.session !== '*' && event.session !== this.session) return;
    if (this.#end !== undefined || !this.#isNew(event)) return;
    const reader = this.#waiting.shift();
    if (reader !== undefined) reader.resolve({ value: event, done: false });
    else if (this.#backlog.length < this.#most) this.#backlog.push(event);
    else this.end(new ClientError('OVERRUN', `more than ${MAX_BACKLOG} events were not read`));
  }

  /** No more events; what was not read yet can still be read. */
  end(error?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    for (const { resolve, reject } of this.#waiting.splice(0))
      if (error === undefined) resolve({ value: undefined, done: true });
      else reject(error);
    this.#onEnd(this);
  }

  next(): Promise<IteratorResult<CuratedEvent>> {
    const event = this.#backlog.shift();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.#end?.error !== undefined) return Promise.reject(this.#end.error);
    if (this.#end !== undefined) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<CuratedEvent>> {
    this.#backlog.length = 0;
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #isNew(event: CuratedEvent): boolean {
    // From here on the seqs behind it are told anew.
    if (event.type === 'session.rewound') this.#seen.set(event.session, Number(event['to_seq']));
    if (typeof event.seq !== 'number') return true;
    const seen = this.#seen.get(event.session) ?? 0;
    // For another reader of the connection, ahead of the history, which will tell it again.
    if (!this.#begun && this.#fromSeq !== undefined && event.seq > seen + 1) return false;
    this.#seen.set(event.session, Math.max(seen, event.seq));
    return event.seq > seen;
  }
}
