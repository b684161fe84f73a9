// One WebSocket to the daemon, over its unix socket or TCP. Knows frames, not what is in them.
import { connect as connectSocket } from 'node:net';
import { WebSocket } from 'ws';
import type { Subprotocol } from '../protocol/index.js';
import { ClientError } from './errors.js';
import type { Address } from './locate.js';

export interface Transport {
  send(frame: string | Uint8Array): void;
  /** Ends the connection; `onClose` follows. */
  close(): void;
  /** Cuts it without a farewell. */
  terminate(): void;
  onFrame: (frame: Uint8Array) => void;
  onClose: (code: number, reason: string) => void;
}

/** Largest frame the client takes, in bytes; requests of a million tokens stay below 16 MiB. */
const MAX_PAYLOAD = 256 * 1024 * 1024;

/** The first address that answers; the fault of the first one where none does. */
export async function openFirst(
  addresses: readonly Address[],
  subprotocol: Subprotocol,
  openMs: number,
): Promise<Transport> {
  let fault: unknown;
  for (const address of addresses)
    try {
      return await openTransport(address, subprotocol, openMs);
    } catch (e) {
      fault ??= e;
    }
  throw fault;
}

/** Opens a connection, or throws ClientError: UNAUTHORIZED when the token is refused, else NOT_RUNNING. */
function openTransport(address: Address, subprotocol: Subprotocol, openMs: number): Promise<Transport> {
  const options = { perMessageDeflate: false, maxPayload: MAX_PAYLOAD, handshakeTimeout: openMs } as const;
  const socket =
    'socket' in address
      ? new WebSocket('ws://localhost/v1', [subprotocol], {
          ...options,
          // Not a ws+unix: URL, which cannot hold paths with a colon.
          createConnection: () => connectSocket(address.socket),
        })
      : new WebSocket(address.url, [subprotocol], {
          ...options,
          ...(address.token === undefined ? {} : { headers: { authorization: `Bearer ${address.token}` } }),
        });
  return new Promise((resolve, reject) => {
    const transport: Transport = {
      send: (frame) => socket.send(frame),
      close: () => socket.close(1000),
      terminate: () => socket.terminate(),
      onFrame: () => {},
      onClose: () => {},
    };
    let opened = false;
    socket.on('open', () => {
      opened = true;
      resolve(transport);
    });
    socket.on('message', (data: Buffer | ArrayBuffer | Buffer[]) => {
      transport.onFrame(Buffer.isBuffer(data) ? data : Buffer.concat(data as Buffer[]));
    });
    socket.on('unexpected-response', (_request, response) => {
      reject(refused(response.statusCode ?? 0, 'url' in address ? address.url : address.socket));
      socket.terminate();
    });
    // After the opening, an error is always followed by a close.
    socket.on('error', (cause) => {
      if (!opened)
        reject(new ClientError('NOT_RUNNING', `the daemon does not answer: ${cause.message}`, { cause }));
    });
    socket.on('close', (code, reason) => {
      if (opened) transport.onClose(code, reason.toString());
      else reject(new ClientError('NOT_RUNNING', 'the daemon closed the connection at once'));
    });
  });
}

/** An HTTP answer in the place of the upgrade, as the client's error. */
function refused(status: number, at: string): ClientError {
  if (status === 401)
    return new ClientError('UNAUTHORIZED', `the daemon at ${at} does not know the token (401)`);
  const isBusy = status === 429 || status === 503;
  const why = isBusy ? 'takes no connection now' : 'is no curated daemon, or refuses this connection';
  return new ClientError('NOT_RUNNING', `what listens at ${at} ${why} (${status})`);
}
