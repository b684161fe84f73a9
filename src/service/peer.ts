// One connection's conversation: frames in, calls to handlers, answers and notifications out. Knows the language and the
// handlers; sockets are the gate's.

import { asCuratedError, CuratedError, fail } from '../errors.js';
import type { GateConnection } from '../gate/index.js';
import {
  admit,
  type Call,
  CallLedger,
  type Codec,
  type ConnectionState,
  checkServerResult,
  checkVersion,
  codecFor,
  type Id,
  type Incoming,
  isAllowed,
  type Params,
  PRESETS,
  PROTOCOL_VERSION,
  type ServerParams,
  type ServerRequestName,
  type ServerResult,
  scopeOf,
} from '../protocol/index.js';
import type { ProjectedEvent, Signal } from '../session/state/project.js';
import type { Caller, Handler, Rooms } from './context.js';
import { HANDLERS } from './handlers.js';
import { redactParams, TELLS } from './redact-params.js';

interface Waiting {
  settle(result: unknown): void;
  reject(e: CuratedError): void;
}

export interface PeerOptions {
  rooms: Rooms;
  limits: Readonly<Record<string, number>>;
  /** True once the daemon drains: what is new is refused. */
  draining(): boolean;
  onError(error: CuratedError, method: string): void;
  /** @param kind of the error it was answered with */
  onCall(method: string, ms: number, tenant: string, kind?: string): void;
}

export class Peer implements Caller {
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly subscriptions = new Map<string, () => void>();
  readonly #connection: GateConnection;
  readonly #codec: Codec;
  readonly #o: PeerOptions;
  readonly #calls = new CallLedger<Waiting>();
  readonly #endings = new Set<() => void>();
  #state: ConnectionState = 'fresh';
  #capabilities: NonNullable<Params<'initialize'>['capabilities']> = {};

  constructor(connection: GateConnection, o: PeerOptions) {
    this.tenant = connection.tenant;
    this.scopes = connection.scopes;
    this.#connection = connection;
    this.#o = o;
    this.#codec = codecFor(`curated.v1.${connection.subprotocol}`);
    connection.onMessage((data) => this.#take(data));
    connection.onClose(() => this.#end());
  }

  can(capability: 'llm' | 'embeddings'): boolean {
    return this.#state !== 'closed' && this.#capabilities[capability] !== undefined;
  }

  get llm(): Readonly<Record<string, unknown>> | undefined {
    return this.#capabilities.llm;
  }

  get embeddings(): { model: string; dimensions: number } | undefined {
    return this.#capabilities.embeddings;
  }

  notify(session: string, e: ProjectedEvent | Signal): void {
    const { type, ...rest } = e;
    this.#send({ method: type, params: { session, ...rest } });
  }

  superseded(session: string, epoch: number): void {
    this.#send({ method: 'session.superseded', params: { session, epoch } });
  }

  onEnd(fn: () => void): () => void {
    if (this.#state === 'closed') fn();
    else this.#endings.add(fn);
    return () => void this.#endings.delete(fn);
  }

  ask<M extends ServerRequestName>(
    method: M,
    params: ServerParams<M>,
    deadlineMs: number,
  ): Promise<ServerResult<M>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#calls.forget(id);
        reject(new CuratedError('SUMMARY_FAILED', `the client did not answer ${method} in ${deadlineMs} ms`));
      }, deadlineMs);
      const id = this.#calls.ask({
        settle: (result) => {
          clearTimeout(timer);
          const checked = checkServerResult(method, result);
          if (checked.ok) resolve(checked.value);
          else reject(checked.error);
        },
        reject: (e) => {
          clearTimeout(timer);
          reject(e);
        },
      });
      this.#send({ id, method, params });
    });
  }

  #take(data: Uint8Array): void {
    const incoming = this.#codec.decode(data);
    if (this.#state === 'ready' && this.#o.draining()) this.#state = 'draining';
    const admission = admit(this.#state, incoming);
    if (admission.act === 'ignore') return;
    if (admission.act === 'refuse') {
      this.#refuse(admission.id, admission.error, 'method' in incoming ? incoming.method : undefined);
      return;
    }
    this.#carryOut(incoming);
  }

  #carryOut(incoming: Incoming): void {
    if (incoming.kind === 'response') {
      this.#answered(incoming);
      return;
    }
    if (incoming.kind === 'invalid') return;
    if (incoming.kind === 'notification') {
      // JSON-RPC: carried out like a call, and nobody hears of it.
      this.#connection.hold();
      void this.#call(incoming)
        .catch((e: unknown) => this.#o.onError(asCuratedError(e), incoming.method))
        .finally(() => this.#connection.release());
      return;
    }
    try {
      if (this.#calls.inFlight >= this.#o.limits['calls_in_flight']!)
        fail('BUSY', 'too many unanswered calls');
      this.#calls.begin(incoming.id);
    } catch (e) {
      this.#refuse(incoming.id, asCuratedError(e), incoming.method);
      return;
    }
    this.#connection.hold();
    void this.#answer(incoming);
  }

  async #answer(incoming: Extract<Incoming, { kind: 'request' }>): Promise<void> {
    const { id, method } = incoming;
    const started = performance.now();
    let kind: string | undefined;
    try {
      this.#send({ id, result: await this.#call(incoming) });
    } catch (e) {
      const error = asCuratedError(e);
      kind = error.kind;
      this.#refuse(id, error, method);
    } finally {
      this.#calls.end(id);
      this.#connection.release();
      this.#o.onCall(method, performance.now() - started, this.tenant, kind);
    }
  }

  async #call(call: Call): Promise<unknown> {
    if (call.method === 'initialize') return this.#initialize(call.params);
    const handler = HANDLERS[call.method] as Handler<typeof call.method> | undefined;
    if (handler === undefined) return fail('UNSUPPORTED', `${call.method} is not offered by this daemon`);
    if (!isAllowed(call.method, this.scopes)) {
      const scope = scopeOf(call.method);
      return fail('FORBIDDEN_SCOPE', `${call.method} needs a token with the scope ${scope}`, {
        detail: { scope, scopes: [...this.scopes] },
      });
    }
    const redactor = this.#o.rooms.redactor?.();
    if (redactor === undefined) return handler(this, call.params as never, this.#o.rooms);
    const { params, count } = redactParams(call.method, call.params, redactor);
    const result = await handler(this, params as never, this.#o.rooms);
    return count > 0 && TELLS.has(call.method) ? { ...(result as object), redactions: count } : result;
  }

  #initialize(p: Params<'initialize'>) {
    checkVersion(p.protocol, PROTOCOL_VERSION);
    this.#capabilities = p.capabilities ?? {};
    this.#state = 'ready';
    this.#connection.initialized();
    return {
      protocol: PROTOCOL_VERSION,
      server: { name: 'curated', version: this.#o.rooms.version },
      limits: this.#o.limits,
      presets: [...PRESETS],
      capabilities: { methods: Object.keys(HANDLERS) },
    };
  }

  #answered(incoming: Extract<Incoming, { kind: 'response' }>): void {
    try {
      const waiting = this.#calls.settle(incoming.id as Id);
      if ('error' in incoming && incoming.error !== undefined) {
        waiting.reject(new CuratedError('SUMMARY_FAILED', incoming.error.message));
      } else waiting.settle('result' in incoming ? incoming.result : undefined);
    } catch (e) {
      this.#refuse(null, asCuratedError(e), 'response');
    }
  }

  #refuse(id: Id | null, error: CuratedError, method = ''): void {
    this.#o.onError(error, method);
    this.#send({ id, error });
  }

  #send(out: Parameters<Codec['encode']>[0]): void {
    if (this.#state !== 'closed') this.#connection.send(this.#codec.encode(out));
  }

  #end(): void {
    this.#state = 'closed';
    for (const fn of [...this.#endings]) fn();
    this.#endings.clear();
    for (const waiting of this.#calls.drain()) {
      waiting.reject(new CuratedError('SUMMARY_FAILED', 'the client is gone'));
    }
  }
}
