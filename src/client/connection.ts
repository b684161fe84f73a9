// One connection's life: calls out, answers and notifications in, requests of the daemon answered. No reconnecting.
import { asCuratedError, CuratedError } from '../errors.js';
import type { Native } from '../json/native.js';
import {
  CallLedger,
  type Codec,
  codecFor,
  type Id,
  MAX_ANSWER_DEPTH,
  type Subprotocol,
} from '../protocol/index.js';
import { asWireError } from '../protocol/jsonrpc.js';
import { ClientError, remoteError } from './errors.js';
import type { Transport } from './transport.js';

/** A call that waits for its answer. */
export interface Waiter {
  resolve(result: Native): void;
  reject(error: Error): void;
}

export interface ConnectionHandlers {
  /** A notification of the daemon. */
  notify(method: string, params: Record<string, unknown>): void;
  /** A request of the daemon; what it resolves to is the result. */
  answer(method: string, params: Record<string, unknown>): Promise<unknown>;
  /** The socket is gone; `lost` are the waiters that have no answer, in the order of their calls. */
  closed(code: number, reason: string, lost: Waiter[]): void;
}

export class Connection {
  readonly #transport: Transport;
  readonly #codec: Codec;
  readonly #calls = new CallLedger<Waiter>();
  readonly #handlers: ConnectionHandlers;
  #open = true;
  /** Resolves when the socket is gone. */
  readonly closed: Promise<void>;

  constructor(transport: Transport, subprotocol: Subprotocol, handlers: ConnectionHandlers) {
    this.#transport = transport;
    this.#codec = codecFor(subprotocol, { maxDepth: MAX_ANSWER_DEPTH });
    this.#handlers = handlers;
    transport.onFrame = (frame) => this.#receive(frame);
    this.closed = new Promise((resolve) => {
      transport.onClose = (code, reason) => {
        this.#open = false;
        handlers.closed(code, reason, this.#calls.drain());
        resolve();
      };
    });
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Sends a call; gives its id, for `forget`. */
  send(method: string, params: unknown, waiter: Waiter): Id {
    const id = this.#calls.ask(waiter);
    this.#transport.send(this.#codec.encode({ id, method, params }));
    return id;
  }

  /** The result of a call, as a promise. */
  call(method: string, params: unknown): Promise<Native> {
    return new Promise((resolve, reject) => {
      this.send(method, params, { resolve, reject });
    });
  }

  /** Nobody waits for this answer any more. */
  forget(id: Id): void {
    this.#calls.forget(id);
  }

  close(): void {
    this.#transport.close();
  }

  terminate(): void {
    this.#transport.terminate();
  }

  #receive(frame: Uint8Array): void {
    try {
      const envelope = this.#codec.open(frame);
      if (envelope.kind === 'call') {
        const params = (envelope.params?.native('params').value ?? {}) as Record<string, unknown>;
        if (envelope.id === undefined) this.#handlers.notify(envelope.method, params);
        else void this.#answer(envelope.id, envelope.method, params);
        return;
      }
      const waiter = this.#take(envelope.id);
      if (waiter === undefined) return;
      if ('result' in envelope) waiter.resolve(envelope.result.native('result'));
      else waiter.reject(remoteError(asWireError(envelope.error.native('error').value)));
    } catch {
      // A daemon that sends what cannot be read is no daemon of ours: the reconnect decides.
      this.#transport.terminate();
    }
  }

  /** The waiter of an answer; undefined when its call was given up, or for an error that names no call. */
  #take(id: Id): Waiter | undefined {
    try {
      return this.#calls.settle(id);
    } catch {
      return undefined;
    }
  }

  async #answer(id: Id, method: string, params: Record<string, unknown>): Promise<void> {
    let frame: string | Uint8Array;
    try {
      frame = this.#codec.encode({ id, result: await this.#handlers.answer(method, params) });
    } catch (e) {
      frame = this.#codec.encode({ id, error: e instanceof CuratedError ? e : asCuratedError(e) });
    }
    if (this.#open) this.#transport.send(frame);
  }
}

/** What a waiter is told when its connection went away. */
export function connectionLost(code: number, reason: string): ClientError {
  return new ClientError('CONNECTION_LOST', `the connection was lost (${code}${reason && `, ${reason}`})`);
}
