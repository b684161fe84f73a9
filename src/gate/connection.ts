// One open WebSocket with its flow control, deadlines and close. Carries bytes; knows no JSON-RPC, no session.
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Limits } from '../config.js';
import { midMessage } from './half-message.js';
import type { GateLog, GateMetrics, Transport, Wire } from './ports.js';
import type { Principal, Scope } from './token-table.js';

/** Close codes the gate itself uses (PROTOCOL 8). */
export const CLOSE = {
  goingAway: 1001,
  wrongKind: 1003,
  policy: 1008,
  handshakeTimeout: 4408,
  unauthorised: 4401,
  slowConsumer: 4429,
} as const;

/** What the language room gets for each accepted WebSocket. */
export interface GateConnection {
  /** Unique within this process. */
  readonly id: string;
  readonly tenant: string;
  /** Name of the token, for logs. */
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly subprotocol: Wire;
  readonly transport: Transport;
  /**
   * Whole messages of the subprotocol's kind, always as bytes: a text frame is handed over unchecked, so that invalid UTF-8
   * becomes a BAD_UTF8 answer with an offset and not a lost connection. The bytes are a view of the socket's read buffer:
   * copy what is kept. One listener; a throw in it is logged and the connection lives.
   */
  onMessage(listener: (data: Uint8Array) => void): void;
  /** Once, with the code that ended it (1006: no close frame). One listener. */
  onClose(listener: (code: number, reason: string) => void): void;
  /**
   * Queues one message: text (or its UTF-8 bytes) on json, bytes on msgpack. False when the connection is closing or this
   * send closed it with 4429, because more than `out_close_bytes` were waiting already.
   */
  send(data: string | Uint8Array): boolean;
  /** Begins the closing handshake; `reason` is cut at 123 bytes. Messages that still come are dropped. */
  close(code: number, reason: string): void;
  /** Bytes queued in this process and not yet taken by the operating system. */
  buffered(): number;
  /** Stops reading from the socket; messages of the chunk in hand still come. */
  pause(): void;
  resume(): void;
  /** `initialize` was answered: lifts the handshake deadline. */
  initialized(): void;
  /** A call began; the drain waits until as many were released as were held. */
  hold(): void;
  release(): void;
}

/** What a connection is told by the gate that owns it. */
export interface ConnectionOwner {
  readonly limits: Limits;
  readonly log: GateLog;
  readonly metrics: GateMetrics;
  now(): number;
  closed(connection: Connection): void;
  held(change: 1 | -1): void;
}

/** The WebSocket class handed to `ws`: a pointer back instead of closures, which would cost memory on every idle connection. */
export class GateSocket extends WebSocket {
  connection: Connection | undefined;
}

const PAUSED_BY_CALLER = 1;
const PAUSED_BY_BACKLOG = 2;
const PING_WINDOW_MS = 1000;
/** Answers of one tick leave in one write, as long as so few bytes wait for it. */
const GATHERED_BYTES = 64 * 1024;

export class Connection implements GateConnection {
  readonly id: string;
  readonly subprotocol: Wire;
  readonly transport: Transport;
  readonly #who: Principal;
  readonly #owner: ConnectionOwner;
  readonly #ws: GateSocket;
  readonly #socket: Socket;
  #message: ((data: Uint8Array) => void) | undefined = undefined;
  #close: ((code: number, reason: string) => void) | undefined = undefined;
  #closeCode = 0;
  #paused = 0;
  #held = 0;
  #gathering = false;
  #initialized = false;
  readonly #openedAt: number;
  #seenBytes = 0;
  #seenAt: number;
  #pingedAt = -1;
  #halfSince = -1;
  #backlog = 0;
  #backlogAt = 0;
  #pings = 0;
  #pingsSince: number;

  constructor(
    id: string,
    who: Principal,
    transport: Transport,
    wire: Wire,
    ws: GateSocket,
    socket: Socket,
    owner: ConnectionOwner,
  ) {
    this.id = id;
    this.#who = who;
    this.transport = transport;
    this.subprotocol = wire;
    this.#ws = ws;
    this.#socket = socket;
    this.#owner = owner;
    this.#openedAt = this.#seenAt = this.#pingsSince = owner.now();
    ws.connection = this;
    ws.on('message', onMessage);
    ws.on('ping', onPing);
    ws.on('close', onClose);
    ws.on('error', onError);
  }

  get who(): Principal {
    return this.#who;
  }

  get tenant(): string {
    return this.#who.tenant;
  }

  get principal(): string {
    return this.#who.name;
  }

  get scopes(): readonly Scope[] {
    return this.#who.scopes;
  }

  onMessage(listener: (data: Uint8Array) => void): void {
    this.#message = listener;
  }

  onClose(listener: (code: number, reason: string) => void): void {
    this.#close = listener;
  }

  send(data: string | Uint8Array): boolean {
    if (this.#ws.readyState !== WebSocket.OPEN) return false;
    const { limits, metrics } = this.#owner;
    if (this.#ws.bufferedAmount > limits.out_close_bytes) {
      this.close(CLOSE.slowConsumer, 'too much unread');
      return false;
    }
    this.#gather();
    this.#ws.send(data, { binary: this.subprotocol === 'msgpack' });
    if (this.#ws.bufferedAmount > GATHERED_BYTES) this.flush();
    metrics.sent(this.subprotocol, typeof data === 'string' ? data.length : data.byteLength);
    if (this.#ws.bufferedAmount > limits.out_pause_bytes && (this.#paused & PAUSED_BY_BACKLOG) === 0) {
      this.#backlog = this.#ws.bufferedAmount;
      this.#backlogAt = this.#owner.now();
      this.#setPaused(this.#paused | PAUSED_BY_BACKLOG);
      this.#socket.once('drain', () => this.#setPaused(this.#paused & ~PAUSED_BY_BACKLOG));
    }
    return true;
  }

  close(code: number, reason: string): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    this.#closeCode = code;
    this.#ws.close(code, cutReason(reason));
    // The peer's half of the closing handshake must be read, whoever paused.
    this.#ws.resume();
  }

  /** Ends it without a closing handshake. */
  cut(): void {
    this.flush();
    this.#ws.terminate();
  }

  buffered(): number {
    return this.#ws.bufferedAmount;
  }

  pause(): void {
    this.#setPaused(this.#paused | PAUSED_BY_CALLER);
  }

  resume(): void {
    this.#setPaused(this.#paused & ~PAUSED_BY_CALLER);
  }

  initialized(): void {
    this.#initialized = true;
  }

  hold(): void {
    this.#held++;
    this.#owner.held(1);
  }

  release(): void {
    if (this.#held === 0) return;
    this.#held--;
    this.#owner.held(-1);
  }

  /** Called by the shared timer: looks at every deadline of this connection. */
  sweep(now: number): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    const { limits } = this.#owner;
    if (!this.#initialized && now - this.#openedAt >= limits.handshake_ms) {
      this.#fault('handshake-timeout', CLOSE.handshakeTimeout, 'initialize did not come');
      return;
    }
    if (this.#paused !== 0) {
      // Nothing is read, so silence says nothing about the peer; only a backlog that does not move does.
      this.#seenAt = now;
      this.#pingedAt = this.#halfSince = -1;
      if ((this.#paused & PAUSED_BY_BACKLOG) !== 0) this.#sweepBacklog(now);
      return;
    }
    const bytes = this.#socket.bytesRead;
    if (bytes !== this.#seenBytes) {
      this.#seenBytes = bytes;
      this.#seenAt = now;
      this.#pingedAt = -1;
    }
    if (!midMessage(this.#ws)) this.#halfSince = -1;
    else if (this.#halfSince < 0) this.#halfSince = now;
    else if (now - this.#halfSince >= limits.message_ms) {
      this.#fault('half-message', CLOSE.policy, 'message not completed in time');
      return;
    }
    if (this.#pingedAt >= 0) {
      if (now - this.#pingedAt < limits.heartbeat_deadline_ms) return;
      this.#owner.metrics.fault('heartbeat');
      this.cut();
    } else if (now - this.#seenAt >= limits.heartbeat_ms) {
      this.#pingedAt = now;
      this.#ws.ping();
    }
  }

  received(data: Uint8Array, isBinary: boolean): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    this.#halfSince = -1;
    if (isBinary !== (this.subprotocol === 'msgpack')) {
      this.#fault(
        'wrong-kind',
        CLOSE.wrongKind,
        `${this.subprotocol} needs ${isBinary ? 'text' : 'binary'} frames`,
      );
      return;
    }
    this.#owner.metrics.received(this.subprotocol, data.byteLength);
    try {
      this.#message?.(data);
    } catch (e) {
      this.#owner.log.error({ err: e, connection: this.id }, 'a message listener threw');
    }
  }

  pinged(data: Uint8Array): void {
    const { limits } = this.#owner;
    const now = this.#owner.now();
    if (now - this.#pingsSince >= PING_WINDOW_MS) {
      this.#pingsSince = now;
      this.#pings = 0;
    }
    this.#pings++;
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    if (this.#pings >= limits.ping_flood) this.#fault('ping-flood', CLOSE.policy, 'too many pings');
    else if (this.#pings <= limits.pings) this.#ws.pong(data);
  }

  ended(code: number, reason: string): void {
    this.#owner.closed(this);
    // Where we began the closing, our code tells more than the peer's echo or its absence.
    const final = this.#closeCode === 0 ? code : this.#closeCode;
    this.#owner.metrics.closed(this.transport, final);
    try {
      this.#close?.(final, reason);
    } catch (e) {
      this.#owner.log.error({ err: e, connection: this.id }, 'a close listener threw');
    }
    while (this.#held > 0) this.release();
  }

  failed(error: Error & { code?: string }): void {
    const kind = error.code ?? 'unknown';
    this.#owner.metrics.fault(kind);
    this.#owner.log.debug({ connection: this.id, kind }, 'connection fault');
  }

  /** A commit lets the answers of many sessions go at once: a system call for each would cost more than making them. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#socket.cork();
    process.nextTick(flush, this);
  }

  /** Called at the end of the tick: what was gathered leaves. */
  flush(): void {
    if (!this.#gathering) return;
    this.#gathering = false;
    this.#socket.uncork();
  }

  #sweepBacklog(now: number): void {
    const backlog = this.#ws.bufferedAmount;
    if (backlog < this.#backlog) {
      this.#backlog = backlog;
      this.#backlogAt = now;
    } else if (now - this.#backlogAt >= this.#owner.limits.out_stall_ms) {
      this.#fault('slow-consumer', CLOSE.slowConsumer, 'does not read');
    }
  }

  #fault(kind: string, code: number, reason: string): void {
    this.#owner.metrics.fault(kind);
    this.#owner.log.info({ connection: this.id, tenant: this.tenant, kind, code }, 'closing a connection');
    this.close(code, reason);
  }

  #setPaused(next: number): void {
    const was = this.#paused;
    this.#paused = next;
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    if (was === 0 && next !== 0) this.#ws.pause();
    else if (was !== 0 && next === 0) this.#ws.resume();
  }
}

/** A control frame has room for 123 bytes of reason, and `ws` throws beyond; a streaming decoder holds a cut character back. */
function cutReason(reason: string): string {
  return new TextDecoder().decode(Buffer.from(reason).subarray(0, 123), { stream: true });
}

function flush(connection: Connection): void {
  connection.flush();
}

function onMessage(this: WebSocket, data: WebSocket.RawData, isBinary: boolean): void {
  (this as GateSocket).connection?.received(data as Buffer, isBinary);
}

function onPing(this: WebSocket, data: Buffer): void {
  (this as GateSocket).connection?.pinged(data);
}

function onClose(this: WebSocket, code: number, reason: Buffer): void {
  (this as GateSocket).connection?.ended(code, reason.toString());
}

function onError(this: WebSocket, error: Error): void {
  (this as GateSocket).connection?.failed(error);
}
