// A real gate on loopback, with clients for it: `ws` for those who behave, bare sockets for those who do not.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/clock.js';
import { resolveLimits } from '../../src/config.js';
import {
  createGate,
  type Gate,
  type GateConnection,
  type GateOptions,
  TokenTable,
} from '../../src/gate/index.js';
import { createLog, createMetrics, Health, type Metrics, observePages } from '../../src/observe/index.js';

export const TOKEN = 'test-token-0123456789abcdefghijklmnopqrstuv';

export interface Fixture {
  gate: Gate;
  url: string;
  port: number;
  socketPath: string;
  folder: string;
  metrics: Metrics;
  health: Health;
  /** Every line the gate logged, at debug. */
  logged: string[];
  /** Every connection that was accepted. */
  accepted: GateConnection[];
  /** Close codes the gate reported, in order. */
  closes: number[];
  /** A well-behaved client, opened. */
  client(o?: ClientOptions): Promise<WebSocket>;
}

export interface ClientOptions {
  wire?: 'json' | 'msgpack';
  over?: 'tcp' | 'unix';
  ws?: WebSocket.ClientOptions;
}

type FixtureOptions = Partial<Omit<GateOptions, 'limits'>> & { limits?: Record<string, number> };

/** Starts a gate that echoes every message (or does what `onConnection` says) and ends with the test. */
export async function startGate(t: TestContext, o: FixtureOptions = {}): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'gate-'));
  const socketPath = join(folder, 's');
  const logged: string[] = [];
  const accepted: GateConnection[] = [];
  const closes: number[] = [];
  const metrics = createMetrics({ process: false });
  const health = new Health(systemClock, '0.0.0');
  const { limits, onConnection, ...rest } = o;
  const gate = createGate({
    socketPath,
    port: 0,
    tokens: TokenTable.single(TOKEN),
    limits: resolveLimits({ close_ms: 1000, ...limits }),
    log: createLog({ level: 'debug', sink: { write: (line) => logged.push(line) } }),
    metrics: metrics.gate,
    routes: observePages(health, metrics),
    ...rest,
    onConnection(connection) {
      accepted.push(connection);
      connection.onClose((code) => closes.push(code));
      if (onConnection) return onConnection(connection);
      connection.initialized();
      connection.onMessage((data) => connection.send(data));
    },
  });
  const { url } = await gate.listen();
  assert.ok(url);
  const port = Number(new URL(url).port);
  const clients: WebSocket[] = [];
  t.after(async () => {
    for (const ws of clients) ws.terminate();
    await gate.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const client = async ({ wire = 'json', over = 'tcp', ws: options = {} }: ClientOptions = {}) => {
    const target = over === 'tcp' ? url : `ws+unix://${socketPath}:/v1`;
    const headers = over === 'tcp' ? { Authorization: `Bearer ${TOKEN}` } : {};
    const ws = new WebSocket(target, `curated.v1.${wire}`, { headers, perMessageDeflate: false, ...options });
    clients.push(ws);
    ws.on('error', () => {});
    await new Promise<void>((resolve, reject) => {
      ws.once('open', resolve);
      ws.once('error', reject);
    });
    return ws;
  };
  return { gate, url, port, socketPath, folder, metrics, health, logged, accepted, closes, client };
}

export interface Flood {
  opened: number;
  /** Answered with 503. */
  refused: number;
  /** Ended without an answer, or with another one. */
  dropped: number;
  ms: number;
}

/** Opens `count` WebSockets at once from a process of its own, which holds them until the test ends. */
export function flood(t: TestContext, port: number, count: number): Promise<Flood> {
  const child = fork(fileURLToPath(new URL('flood-client.js', import.meta.url)), [
    String(port),
    String(count),
    TOKEN,
  ]);
  t.after(() => child.kill());
  return within(30_000, 'flood', new Promise((resolve) => child.once('message', (m) => resolve(m as Flood))));
}

/** The close code a client sees; fails after `ms`. */
export function closeCode(ws: WebSocket, ms = 5000): Promise<number> {
  return within(ms, 'close', new Promise((resolve) => ws.once('close', (code) => resolve(code))));
}

/** The next message as bytes. */
export function nextMessage(ws: WebSocket, ms = 5000): Promise<Buffer> {
  return within(
    ms,
    'message',
    new Promise((resolve) => ws.once('message', (data) => resolve(data as Buffer))),
  );
}

export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits until `ready` holds; fails after `ms`. */
export async function until(ready: () => boolean, ms = 5000): Promise<void> {
  for (const end = performance.now() + ms; !ready(); await sleep(5)) {
    assert.ok(performance.now() < end, `not reached within ${ms} ms: ${ready}`);
  }
}

export type Headers = Record<string, string | undefined>;

/** The text of an upgrade request; a header given as undefined is left out. */
export function upgradeText(port: number, headers: Headers = {}, path = '/v1'): string {
  return requestText(path, {
    Host: `127.0.0.1:${port}`,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Protocol': 'curated.v1.json',
    Authorization: `Bearer ${TOKEN}`,
    ...headers,
  });
}

export function requestText(path: string, headers: Headers): string {
  const lines = Object.entries(headers).flatMap(([k, v]) => (v === undefined ? [] : [`${k}: ${v}`]));
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends bytes, and gathers what comes until the other side ends or `ms` are over. */
export function exchange(target: NetConnectOpts, text: string, ms = 3000): Promise<string> {
  const socket = connect(target);
  let got = '';
  socket.setTimeout(ms, () => socket.destroy());
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1');
    if (got.startsWith('HTTP/1.1 101')) socket.destroy();
  });
  socket.on('error', () => {});
  socket.write(text);
  return new Promise((resolve) => socket.once('close', () => resolve(got)));
}

/** Status of an HTTP answer, 0 for none. */
export function status(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

/** A socket that is past its upgrade and speaks bytes. */
export class RawClient {
  readonly socket: Socket;
  /** What came after the 101's headers. */
  got = Buffer.alloc(0);
  readonly ended: Promise<void>;

  constructor(socket: Socket) {
    this.socket = socket;
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      this.got = Buffer.concat([this.got, chunk]);
    });
  }

  static async open(port: number, headers: Headers = {}): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    const raw = new RawClient(socket);
    socket.write(upgradeText(port, headers));
    await until(() => raw.got.includes('\r\n\r\n'));
    assert.match(raw.got.toString('latin1'), /^HTTP\/1\.1 101/);
    raw.got = raw.got.subarray(raw.got.indexOf('\r\n\r\n') + 4);
    return raw;
  }

  /** The code of the close frame that came, once the frames before it are skipped; undefined without one. */
  closeFrame(): number | undefined {
    let at = 0;
    while (at + 2 <= this.got.length) {
      const opcode = this.got[at]! & 0x0f;
      let length = this.got[at + 1]! & 0x7f;
      let head = 2;
      if (length === 126) {
        length = this.got.readUInt16BE(at + 2);
        head = 4;
      }
      if (opcode === 8) return length >= 2 ? this.got.readUInt16BE(at + head) : 1005;
      at += head + length;
    }
    return undefined;
  }

  async closed(ms = 5000): Promise<number | undefined> {
    await until(() => this.closeFrame() !== undefined || this.socket.destroyed, ms);
    return this.closeFrame();
  }

  /** Number of frames of one opcode that came. */
  frames(opcode: number): number {
    let n = 0;
    for (let at = 0; at + 2 <= this.got.length; at += 2 + (this.got[at + 1]! & 0x7f)) {
      if ((this.got[at]! & 0x0f) === opcode) n++;
    }
    return n;
  }
}

export interface FrameOptions {
  fin?: boolean;
  rsv?: number;
  opcode?: number;
  mask?: boolean;
  /** Length to claim instead of the payload's. */
  length?: number;
}

/** One client frame; masked with zeros, which leaves the payload readable. */
export function frame(payload: string | Buffer, o: FrameOptions = {}): Buffer {
  const body = Buffer.from(payload);
  const { fin = true, rsv = 0, opcode = 1, mask = true, length = body.length } = o;
  const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode];
  const bit = mask ? 0x80 : 0;
  if (length < 126) head.push(bit | length);
  else if (length < 65_536) head.push(bit | 126, length >> 8, length & 255);
  else {
    const long = Buffer.alloc(8);
    long.writeBigUInt64BE(BigInt(length));
    head.push(bit | 127, ...long);
  }
  return Buffer.concat([Buffer.from(head), mask ? Buffer.alloc(4) : Buffer.alloc(0), body]);
}
