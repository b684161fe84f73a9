// The HTTP side of the gate: servers with their timeouts, pages, and refused requests. Knows no WebSocket.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Limits } from '../config.js';
import type { Admission } from './admission.js';
import type { GateLog, GateMetrics, Transport } from './ports.js';
import { REFUSALS, type Refusal, refuseSocket } from './refusal.js';

export interface DoorOptions {
  admission: Admission;
  limits: Limits;
  log: GateLog;
  metrics: GateMetrics;
}

/** An HTTP server that answers pages and hands upgrades on; not listening yet. */
export function createDoor(
  o: DoorOptions,
  transport: Transport,
  upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Server {
  const { limits, metrics } = o;
  const server = createServer({
    headersTimeout: limits.headers_ms,
    requestTimeout: limits.headers_ms,
    connectionsCheckingInterval: Math.min(500, limits.headers_ms),
    keepAliveTimeout: limits.headers_ms,
    maxHeaderSize: limits.header_bytes,
    noDelay: true,
    // Answered by our own Host check, with the same words as any other wrong Host.
    requireHostHeader: false,
  });
  // Sockets past this are dropped by the kernel's acceptor loop; up to it the surplus gets a 503.
  server.maxConnections = limits.connections + limits.pending_sockets;
  server.on('error', (error) => {
    if (server.listening) o.log.error({ err: error, transport }, 'a listener failed');
  });
  server.on('drop', () => metrics.fault('dropped'));
  server.on('upgrade', upgrade);
  server.on('request', (req, res) => void page(o, transport, req, res));
  server.on('checkExpectation', (req, res) => void page(o, transport, req, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const refusal = CLIENT_ERRORS[error.code ?? ''] ?? REFUSALS.badRequest;
    metrics.refused(refusal.status);
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuseSocket(socket, refusal);
  });
  return server;
}

const CLIENT_ERRORS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: REFUSALS.timeout,
  HPE_HEADER_OVERFLOW: REFUSALS.headers,
};

async function page(
  o: DoorOptions,
  transport: Transport,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const admitted = o.admission.page(req, transport);
  if ('refusal' in admitted) {
    const { status, body, headers } = admitted.refusal;
    o.metrics.refused(status);
    res.writeHead(status, headers).end(body);
    return;
  }
  try {
    const { status, type, body } = await admitted.route.answer(admitted.who.tenant);
    res.writeHead(status, {
      Server: 'curated',
      Connection: 'close',
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    res.end(req.method === 'HEAD' ? undefined : body);
  } catch (e) {
    o.log.error({ err: e }, 'a page failed');
    if (!res.headersSent) res.writeHead(500, { Connection: 'close' });
    res.end();
  }
}
