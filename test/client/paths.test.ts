// One resolver for daemon, command line and client.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../src/client/index.js';
import { checkSocketPath, resolvePaths } from '../../src/paths.js';

test('CURATED_HOME puts everything under one folder, and an explicit home goes before it', () => {
  assert.deepEqual(resolvePaths({ CURATED_HOME: '/h' }), {
    config: '/h/config.yaml',
    data: '/h/data',
    run: '/h/run',
    socket: '/h/run/curated.sock',
    daemonJson: '/h/run/daemon.json',
    tokenFile: '/h/run/token',
    namedTokens: '/h/data/tokens.json',
  });
  assert.equal(resolvePaths({ CURATED_HOME: '/h' }, '/other').data, '/other/data');
  assert.equal(resolvePaths({ CURATED_HOME: 'rel' }).data, resolve('rel/data'));
});

test('without it the XDG folders are used, relative ones ignored', () => {
  const xdg = { HOME: '/u', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d', XDG_RUNTIME_DIR: '/r' };
  const p = resolvePaths(xdg);
  assert.deepEqual([p.config, p.data, p.run], ['/c/curated/config.yaml', '/d/curated', '/r/curated']);
  const bare = resolvePaths({ HOME: '/u', XDG_DATA_HOME: 'rel', CURATED_HOME: '' });
  assert.deepEqual(
    [bare.config, bare.data, bare.run],
    ['/u/.config/curated/config.yaml', '/u/.local/share/curated', '/u/.local/state/curated/run'],
  );
});

test('a socket path over 107 bytes is an error that says so', async () => {
  const fits = `/${'x'.repeat(106)}`;
  assert.equal(checkSocketPath(fits), fits);
  for (const path of [`${fits}x`, `/${'é'.repeat(54)}`])
    assert.throws(() => checkSocketPath(path), { kind: 'CONFIG', message: /10[89] bytes.*at most 107/ });
  await assert.rejects(connect({ client: { name: 't', version: '1' }, socket: `${fits}x` }), {
    kind: 'CONFIG',
  });
});
