// A whole daemon of the test's own, its journal in memory, and a client that is connected to it over TCP.
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type Client, connect } from '../../src/client/index.js';
import { startDaemon } from '../../src/daemon.js';
import { resolvePaths } from '../../src/paths.js';
import { folder } from '../context/project.js';

export interface OwnDaemon {
  /** `ws://127.0.0.1:PORT/v1`. */
  url: string;
  token: string;
  client: Client;
}

export async function ownDaemon(t: TestContext): Promise<OwnDaemon> {
  const paths = resolvePaths({}, folder(t));
  const daemon = await startDaemon({ paths, port: 0, memory: true, logLevel: 'silent' });
  t.after(() => daemon.stop());
  const url = daemon.url!;
  const token = readFileSync(paths.tokenFile, 'utf8').trim();
  const client = await connect({ url, token, client: { name: 't', version: '1' }, reconnect: false });
  t.after(() => client.close());
  return { url, token, client };
}
