// A session as the agent holds it: its calls without repeating the id, its events, and how it is taken up again.
import { CuratedError } from '../errors.js';
import { sliceValue } from '../json/index.js';
import type { Native } from '../json/native.js';
import type { WireParams, WireResult } from '../protocol/index.js';
import type { Caller, CallOptions, SessionMethod, SessionParams } from './caller.js';
import type { Connection } from './connection.js';
import { DurableState } from './durable.js';
import type { CuratedEvent, EventStream } from './event-stream.js';
import { HeldRequest } from './held-request.js';
import { subscribeFrom } from './subscribe-from.js';

export type Prepared = WireResult<'llm.prepare'> & {
  /** Exact JSON text of `request`: what to send when spelling matters. Absent with `return: "patch"`. */
  readonly requestText?: string;
};

/** With the whole request, which every answer but that to `return: "patch"` has. */
export type PreparedRequest = Prepared & { readonly requestText: string };

type Listener = (event: CuratedEvent) => void;

export class Session {
  readonly id: string;
  /** What `session.open` answered, at the last opening. */
  opened: WireResult<'session.open'>;
  readonly durable = new DurableState(this);
  /** Resolves when the listeners of `on` get their events; rejects if the daemon refused them. */
  subscribed: Promise<void> = Promise.resolve();
  readonly #client: Caller;
  #params: WireParams<'session.open'>;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** Highest seq that an answer has told: what the daemon has promised to keep. */
  #seq: number;
  /** Seq of the last event seen. */
  #lastEvent: number;
  #watched = false;
  /** The request of the newest answer: the next one comes as what differs from it. */
  #held: HeldRequest | undefined;
  #fault: Error | undefined;

  constructor(client: Caller, params: WireParams<'session.open'>, opened: WireResult<'session.open'>) {
    this.#client = client;
    this.#params = params;
    this.id = opened.session;
    this.opened = opened;
    this.#seq = opened.seq;
    this.#lastEvent = opened.seq;
  }

  /** Highest sequence number known to be acknowledged. */
  get seq(): number {
    return this.#seq;
  }

  /** Why the session cannot be used any more: superseded, or not resumable. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Any method that takes a session. */
  async call<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options?: CallOptions,
  ): Promise<WireResult<M>> {
    return (await this.#raw(method, params, options)).value as WireResult<M>;
  }

  /**
   * Stores what happened, in the session's own format (tool results included); 100 messages at most. The answer gives each one's id and
   * tokens. Throws CuratedError INVALID_MESSAGES with the place of the first that no repair makes valid, PAIRING, SUPERSEDED, STORAGE_FULL:
   * nothing of the call is stored then. `key`: an idempotency key of your own.
   */
  append(
    messages: unknown[],
    o: { key?: string; parent_call_id?: string; preload?: unknown[]; input?: string } & CallOptions = {},
  ): Promise<WireResult<'session.append'>> {
    const { timeoutMs: _, signal: __, ...rest } = o;
    return this.call('session.append', { messages, ...rest }, o);
  }

  /**
   * The request to send to the model, as a value and as exact text. Throws CuratedError INVALID_MESSAGES or PAIRING where what is stored
   * cannot be made valid (`pending` names the calls whose results are still to come), CONTEXT_IRREDUCIBLE where it cannot be made to fit. What an earlier answer of this session holds does not
   * travel again, unless the form is asked for (`return`), the call has a key of its own or is of an exempt kind.
   */
  prepare(
    params?: SessionParams<'llm.prepare'> & { return?: 'full' | undefined },
    options?: CallOptions,
  ): Promise<PreparedRequest>;
  prepare(params: SessionParams<'llm.prepare'>, options?: CallOptions): Promise<Prepared>;
  async prepare(params: SessionParams<'llm.prepare'> = {}, options?: CallOptions): Promise<Prepared> {
    const { return: form, base, key, task_kind = 'main' } = params;
    const held = this.#held;
    const asIs = form !== undefined || base !== undefined || key !== undefined || task_kind !== 'main';
    if (asIs || held === undefined) {
      const result = await this.#raw('llm.prepare', params, options);
      return task_kind === 'main' ? this.#hold(result) : prepared(result);
    }
    const difference = { ...params, return: 'patch', base: held.hash } as const;
    const result = await this.#raw('llm.prepare', difference, options);
    const { patch, ...value } = result.value as Prepared;
    if (patch === undefined) return this.#hold(result);
    const now = this.#held;
    if (now !== undefined && patch.base === now.hash) {
      this.#held = now.next(value.hash, sliceValue(result.text, ['patch', 'ops'])!);
      return withRequest(value, this.#held);
    }
    // Another answer came in between: what this one differs from is gone.
    const { append: _, messages: __, ...rest } = params;
    const whole = this.#hold(await this.#raw('llm.prepare', { ...rest, return: 'full' }, options));
    return withRequest({ ...whole, curated: [...value.curated, ...whole.curated] }, this.#held!);
  }

  /** Tells what the provider refused; the answer is a request that fits, once an error. */
  async error(params: SessionParams<'llm.error'>, options?: CallOptions): Promise<PreparedRequest> {
    return this.#hold(await this.#raw('llm.error', params, options)) as PreparedRequest;
  }

  /** Takes the whole request of an answer as what the next one differs from. */
  #hold(result: Native): Prepared {
    const text = sliceValue(result.text, ['request']);
    if (text === undefined) return result.value as Prepared;
    this.#held = HeldRequest.of((result.value as Prepared).hash, text);
    return prepared(result);
  }

  /**
   * Ends a turn, or with `final: false` a model round whose results are stored. `usage` is the provider's own object, by which estimates and
   * prices are kept right. The answer, with the events decided at this boundary, means that all of it survives a power loss.
   */
  endTurn(params: SessionParams<'turn.end'> = {}, options?: CallOptions): Promise<WireResult<'turn.end'>> {
    return this.call('turn.end', params, options);
  }

  /** Where the session stands, or stood at `at_seq`. */
  state(params: SessionParams<'session.state'> = {}): Promise<WireResult<'session.state'>> {
    return this.call('session.state', params);
  }

  /** The session's files that people can read, made again from its journal. */
  files(): Promise<WireResult<'session.files'>> {
    return this.call('session.files', {});
  }

  /** Messages as they were stored, or with `view: "curated"` as the model gets them; by pages of `limit` from `from`. */
  messages(params: SessionParams<'session.messages'> = {}): Promise<WireResult<'session.messages'>> {
    return this.call('session.messages', params);
  }

  /** A copy of the session up to `at_seq` (default: all of it) under another id. Throws CuratedError SEQ_GAP beyond its end. */
  fork(params: SessionParams<'session.fork'> = {}): Promise<WireResult<'session.fork'>> {
    return this.call('session.fork', params);
  }

  /** Goes back to a seq; listeners continue from there. */
  async rewind(to_seq: number): Promise<WireResult<'session.rewind'>> {
    const r = await this.call('session.rewind', { to_seq });
    this.#seq = r.seq;
    this.#lastEvent = r.seq;
    return r;
  }

  /** Which decision took a text out of the request, whose it was, why, and at what price. */
  bisect(text: string): Promise<WireResult<'journal.bisect'>> {
    return this.call('journal.bisect', { text });
  }

  /** A request before and after curation: the newest, the last one of a turn, or the one at a seq. */
  diff(params: SessionParams<'journal.diff'> = {}): Promise<WireResult<'journal.diff'>> {
    return this.call('journal.diff', params);
  }

  /** Takes one decision back: its original stands in the request again from the next turn boundary. */
  undo(seq: number): Promise<WireResult<'session.undo'>> {
    return this.call('session.undo', { seq });
  }

  /** Asks for a compaction; it ends in an event `memory.compacted` or `memory.compaction.failed`. */
  compact(reason?: string): Promise<WireResult<'memory.compact'>> {
    return this.call('memory.compact', reason === undefined ? {} : { reason });
  }

  /** Shows the model the pruned tools of a class from the next request on. Throws CuratedError UNSUPPORTED with the classes there are. */
  discoverTools(params: SessionParams<'tools.discover'>): Promise<WireResult<'tools.discover'>> {
    return this.call('tools.discover', params);
  }

  /** Answers a request for approval (`hitl.requested`); `accepted` is false for one that nobody waits for. */
  respondApproval(request: string, decision: string): Promise<WireResult<'approval.respond'>> {
    return this.call('approval.respond', { request, decision });
  }

  /** Finds what was cleared in this session. */
  recall(query: string, o: { topic?: string; k?: number } = {}): Promise<WireResult<'recall.search'>> {
    return this.#client.call('recall.search', { session: this.id, query, ...o });
  }

  /**
   * The bytes behind a handle: `text`, or `parts` of a block list. `range` in bytes, `grep` (lines that hold a text), `max_tokens` limit them.
   * Throws CuratedError UNKNOWN_HANDLE.
   */
  recallGet(
    handle: string,
    o: Omit<WireParams<'recall.get'>, 'handle'> = {},
  ): Promise<WireResult<'recall.get'>> {
    return this.#client.call('recall.get', { handle, ...o });
  }

  /** Calls `listener` for events of a type, or of all with "*", from now on. Gives the way to stop it. */
  on(type: string, listener: Listener): () => void {
    const set = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, set.add(listener));
    if (!this.#watched) {
      // What was answered already is no news; the subscription says to the event where it begins.
      this.watch(this.#seq);
      const subscribing = this.#client.call('session.subscribe', { session: this.id });
      this.subscribed = subscribing.then(({ seq }) => this.watch(seq));
      this.subscribed.catch(() => {
        this.#watched = false;
      });
    }
    return () => {
      if (set.delete(listener) && !this.listens)
        void this.subscribed.then(
          () => this.#client.unread(this.id),
          () => {},
        );
    };
  }

  /** Has anybody asked for events with `on`? */
  get listens(): boolean {
    for (const set of this.#listeners.values()) if (set.size > 0) return true;
    return false;
  }

  /** The client has ended its subscription for this session. */
  unwatch(): void {
    this.#watched = false;
  }

  /** Events to read with `for await`; `fromSeq` 1 = all there were. */
  events(fromSeq?: number): Promise<EventStream> {
    return this.#client.events(this.id, fromSeq);
  }

  /** Releases the session; it stays on disk. */
  async close(): Promise<WireResult<'session.close'>> {
    const r = await this.call('session.close', {});
    this.#client.release(this.id);
    return r;
  }

  /** Erases the session for good. */
  async forget(): Promise<WireResult<'session.forget'>> {
    const r = await this.call('session.forget', {});
    this.#client.release(this.id);
    return r;
  }

  /** The client has a subscription for this session, which a reconnect must renew: of what comes behind `seq`. */
  watch(seq: number): void {
    this.#watched = true;
    this.#lastEvent = Math.max(this.#lastEvent, seq);
  }

  /** The client has opened it once more. */
  reopened(params: WireParams<'session.open'>, opened: WireResult<'session.open'>): void {
    this.#params = params;
    this.opened = opened;
    this.#seq = Math.max(this.#seq, opened.seq);
  }

  /** An event of this session came in. */
  receive(event: CuratedEvent): void {
    if (event.type === 'session.superseded' && event.seq === undefined) {
      this.#fault = new CuratedError('SUPERSEDED');
      this.#client.release(this.id);
    } else if (event.type === 'session.rewound') {
      this.#seq = Number(event['to_seq']);
      this.#lastEvent = this.#seq;
    } else if (event.seq <= this.#lastEvent) return;
    else this.#lastEvent = event.seq;
    for (const type of [event.type, '*'])
      for (const listener of [...(this.#listeners.get(type) ?? [])]) told(listener, event);
  }

  /** The client will not come back. */
  end(): void {
    this.#listeners.clear();
  }

  /**
   * On a new connection: takes the lease again and renews the subscription. A gap ends the session, not the client.
   * @returns where the journal ends, if that is before the last event seen: of a call that nobody acknowledged
   */
  async resume(connection: Connection): Promise<number | undefined> {
    try {
      const params = { ...this.#params, session: this.id, last_seq: this.#seq };
      this.opened = (await connection.call('session.open', params)).value as WireResult<'session.open'>;
      this.#seq = Math.max(this.#seq, this.opened.seq);
      if (!this.#watched) return undefined;
      const end = await subscribeFrom(connection, this.id, this.#lastEvent);
      if (end !== undefined) this.#lastEvent = end;
      return end;
    } catch (e) {
      if (!(e instanceof CuratedError) || e.retryable) throw e;
      this.#fault = e;
      this.#client.release(this.id);
      return undefined;
    }
  }

  async #raw<M extends SessionMethod>(
    method: M,
    params: SessionParams<M>,
    options?: CallOptions,
  ): Promise<Native> {
    if (this.#fault !== undefined) throw this.#fault;
    const all = { session: this.id, ...params } as unknown as WireParams<M>;
    const result = await this.#client.callRaw(method, all, options);
    const { seq } = result.value as { seq?: unknown };
    if (typeof seq === 'number' && method !== 'session.fork' && seq > this.#seq) this.#seq = seq;
    return result;
  }
}

/** A listener that throws is its author's fault to see (an uncaught exception), and none of the connection's. */
function told(listener: Listener, event: CuratedEvent): void {
  try {
    listener(event);
  } catch (e) {
    process.nextTick(() => {
      throw e;
    });
  }
}

function prepared(result: Native): Prepared {
  const value = result.value as Prepared;
  const requestText = sliceValue(result.text, ['request']);
  return requestText === undefined ? value : { ...value, requestText };
}

/** An answer whose request is put together when somebody looks at it. */
function withRequest(value: Omit<Prepared, 'patch'>, held: HeldRequest): Prepared {
  let request: unknown;
  return Object.defineProperties({ ...value } as Prepared, {
    request: {
      enumerable: true,
      get: () => {
        request ??= JSON.parse(held.text);
        return request;
      },
    },
    requestText: { enumerable: true, get: () => held.text },
  });
}
