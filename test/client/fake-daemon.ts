// A small daemon for the client's tests: the real codec and a handful of methods over real sockets.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket, WebSocketServer } from 'ws';
import { asCuratedError, CuratedError, fail } from '../../src/errors.js';
import { RawJson } from '../../src/json/raw.js';
import { type Paths, resolvePaths } from '../../src/paths.js';
import {
  type Call,
  type Codec,
  codecFor,
  type Outgoing,
  SUBPROTOCOLS,
  type Subprotocol,
} from '../../src/protocol/index.js';

interface Peer {
  socket: WebSocket;
  codec: Codec;
  subscriptions: Set<string>;
  answers: Map<number, (v: unknown) => void>;
  nextId: number;
}

interface Stored {
  texts: string[];
  keys: Map<string, unknown>;
  events: { seq: number; type: string }[];
}

export class FakeDaemon {
  readonly home: string;
  readonly paths: Paths;
  token = 'secret';
  limits: Record<string, number> = {};
  readonly sessions = new Map<string, Stored>();
  /** Every call as it came in. */
  readonly calls: Call[] = [];
  /** Runs before a call is carried out; may throw. */
  before: (call: Call) => void = () => {};
  /** Runs after a call was carried out and before its answer leaves; "drop" cuts the connection instead. */
  after: (call: Call) => 'answer' | 'drop' | 'hold' = () => 'answer';
  readonly #peers = new Set<Peer>();
  #servers: Server[] = [];
  #isStopped = false;
  url = '';

  constructor(home = mkdtempSync(join(tmpdir(), 'curated-client-'))) {
    this.home = home;
    this.paths = resolvePaths({}, home);
  }

  async listen(): Promise<this> {
    mkdirSync(this.paths.run, { recursive: true });
    this.#isStopped = false;
    const unix = await this.#serve(this.paths.socket);
    const tcp = await this.#serve(0);
    this.#servers = [unix, tcp];
    this.url = `ws://127.0.0.1:${(tcp.address() as AddressInfo).port}/v1`;
    writeFileSync(this.paths.tokenFile, `${this.token}\n`);
    writeFileSync(
      this.paths.daemonJson,
      JSON.stringify({
        pid: process.pid,
        version: '1',
        socket: this.paths.socket,
        url: this.url,
        token_file: this.paths.tokenFile,
        started_at: 1,
      }),
    );
    return this;
  }

  get connections(): number {
    return this.#peers.size;
  }

  /** Cuts all connections without a farewell. */
  drop(): void {
    for (const { socket } of this.#peers) socket.terminate();
  }

  /** Stops listening; files stay, as after a crash. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.drop();
    const closed = this.#servers.map((s) => new Promise((done) => s.close(done)));
    for (const s of this.#servers) s.closeAllConnections();
    await Promise.all(closed);
    rmSync(this.paths.socket, { force: true });
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** A request to the first client that is connected. */
  ask(method: string, params: unknown): Promise<unknown> {
    const peer = [...this.#peers][0]!;
    const id = peer.nextId++;
    return new Promise((resolve) => {
      peer.answers.set(id, resolve);
      send(peer, { id, method, params });
    });
  }

  emit(session: string, type: string, payload: Record<string, unknown> = {}): void {
    const stored = this.sessions.get(session)!;
    const seq = stored.events.length + 1;
    stored.events.push({ seq, type });
    for (const peer of this.#peers)
      if (peer.subscriptions.has(session) || peer.subscriptions.has('*'))
        send(peer, { method: type, params: { session, seq, turn: 0, ts: 1, ...payload } });
  }

  signal(method: string, params: unknown): void {
    for (const peer of this.#peers) send(peer, { method, params });
  }

  async #serve(at: string | number): Promise<Server> {
    const server = createServer();
    const sockets = new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) => SUBPROTOCOLS.find((p) => offered.has(p)) ?? false,
    });
    server.on('upgrade', (request, socket, head) => {
      // Accepted just before the end: nobody would cut it, and the server waits for it.
      if (this.#isStopped) {
        socket.destroy();
        return;
      }
      if (typeof at === 'number' && request.headers.authorization !== `Bearer ${this.token}`) {
        socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
        return;
      }
      sockets.handleUpgrade(request, socket, head, (ws) => this.#accept(ws));
    });
    await new Promise<void>((done) => {
      if (typeof at === 'number') server.listen(at, '127.0.0.1', done);
      else server.listen(at, done);
    });
    return server;
  }

  #accept(socket: WebSocket): void {
    const codec = codecFor(socket.protocol as Subprotocol);
    const peer: Peer = { socket, codec, subscriptions: new Set(), answers: new Map(), nextId: 1 };
    this.#peers.add(peer);
    socket.on('close', () => this.#peers.delete(peer));
    socket.on('message', (data: Buffer) => {
      const incoming = codec.decode(data);
      if (incoming.kind === 'invalid') send(peer, { id: incoming.id, error: incoming.error });
      else if (incoming.kind === 'response')
        peer.answers.get(incoming.id as number)?.('result' in incoming ? incoming.result : incoming.error);
      else if (incoming.kind === 'request') this.#handle(peer, incoming.id, incoming);
    });
  }

  #handle(peer: Peer, id: string | number, call: Call): void {
    this.calls.push(call);
    let out: Outgoing;
    try {
      this.before(call);
      out = { id, result: this.#run(peer, call) };
    } catch (e) {
      out = { id, error: asCuratedError(e) };
    }
    const then = this.after(call);
    if (then === 'drop') peer.socket.terminate();
    else if (then === 'answer') send(peer, out);
  }

  #run(peer: Peer, call: Call): unknown {
    switch (call.method) {
      case 'initialize':
        return {
          protocol: 1,
          server: { name: 'fake', version: '1' },
          limits: this.limits,
          presets: [],
          capabilities: {},
        };
      case 'session.open': {
        const name = call.params.session!;
        const resumed = this.sessions.has(name);
        const stored = this.sessions.get(name) ?? { texts: [], keys: new Map(), events: [] };
        this.sessions.set(name, stored);
        const seq = stored.events.length;
        if ((call.params.last_seq ?? 0) > seq)
          throw new CuratedError('SEQ_GAP', undefined, { detail: { expected: seq } });
        return { session: name, resumed, epoch: 0, turn: 0, seq, messages: stored.texts.length, config: {} };
      }
      case 'session.append':
        return this.#once(call.params.session, call.params.key, (stored) => {
          stored.texts.push(...call.params.messages.map((m) => m.text));
          for (const _ of call.params.messages) this.emit(call.params.session, 'io.input');
          const ids = call.params.messages.map((_, i) => `m${stored.texts.length - i}`);
          return {
            ids,
            tokens: ids.map(() => 1),
            total_tokens: stored.texts.length,
            turn: 0,
            seq: stored.events.length,
          };
        });
      case 'llm.prepare': {
        const stored = this.#stored(call.params.session);
        const request = new RawJson(`{"messages":[${stored.texts.join()}]}`);
        return {
          turn: 0,
          seq: stored.events.length,
          request,
          hash: `sha256:${'0'.repeat(64)}`,
          curated: [],
          pending: [],
          fits: true,
        };
      }
      case 'durable.add_decision':
        return this.#once(call.params.session, call.params.key, (stored) => {
          stored.texts.push(call.params.text);
          return { block: stored.texts.join('\n'), tokens: 1 };
        });
      case 'durable.get': {
        const block = this.#stored(call.params.session).texts.join('\n');
        return { plan: null, todos: [], manifest: null, decisions: [], block, is_empty: block === '' };
      }
      case 'session.subscribe': {
        const { session, from_seq } = call.params;
        peer.subscriptions.add(session);
        const events = this.sessions.get(session)?.events ?? [];
        if (from_seq !== undefined && from_seq > events.length + 1) throw new CuratedError('SEQ_GAP');
        for (const { seq, type } of events)
          if (from_seq !== undefined && seq >= from_seq)
            send(peer, { method: type, params: { session, seq, turn: 0, ts: 1 } });
        return { seq: events.length };
      }
      case 'session.unsubscribe':
        return { ended: peer.subscriptions.delete(call.params.session) };
      case 'session.close':
        return { seq: this.#stored(call.params.session).events.length };
      case 'session.fork':
        this.sessions.set(call.params.as!, { texts: [], keys: new Map(), events: [] });
        return { session: call.params.as, seq: 0 };
      case 'session.list':
        return { sessions: [] };
      default:
        return fail('UNSUPPORTED', call.method);
    }
  }

  #stored(session: string): Stored {
    return this.sessions.get(session) ?? fail('UNKNOWN_SESSION');
  }

  #once(session: string, key: string | undefined, run: (stored: Stored) => unknown): unknown {
    const stored = this.#stored(session);
    if (key !== undefined && stored.keys.has(key)) return stored.keys.get(key);
    const result = run(stored);
    if (key !== undefined) stored.keys.set(key, result);
    return result;
  }
}

function send(peer: Peer, out: Outgoing): void {
  if (peer.socket.readyState === WebSocket.OPEN) peer.socket.send(peer.codec.encode(out));
}
