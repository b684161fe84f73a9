// The client: one logical connection to the daemon that outlives its sockets.
import { randomUUID } from 'node:crypto';
import { CuratedError, fail } from '../errors.js';
import type { Native } from '../json/native.js';
import {
  type MethodName,
  PROTOCOL_VERSION,
  type Subprotocol,
  type WireParams,
  type WireResult,
  type WireServerParams,
} from '../protocol/index.js';
import type { Caller, CallOptions } from './caller.js';
import { Connection, connectionLost, type Waiter } from './connection.js';
import { ClientError } from './errors.js';
import { type CuratedEvent, EventStream } from './event-stream.js';
import { type LocateOptions, locate } from './locate.js';
import { placed } from './project-place.js';
import { type Backoff, backoffMs, isRepeatable, withKey } from './retry.js';
import { Session } from './session.js';
import { subscribeFrom } from './subscribe-from.js';
import { openFirst } from './transport.js';

export interface ConnectOptions extends LocateOptions {
  /** Who the agent is. */
  client: { name: string; version: string };
  /** Answers `llm.complete`, with which the daemon asks for summaries. */
  llm?: (request: WireServerParams<'llm.complete'>) => Promise<{
    text: string;
    stop_reason: string | null;
    usage?: Record<string, unknown>;
  }>;
  /** Answers `embeddings.create`: one vector of `dimensions` numbers for each text. */
  embeddings?: { model: string; dimensions: number; create(input: string[]): Promise<number[][]> };
  /** Default `curated.v1.json`; `curated.v1.msgpack` for messages that need not keep their number spelling. */
  subprotocol?: Subprotocol;
  /** How long a call may take, in ms, the one that opens the connection too; default 150,000 (the window gate may hold a prepare for 120 s). */
  timeoutMs?: number;
  /** false: a lost connection ends the client. */
  reconnect?: Backoff | false;
}

/** A call on its way: waiting for a connection, or for its answer. */
interface Pending extends Waiter {
  method: string;
  params: Record<string, unknown>;
  repeatable: boolean;
  /** In which order it was asked for: what waits for a connection goes out in that. */
  order: number;
  /** How often it was sent. */
  sent: number;
  cancel?: () => void;
}

const CONNECT_MS = 10_000;
/** How long a farewell may take; a daemon that hangs answers none. */
const CLOSE_MS = 2_000;
/** How long a call may take where nothing else is said. */
const CALL_MS = 150_000;
/** What a timer can hold; a longer limit, `Infinity` too, is none. */
const MOST_MS = 2 ** 31 - 1;

/**
 * Finds the daemon, connects and initializes. Throws ClientError: NOT_RUNNING when none answers (or, with `autostart`, none starts: the
 * message says why), UNAUTHORIZED when the token is not known or cannot be read; CuratedError when the daemon refuses, UNSUPPORTED for a
 * protocol that it does not speak. The process stays alive until `close()`.
 */
export async function connect(options: ConnectOptions): Promise<Client> {
  const client = new Client(options);
  await client.start();
  return client;
}

export class Client implements Caller {
  readonly #options: ConnectOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #streams = new Set<EventStream>();
  #connection: Connection | undefined;
  /** On its way to being the connection. */
  #dialled: Connection | undefined;
  #queue: Pending[] = [];
  #asked = 0;
  #closed: ClientError | undefined;
  #wake: (() => void) | undefined;
  #reconnecting = false;
  /** The daemon's answer to `initialize`: its version, limits, presets and capabilities. */
  server!: WireResult<'initialize'>;

  constructor(options: ConnectOptions) {
    this.#options = options;
  }

  get connected(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** First connection; `connect` does it. */
  async start(): Promise<void> {
    this.#connection = await this.#dial();
  }

  /**
   * Any method of the protocol. Errors of the daemon are CuratedError. A call cut by a lost connection is sent once
   * more if that is safe: it changes nothing, or it has an idempotency key (made here where the method takes one).
   */
  async call<M extends MethodName>(
    method: M,
    params: WireParams<M>,
    options?: CallOptions,
  ): Promise<WireResult<M>> {
    return (await this.callRaw(method, params, options)).value as WireResult<M>;
  }

  /** Same, with the exact JSON text of the result beside its value. */
  async callRaw<M extends MethodName>(
    method: M,
    params: WireParams<M>,
    options: CallOptions = {},
  ): Promise<Native> {
    return this.#answered(method, placed(params), options);
  }

  async #answered(method: string, params: object, options: CallOptions): Promise<Native> {
    try {
      return await this.#ask(method, params, options);
    } catch (e) {
      // It was made where the answer came in: what helps is the line that called.
      if (e instanceof CuratedError || e instanceof ClientError) Error.captureStackTrace(e);
      throw e;
    }
  }

  #ask(method: string, params: object, options: CallOptions): Promise<Native> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(again(this.#closed));
      // Given up before it was asked: nothing is sent.
      if (options.signal?.aborted === true) return reject(options.signal.reason);
      const keyed = withKey(method, { ...params }, randomUUID);
      const p: Pending = {
        method,
        params: keyed,
        repeatable: isRepeatable(method, keyed),
        order: this.#asked++,
        sent: 0,
        resolve,
        reject,
      };
      this.#limit(p, options);
      if (this.#connection?.isOpen === true && !this.#reconnecting) this.#send(this.#connection, p);
      else this.#queue.push(p);
    });
  }

  /**
   * Opens (or resumes) a session. Without an id one is made here, so that a repeated open cannot make two. One that this client
   * holds already is opened again, and is the same object: its listeners stay.
   */
  async session(params: WireParams<'session.open'>): Promise<Session> {
    // The session is opened with it again after a reconnect: wherever the agent stands by then.
    const named = placed({ ...params, session: params.session ?? `s-${randomUUID()}` });
    const opened = (await this.#answered('session.open', named, {})).value as WireResult<'session.open'>;
    const held = this.#sessions.get(opened.session);
    held?.reopened(named, opened);
    const session = held ?? new Session(this, named, opened);
    this.#sessions.set(opened.session, session);
    return session;
  }

  /**
   * Events of one session or, with "*", of all. `fromSeq` 1 tells all there were; absent, from now on. Gap-free over
   * reconnects for a named session.
   */
  async events(session: string, fromSeq?: number): Promise<EventStream> {
    const ended = (stream: EventStream) => {
      this.#streams.delete(stream);
      this.unread(session);
    };
    const stream = new EventStream(session, ended, fromSeq);
    this.#streams.add(stream);
    const from = fromSeq === undefined ? {} : { from_seq: fromSeq };
    try {
      const { seq } = await this.call('session.subscribe', { session, ...from });
      stream.began(seq);
      this.#sessions.get(session)?.watch(seq);
    } catch (e) {
      stream.end();
      throw e;
    }
    return stream;
  }

  /** Ends the connection; calls without an answer are rejected. Sessions stay on the daemon's disk. */
  async close(): Promise<void> {
    this.#shut(new ClientError('CLOSED', 'the client was closed'));
    const connection = this.#connection;
    if (connection === undefined) return;
    const timer = setTimeout(() => connection.terminate(), CLOSE_MS);
    await connection.closed;
    clearTimeout(timer);
  }

  /** Drops a session that was closed, forgotten or superseded from what a reconnect resumes. */
  release(session: string): void {
    if (this.#sessions.delete(session)) this.unread(session);
  }

  /** A reader has gone: where it was the last one, the daemon need not send the events any more. */
  unread(session: string): void {
    const holder = this.#sessions.get(session);
    if (this.#closed !== undefined || !this.connected || holder?.listens || this.#reads(session)) return;
    holder?.unwatch();
    // One that knows no such call goes on sending, as it always did.
    void this.call('session.unsubscribe', { session }).catch(() => {});
  }

  #reads(session: string): boolean {
    for (const stream of this.#streams) if (stream.session === session) return true;
    return false;
  }

  async #dial(): Promise<Connection> {
    const o = this.#options;
    const subprotocol = o.subprotocol ?? 'curated.v1.json';
    const transport = await openFirst(await locate(o), subprotocol, CONNECT_MS);
    const handlers = {
      notify: (method: string, params: Record<string, unknown>) => this.#notify(method, params),
      answer: (method: string, params: Record<string, unknown>) => this.#answer(method, params),
      closed: (code: number, reason: string, lost: Waiter[]) =>
        this.#lost(connection, code, reason, lost as Pending[]),
    };
    const callMs = Math.min(o.timeoutMs ?? CALL_MS, MOST_MS);
    const connection: Connection = new Connection(transport, subprotocol, handlers, callMs);
    this.#dialled = connection;
    try {
      const hello = await connection.call('initialize', {
        protocol: PROTOCOL_VERSION,
        client: o.client,
        capabilities: {
          llm: o.llm === undefined ? undefined : {},
          embeddings: o.embeddings && { model: o.embeddings.model, dimensions: o.embeddings.dimensions },
        },
      });
      this.server = hello.value as WireResult<'initialize'>;
      connection.mostBytes = this.server.limits.frame_bytes ?? Number.POSITIVE_INFINITY;
    } catch (e) {
      // One that has not answered would not answer the farewell either.
      if (e instanceof CuratedError) connection.close();
      else connection.terminate();
      throw e;
    }
    return connection;
  }

  #limit(p: Pending, { timeoutMs = this.#options.timeoutMs ?? CALL_MS, signal }: CallOptions): void {
    const { resolve, reject } = p;
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const giveUp = (error: Error): void => {
      p.cancel?.();
      this.#queue = this.#queue.filter((q) => q !== p);
      p.reject(error);
    };
    const abort = (): void => giveUp(signal!.reason as Error);
    const late = () => giveUp(new ClientError('TIMEOUT', `${p.method} had no answer within ${timeoutMs} ms`));
    const timer = timeoutMs > MOST_MS ? undefined : setTimeout(late, timeoutMs);
    p.resolve = (result) => {
      settle();
      resolve(result);
    };
    p.reject = (error) => {
      const isDraining = error instanceof CuratedError && error.kind === 'DRAINING';
      if (isDraining && p.sent === 1 && this.#canReconnect()) {
        // Nothing was applied; the socket is about to close, and the next daemon may take the call.
        this.#queue.push(p);
        return;
      }
      settle();
      reject(error);
    };
    signal?.addEventListener('abort', abort, { once: true });
  }

  #send(connection: Connection, p: Pending): void {
    p.sent++;
    try {
      const id = connection.send(p.method, p.params, p);
      p.cancel = () => connection.forget(id);
    } catch (e) {
      p.reject(e as Error);
    }
  }

  #lost(connection: Connection, code: number, reason: string, lost: Pending[]): void {
    const error = this.#closed ?? connectionLost(code, reason);
    const repeated: Pending[] = [];
    for (const p of lost)
      if (p.repeatable && p.sent === 1 && this.#canReconnect()) repeated.push(p);
      else p.reject(again(error));
    if (connection !== this.#connection) return;
    this.#queue = [...repeated, ...this.#queue];
    if (this.#canReconnect()) void this.#reconnect();
    else this.#shut(error);
  }

  #canReconnect(): boolean {
    return this.#closed === undefined && this.#options.reconnect !== false;
  }

  async #reconnect(): Promise<void> {
    if (this.#reconnecting) return;
    this.#reconnecting = true;
    const backoff = this.#options.reconnect || {};
    const start = performance.now();
    for (let n = 0; this.#closed === undefined; n++) {
      if (performance.now() - start > (backoff.giveUpMs ?? Number.POSITIVE_INFINITY)) {
        this.#shut(new ClientError('CLOSED', 'reconnecting was given up'));
        break;
      }
      await this.#sleep(backoffMs(n, backoff, Math.random));
      if (this.#closed !== undefined) break;
      try {
        const connection = await this.#dial();
        await this.#resume(connection);
        if (this.#closed !== undefined) {
          connection.close();
          break;
        }
        if (!connection.isOpen) continue;
        this.#connection = connection;
        this.#reconnecting = false;
        // One that the old daemon refused as it drained may stand behind one that it did not see any more.
        const waiting = this.#queue.splice(0).sort((a, b) => a.order - b.order);
        for (const p of waiting) this.#send(connection, p);
        return;
      } catch (e) {
        this.#dialled?.terminate();
        // A refusal that no second try changes ends the client: a protocol the daemon does not speak, a token that was taken back.
        const isRefused = e instanceof CuratedError && !e.retryable;
        const isRevoked =
          e instanceof ClientError && e.code === 'UNAUTHORIZED' && this.#options.token !== undefined;
        if (isRefused || isRevoked)
          this.#shut(
            new ClientError('CLOSED', `the daemon refused the connection: ${(e as Error).message}`, {
              cause: e,
            }),
          );
      }
    }
    this.#reconnecting = false;
  }

  /** Takes the sessions up again where they were, then their events. */
  async #resume(connection: Connection): Promise<void> {
    if (this.#reads('*')) await connection.call('session.subscribe', { session: '*' });
    for (const session of [...this.#sessions.values()]) {
      const end = await session.resume(connection);
      if (end !== undefined)
        for (const stream of this.#streams) if (stream.session === session.id) stream.cutTo(end);
    }
    for (const stream of [...this.#streams]) {
      const { session, lastSeq } = stream;
      if (session === '*' || this.#sessions.has(session)) continue;
      try {
        const end = await subscribeFrom(connection, session, lastSeq);
        if (end !== undefined) stream.cutTo(end);
      } catch (e) {
        // A session that somebody else holds, and has erased meanwhile, ends its reader alone.
        if (!(e instanceof CuratedError) || e.retryable) throw e;
        stream.end(e);
      }
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #notify(method: string, params: Record<string, unknown>): void {
    const event = { ...params, type: method } as CuratedEvent;
    this.#sessions.get(event.session)?.receive(event);
    for (const stream of [...this.#streams]) stream.push(event);
  }

  async #answer(method: string, params: Record<string, unknown>): Promise<unknown> {
    const { llm, embeddings } = this.#options;
    if (method === 'llm.complete' && llm !== undefined)
      return llm(params as WireServerParams<'llm.complete'>);
    if (method === 'embeddings.create' && embeddings !== undefined) {
      const { input } = params as WireServerParams<'embeddings.create'>;
      return { model: embeddings.model, vectors: await embeddings.create(input) };
    }
    return fail('METHOD_NOT_FOUND', `this client does not answer ${method}`);
  }

  #shut(error: ClientError): void {
    if (this.#closed !== undefined) return;
    this.#closed = error;
    this.#wake?.();
    for (const p of this.#queue.splice(0)) p.reject(again(error));
    for (const stream of [...this.#streams]) stream.end(error.code === 'CLOSED' ? undefined : error);
    for (const session of this.#sessions.values()) session.end();
    this.#connection?.close();
    if (this.#dialled !== this.#connection) this.#dialled?.terminate();
  }
}

/** The same fault for one more caller, whose stack it gets. */
function again(e: ClientError): ClientError {
  return new ClientError(e.code, e.message, { cause: e.cause });
}
