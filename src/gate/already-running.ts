// The fault of starting a second daemon; the command line turns it into exit code 3. Also tells a daemon from a stranger.
import { connect, type NetConnectOpts } from 'node:net';
import { CuratedError } from '../errors.js';

export class AlreadyRunningError extends CuratedError {
  /** The socket path or address that answered. */
  readonly where: string;

  constructor(where: string) {
    super('BUSY', `already running: a daemon has ${where}`, { detail: { where } });
    this.name = 'AlreadyRunningError';
    this.where = where;
  }
}

export type Probe = 'nobody' | 'daemon' | 'stranger';

const PROBE_MS = 1000;
const QUESTION = 'GET /v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/**
 * Who listens there? The answer of our own door is a 426 by `Server: curated`. A listener that accepts and does not answer
 * properly may be a daemon that is busy or full; `unsure` says what that counts as.
 * @throws the socket's own error when it cannot be reached for another reason (EACCES).
 */
export function probe(target: NetConnectOpts, unsure: 'daemon' | 'stranger'): Promise<Probe> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(target);
    socket.setTimeout(PROBE_MS);
    const done = (result: Probe) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => socket.write(QUESTION));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (/\r\nserver: curated\r\n/i.test(text)) done('daemon');
      else if (text.length > 4096 || text.includes('\r\n\r\n')) done('stranger');
    });
    socket.once('timeout', () => done(unsure));
    socket.once('end', () => done(unsure));
    socket.once('error', (e: NodeJS.ErrnoException) => {
      if (e.code === 'ECONNREFUSED' || e.code === 'ENOENT') done('nobody');
      else if (e.code === 'EAGAIN' || e.code === 'ECONNRESET' || e.code === 'EPIPE') done(unsure);
      else reject(e);
    });
  });
}
