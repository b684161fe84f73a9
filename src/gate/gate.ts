// The front door: listeners, admission, and the set of open connections. Carries bytes; knows no JSON-RPC and no session.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type Clock, systemClock } from '../clock.js';
import type { Limits } from '../config.js';
import { Admission } from './admission.js';
import { CLOSE, Connection, type ConnectionOwner, type GateConnection, GateSocket } from './connection.js';
import { createDoor, type DoorOptions } from './door.js';
import type { GateLog, GateMetrics, HttpRoute, Transport } from './ports.js';
import { silentLog, silentMetrics } from './ports.js';
import { REFUSALS, type Refusal, refuseSocket } from './refusal.js';
import { chooseSubprotocol, wireOf } from './subprotocol.js';
import { Sweeper } from './sweeper.js';
import { listenTcp } from './tcp-listener.js';
import type { TokenTable } from './token-table.js';
import { listenUnix } from './unix-listener.js';
import { type Upgrade, UpgradeQueue } from './upgrade-queue.js';

export const DEFAULT_PORT = 7477;

export interface GateOptions {
  /** Absolute path of the unix socket; absent: none. */
  socketPath?: string | undefined;
  /** Where the port is taken, any free one: clients find it in run/daemon.json. Default false. */
  anyPort?: boolean | undefined;
  /** TCP port, 0 for any free one, false for no TCP. Default 7477. */
  port?: number | false | undefined;
  /** Loopback address to bind. Default 127.0.0.1. */
  host?: string | undefined;
  tokens: TokenTable;
  limits: Limits;
  /** Origins of web pages that may connect, as exact text. Default none. */
  allowOrigins?: readonly string[] | undefined;
  /** GET pages by path (`/healthz`, `/metrics`), behind the same checks as the WebSocket. */
  routes?: ReadonlyMap<string, HttpRoute> | undefined;
  clock?: Clock | undefined;
  log?: GateLog | undefined;
  metrics?: GateMetrics | undefined;
  /** Called once per accepted WebSocket, before any of its messages; set its listeners at once. */
  onConnection(connection: GateConnection): void;
}

export interface Listening {
  /** `ws://127.0.0.1:PORT/v1`, where TCP is on. */
  url: string | undefined;
  /** Path of the unix socket, where there is one. */
  socket: string | undefined;
}

export interface Gate {
  /** @throws CuratedError CONFIG; AlreadyRunningError. Nothing stays open after a throw. */
  listen(): Promise<Listening>;
  /** Stops accepting, waits until no connection holds a call, closes all with 1001. Never longer than `ms`; a second call ends it at once. */
  drain(ms?: number): Promise<void>;
  /** Ends everything at once. */
  close(): Promise<void>;
  /** After a change of the tokens: ends the connections whose token is gone, with 4401. Returns their number. */
  review(): number;
  readonly draining: boolean;
  /** Open WebSockets. */
  readonly size: number;
  sizeOf(tenant: string): number;
}

export function createGate(options: GateOptions): Gate {
  return new FrontDoor(options);
}

/** The last part of a drain is kept for the closing handshakes. */
const CLOSING_SHARE = 0.2;

class FrontDoor implements Gate, ConnectionOwner {
  readonly limits: Limits;
  readonly log: GateLog;
  readonly metrics: GateMetrics;
  readonly #o: GateOptions;
  readonly #clock: Clock;
  readonly #admission: Admission;
  readonly #wss: WebSocketServer;
  readonly #connections = new Set<Connection>();
  readonly #queue: UpgradeQueue;
  readonly #sweeper: Sweeper;
  readonly #servers: Server[] = [];
  #lastId = 0;
  #held = 0;
  #draining = false;
  #stopped: Promise<unknown> | undefined;
  /** Looked at by whoever waits for fewer held calls or fewer connections. */
  #changed: (() => void) | undefined;

  constructor(o: GateOptions) {
    this.#o = o;
    this.limits = o.limits;
    this.log = o.log ?? silentLog;
    this.metrics = o.metrics ?? silentMetrics;
    this.#clock = o.clock ?? systemClock;
    this.#admission = new Admission({
      tokens: o.tokens,
      allowOrigins: o.allowOrigins ?? [],
      routes: o.routes ?? new Map(),
      limits: o.limits,
      clock: this.#clock,
    });
    this.#queue = new UpgradeQueue(o.limits.upgrades_per_tick, (u) => this.#finish(u));
    this.#sweeper = new Sweeper(o.limits.sweep_ms, () => this.#sweep());
    // ws 8.23 reads closeTimeout; its published types do not list it yet.
    const wsOptions: ConstructorParameters<typeof WebSocketServer>[0] & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      skipUTF8Validation: true,
      maxPayload: o.limits.frame_bytes,
      maxFragments: o.limits.frame_fragments,
      maxBufferedChunks: o.limits.frame_chunks,
      closeTimeout: o.limits.close_ms,
      handleProtocols: (offers) => chooseSubprotocol(offers) ?? false,
      WebSocket: GateSocket as never,
    };
    this.#wss = new WebSocketServer(wsOptions);
    this.#wss.on('wsClientError', (_error, socket) => this.#refuse(socket, REFUSALS.badRequest));
  }

  get draining(): boolean {
    return this.#draining;
  }

  get size(): number {
    return this.#connections.size;
  }

  sizeOf(tenant: string): number {
    let n = 0;
    for (const c of this.#connections) if (c.tenant === tenant) n += 1;
    return n;
  }

  async listen(): Promise<Listening> {
    const { socketPath, port = DEFAULT_PORT, host = '127.0.0.1', anyPort } = this.#o;
    const { accept_backlog: backlog } = this.limits;
    try {
      if (socketPath !== undefined) await listenUnix(this.#door('unix'), socketPath, backlog);
      const url =
        port === false ? undefined : await listenTcp(this.#door('tcp'), host, port, backlog, anyPort);
      return { url, socket: socketPath };
    } catch (e) {
      await this.close();
      throw e;
    }
  }

  async drain(ms = this.limits.drain_ms): Promise<void> {
    if (this.#draining) return this.close();
    this.#draining = true;
    const end = this.#clock.mono() + ms;
    this.#stopAccepting();
    await this.#until(() => this.#held === 0, ms * (1 - CLOSING_SHARE));
    for (const c of this.#connections) c.close(CLOSE.goingAway, 'going away');
    await this.#until(() => this.#connections.size === 0, end - this.#clock.mono());
    await this.close();
  }

  async close(): Promise<void> {
    this.#draining = true;
    const closed = this.#stopAccepting();
    for (const c of this.#connections) c.cut();
    for (const server of this.#servers) server.closeAllConnections();
    this.#sweeper.stop();
    this.#changed?.();
    await closed;
  }

  review(): number {
    const gone = [...this.#connections].filter((c) => !this.#o.tokens.holds(c.who));
    for (const c of gone) c.close(CLOSE.unauthorised, 'the token was revoked');
    return gone.length;
  }

  now(): number {
    return this.#clock.mono();
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#sweeper.stop();
    this.#changed?.();
  }

  held(change: 1 | -1): void {
    this.#held += change;
    if (this.#held === 0) this.#changed?.();
  }

  #door(transport: Transport): Server {
    const o: DoorOptions = {
      admission: this.#admission,
      limits: this.limits,
      log: this.log,
      metrics: this.metrics,
    };
    const server = createDoor(o, transport, (req, socket, head) =>
      this.#upgrade(req, socket, head, transport),
    );
    this.#servers.push(server);
    return server;
  }

  #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, transport: Transport): void {
    const admitted = this.#admission.upgrade(req, transport);
    if ('refusal' in admitted) this.#refuse(socket, admitted.refusal);
    else if (this.#draining) this.#refuse(socket, REFUSALS.draining);
    else if (this.#connections.size + this.#queue.length >= this.limits.connections) {
      this.#refuse(socket, REFUSALS.full);
    } else this.#queue.add({ req, socket: socket as Socket, head, who: admitted.who, transport });
  }

  #finish({ req, socket, head, who, transport }: Upgrade): void {
    // Revoked while it waited.
    if (!this.#o.tokens.holds(who)) {
      this.#refuse(socket, REFUSALS.unauthorised);
      return;
    }
    this.#wss.handleUpgrade(req, socket, head, (ws) => {
      const id = `c${++this.#lastId}`;
      const connection = new Connection(
        id,
        who,
        transport,
        wireOf(ws.protocol),
        ws as GateSocket,
        socket,
        this,
      );
      this.#connections.add(connection);
      this.#sweeper.start();
      this.metrics.opened(transport);
      try {
        this.#o.onConnection(connection);
      } catch (e) {
        this.log.error({ err: e, connection: id }, 'a new connection could not be taken up');
        connection.cut();
      }
    });
  }

  #refuse(socket: Duplex, refusal: Refusal): void {
    this.metrics.refused(refusal.status);
    refuseSocket(socket, refusal);
  }

  #sweep(): void {
    const now = this.#clock.mono();
    for (const c of this.#connections) c.sweep(now);
  }

  /** Closes the listeners; resolves when the last socket is gone. */
  #stopAccepting(): Promise<unknown> {
    this.#stopped ??= this.#closeServers();
    return this.#stopped;
  }

  #closeServers(): Promise<unknown> {
    this.#queue.clear((socket) => this.#refuse(socket, REFUSALS.draining));
    return Promise.all(
      this.#servers.map((server) => {
        if (!server.listening) return undefined;
        const done = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeIdleConnections();
        return done;
      }),
    );
  }

  /** Resolves when `ready()` holds, when `ms` are over, or when everything is closed. */
  #until(ready: () => boolean, ms: number): Promise<void> {
    if (ready() || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#changed = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#changed = () => {
        if (ready()) done();
      };
    });
  }
}
