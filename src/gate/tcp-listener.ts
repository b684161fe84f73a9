// Opens the loopback TCP listener. Knows addresses, no requests.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fail } from '../errors.js';
import { AlreadyRunningError, probe } from './already-running.js';
import { listening } from './listening.js';

const LOOPBACK: Readonly<Record<string, string>> = {
  '127.0.0.1': '127.0.0.1',
  localhost: '127.0.0.1',
  '::1': '::1',
};

/**
 * Listens on a loopback address; port 0 takes any free one, and so does `anyPort` where the port is taken.
 * @returns the WebSocket url.
 * @throws CuratedError CONFIG for another address or a port that another program holds; AlreadyRunningError where a daemon answers.
 */
export async function listenTcp(
  server: Server,
  host: string,
  port: number,
  backlog: number,
  anyPort = false,
): Promise<string> {
  const address = Object.hasOwn(LOOPBACK, host) ? LOOPBACK[host] : undefined;
  if (address === undefined)
    fail('CONFIG', `host ${host}: only 127.0.0.1, localhost or ::1; the daemon stays on this machine`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) fail('CONFIG', `port ${port}: 0 to 65535`);
  try {
    await listening(server, { host: address, port, backlog, exclusive: true });
  } catch (e) {
    const code = (e as NodeJS.ErrnoException).code;
    if (code !== 'EADDRINUSE') fail('CONFIG', `cannot listen on ${address}:${port} (${code})`, { cause: e });
    if (anyPort) return listenTcp(server, host, 0, backlog);
    const who = await probe({ host: address, port }, 'stranger').catch(() => 'stranger');
    if (who === 'daemon') throw new AlreadyRunningError(`${address}:${port}`);
    fail(
      'CONFIG',
      `port ${port} is in use by another program; choose one with --port, or by curated.listen.port of the configuration (0: any free one)`,
      { cause: e },
    );
  }
  const bound = (server.address() as AddressInfo).port;
  return `ws://${address.includes(':') ? `[${address}]` : address}:${bound}/v1`;
}
