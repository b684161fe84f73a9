// The real start of a session: daemon, socket, project folder.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { connect as connectTo } from 'node:net';
import { test } from 'node:test';
import { connect } from '../../src/client/index.js';
import { startDaemon } from '../../src/daemon.js';
import { resolvePaths } from '../../src/paths.js';
import { folder, project } from './project.js';

test('R-12 R-14 SC-3 the real start path gives the packet in time, with nothing unexpanded in it, and makes the map', async (t) => {
  const home = folder(t);
  const daemon = await startDaemon({
    paths: resolvePaths({}, home),
    port: 0,
    memory: true,
    logLevel: 'silent',
  });
  t.after(() => daemon.stop());
  const client = await connect({ home, client: { name: 'test', version: '1' } });
  t.after(() => client.close());
  const root = project(t, 8);
  const open = (session: string) =>
    client.call('session.open', { session, format: 'anthropic', model: 'claude-x', project: root });
  const first = await open('a');
  assert.match(first.packet!.text, /^## L0 — IDENTITY\nShop: Sells things/);
  let packet = first.packet!;
  for (let i = 0; i < 100 && !packet.text.includes('knowledge map'); i += 1) {
    await new Promise((r) => setTimeout(r, 50));
    packet = await client.call('context.packet', { project: root });
  }
  assert.match(packet.text, /Project knowledge map:\n {2}code: /);
  const started = performance.now();
  const second = await open('b');
  const took = performance.now() - started;
  assert.ok(took < 1000, `${took} ms, the socket and a busy machine included`);
  assert.equal(second.packet!.text, packet.text);
  assert.doesNotMatch(packet.text, /\$\{|\{\{|<%|%s|undefined|NaN|\[object/);
  const status = await client.call('daemon.status', {});
  assert.doesNotMatch(JSON.stringify(status), /context_refresh":\{"ok":false/);
});

test('a start that fails at its last step leaves no door open, and nothing half written', async (t) => {
  const paths = resolvePaths({}, folder(t));
  mkdirSync(paths.daemonJson, { recursive: true });
  chmodSync(paths.run, 0o700);
  const start = () => startDaemon({ paths, port: false, memory: true, logLevel: 'silent' });
  await assert.rejects(start(), { code: 'EISDIR' });
  await assert.rejects(
    new Promise((resolve, reject) => connectTo(paths.socket).once('connect', resolve).once('error', reject)),
  );
  assert.deepEqual(readdirSync(paths.run).sort(), ['daemon.json', 'token']);
  rmSync(paths.daemonJson, { recursive: true });
  await (await start()).stop();
});
