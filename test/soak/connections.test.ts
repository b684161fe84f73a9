// As many connections as the limit allows, each of them served.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { LIMITS } from '../../src/config.js';
import { daemonProcess } from '../wire/daemon-process.js';

/** Descriptors that a process may have: both ends need one for each connection. */
function descriptors(): number {
  const said = execFileSync('sh', ['-c', 'ulimit -n']).toString().trim();
  return said === 'unlimited' ? Number.POSITIVE_INFINITY : Number(said);
}

test('4,000 connections at once are open, initialized and answered', async (t) => {
  const wanted = LIMITS.connections.default;
  if (descriptors() < wanted + 500) {
    t.skip(`needs ulimit -n of at least ${wanted + 500}`);
    return;
  }
  const daemon = await daemonProcess(t);
  const address = `ws+unix://${daemon.home}/run/curated.sock:/v1`;
  const sockets: WebSocket[] = [];
  const open = async (): Promise<void> => {
    const ws = new WebSocket(address, 'curated.v1.json', { perMessageDeflate: false });
    sockets.push(ws);
    await new Promise((resolve, reject) => {
      ws.once('open', resolve);
      ws.once('error', reject);
    });
    await ask(ws, 'initialize', { protocol: 1, client: { name: 'soak', version: '1' } });
  };
  while (sockets.length < wanted) await Promise.all(Array.from({ length: 100 }, open));
  const answers = await Promise.all(sockets.map((ws) => ask(ws, 'session.list', {})));
  assert.equal(answers.length, wanted);
  const status = (await ask(sockets[0]!, 'daemon.status', {})) as { connections: number };
  assert.equal(status.connections, wanted);
  for (const ws of sockets) ws.terminate();
  const { code } = await daemon.end('SIGTERM');
  assert.equal(code, 0);
});

function ask(ws: WebSocket, method: string, params: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    ws.once('message', (data) => {
      const answer = JSON.parse(String(data)) as { result?: unknown; error?: { message: string } };
      if (answer.error === undefined) resolve(answer.result);
      else reject(new Error(answer.error.message));
    });
    ws.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  });
}
