// A process of its own that opens many WebSockets at once over bare sockets and reports what became of them; ends with its parent.
// Started by fork with [port, count, token]; sends {opened, refused, dropped} when each has its answer, and holds what is open.
import { connect } from 'node:net';
import { requestText } from './gate-fixture.js';

const [port, count, token] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const text = requestText('/v1', {
  Host: `127.0.0.1:${port}`,
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol': 'curated.v1.json',
  Authorization: `Bearer ${token}`,
});
const result = { opened: 0, refused: 0, dropped: 0, ms: 0 };
const start = performance.now();

function settle(kind: 'opened' | 'refused' | 'dropped'): void {
  result[kind]++;
  if (result.opened + result.refused + result.dropped < count) return;
  result.ms = performance.now() - start;
  process.send?.(result);
}

for (let i = 0; i < count; i++) {
  const socket = connect({ port, host: '127.0.0.1' });
  let settled = false;
  const once = (kind: 'opened' | 'refused' | 'dropped') => {
    if (!settled) settle(kind);
    settled = true;
  };
  socket.once('data', (chunk) => {
    const line = chunk.toString('latin1', 0, 12);
    once(line === 'HTTP/1.1 101' ? 'opened' : line === 'HTTP/1.1 503' ? 'refused' : 'dropped');
  });
  socket.on('error', () => once('dropped'));
  socket.on('close', () => once('dropped'));
  socket.write(text);
}
process.on('disconnect', () => process.exit());
