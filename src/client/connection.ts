// One connection's life: calls out, answers and notifications in, requests of the daemon answered. No reconnecting.
import { asCuratedError, CuratedError } from '../errors.js';
import type { Native } from '../json/native.js';
import {
  CallLedger,
  type Codec,
  codecFor,
  type Id,
  MAX_ANSWER_DEPTH,
  type Outgoing,
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
  readonly #callMs: number;
  #open = true;
  /** What a frame may have on the other side: a longer one would cost the whole connection. */
  mostBytes = Number.POSITIVE_INFINITY;
  /** Resolves when the socket is gone. */
  readonly closed: Promise<void>;

  /** @param callMs how long a `call` may take */
  constructor(transport: Transport, subprotocol: Subprotocol, handlers: ConnectionHandlers, callMs: number) {
    this.#transport = transport;
    this.#codec = codecFor(subprotocol, { maxDepth: MAX_ANSWER_DEPTH });
    this.#handlers = handlers;
    this.#callMs = callMs;
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

  /** Sends a call; gives its id, for `forget`. Throws CuratedError LIMIT for one that the other side would not take. */
  send(method: string, params: unknown, waiter: Waiter): Id {
    const id = this.#calls.ask(waiter);
    try {
      this.#transport.send(this.#frame(method, { id, method, params }));
    } catch (e) {
      this.#calls.forget(id);
      throw e;
    }
    return id;
  }

  /** The result of a call, as a promise. */
  call(method: string, params: unknown): Promise<Native> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settled =
        <T>(then: (v: T) => void) =>
        (v: T): void => {
          clearTimeout(timer);
          then(v);
        };
      const id = this.send(method, params, { resolve: settled(resolve), reject: settled(reject) });
      timer = setTimeout(() => {
        this.#calls.forget(id);
        reject(new ClientError('TIMEOUT', `${method} had no answer within ${this.#callMs} ms`));
      }, this.#callMs);
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

  #frame(method: string, message: Outgoing): string | Uint8Array {
    const frame = this.#codec.encode(message);
    const bytes = bytesOver(frame, this.mostBytes);
    if (bytes === undefined) return frame;
    throw new CuratedError(
      'LIMIT',
      `${method}: ${bytes} bytes in a frame; the daemon takes ${this.mostBytes}`,
      {
        detail: { limit: 'frame_bytes', most: this.mostBytes, bytes },
      },
    );
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
      frame = this.#frame(method, { id, result: await this.#handlers.answer(method, params) });
    } catch (e) {
      frame = this.#codec.encode({ id, error: e instanceof CuratedError ? e : asCuratedError(e) });
    }
    if (this.#open) this.#transport.send(frame);
  }
}

/** Bytes of a frame; a text that cannot be too long is not measured. */
function bytesOver(frame: string | Uint8Array, most: number): number | undefined {
  if (typeof frame === 'string' && frame.length * 3 <= most) return undefined;
  const bytes = typeof frame === 'string' ? Buffer.byteLength(frame) : frame.byteLength;
  return bytes > most ? bytes : undefined;
}

/** What a waiter is told when its connection went away. */
export function connectionLost(code: number, reason: string): ClientError {
  return new ClientError('CONNECTION_LOST', `the connection was lost (${code}${reason && `, ${reason}`})`);
}
