// How a request is turned away: one value for HTTP answers and refused upgrades. Says nothing that depends on a secret.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** All refusals there are. One frozen object each, so that two 401s cannot differ in a byte. */
export const REFUSALS = {
  badRequest: refusal(400, 'bad request'),
  subprotocol: refusal(400, 'offer the subprotocol curated.v1.json or curated.v1.msgpack'),
  unauthorised: refusal(401, 'unauthorised', { 'WWW-Authenticate': 'Bearer' }),
  host: refusal(403, 'host not allowed'),
  origin: refusal(403, 'origin not allowed'),
  scope: refusal(403, 'the token does not have this scope'),
  notFound: refusal(404, 'not found'),
  method: refusal(405, 'only GET', { Allow: 'GET, HEAD' }),
  timeout: refusal(408, 'the request took too long'),
  upgrade: refusal(426, 'this is a WebSocket endpoint', { Upgrade: 'websocket' }),
  tooMany: refusal(429, 'too many failed attempts', { 'Retry-After': '1' }),
  headers: refusal(431, 'headers too large'),
  full: refusal(503, 'too many connections', { 'Retry-After': '1' }),
  draining: refusal(503, 'shutting down', { 'Retry-After': '1' }),
} as const;

/** Writes the refusal on a raw socket and lets go of it; a peer that is gone already is no fault. */
export function refuseSocket(socket: Duplex, r: Refusal): void {
  socket.on('error', () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.once('finish', () => socket.destroy());
  socket.end(rawAnswer(r));
}

/** The refusal as HTTP/1.1 bytes. */
function rawAnswer(r: Refusal): string {
  let head = `HTTP/1.1 ${r.status} ${STATUS_CODES[r.status] ?? ''}\r\n`;
  for (const [name, value] of Object.entries(r.headers)) head += `${name}: ${value}\r\n`;
  return `${head}\r\n${r.body}`;
}

function refusal(status: number, why: string, extra: Record<string, string> = {}): Refusal {
  const body = `${JSON.stringify({ error: why })}\n`;
  const headers = Object.freeze({
    Server: 'curated',
    Connection: extra['Upgrade'] === undefined ? 'close' : 'close, Upgrade',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    ...extra,
  });
  return Object.freeze({ status, body, headers });
}
