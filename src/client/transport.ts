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

/** Opens a connection, or throws ClientError NOT_RUNNING. */
export function openTransport(
  address: Address,
  subprotocol: Subprotocol,
  openMs: number,
): Promise<Transport> {
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
