// Tokens over real sockets: names, tenants and scopes, taken up and revoked while the daemon runs.
import assert from 'node:assert/strict';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Client, connect } from '../../src/client/index.js';
import { startDaemon } from '../../src/daemon.js';
import { CuratedError, type ErrorKind } from '../../src/errors.js';
import { addNamedToken, revokeNamedToken, type Scope } from '../../src/gate/index.js';
import { type Paths, resolvePaths } from '../../src/paths.js';
import { folder } from '../context/project.js';

const who = { client: { name: 'test', version: '1' }, reconnect: false } as const;
const open = { session: 's', format: 'anthropic', model: 'claude-opus-4-5' } as const;

interface Running {
  paths: Paths;
  url: string;
  /** A client that comes with a token, once the daemon knows it. */
  as(token: string): Promise<Client>;
}

async function running(t: TestContext): Promise<Running> {
  const paths = resolvePaths({}, folder(t));
  const daemon = await startDaemon({
    paths,
    port: 0,
    memory: true,
    logLevel: 'silent',
    limits: { token_watch_ms: 20 },
  });
  t.after(() => daemon.stop());
  const url = daemon.url!;
  const as = async (token: string) => {
    for (let tries = 0; ; tries++) {
      try {
        const client = await connect({ ...who, url, token });
        t.after(() => client.close());
        return client;
      } catch (e) {
        if (tries > 200) throw e;
        await new Promise((r) => setTimeout(r, 20));
      }
    }
  };
  return { paths, url, as };
}

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; !what(); tries++) {
    assert.ok(tries < 500, `never: ${what}`);
    await new Promise((r) => setTimeout(r, 10));
  }
}

const add = (paths: Paths, name: string, tenant: string, ...scopes: Scope[]) =>
  addNamedToken(paths.tokenFile, { name, tenant, scopes }, { named: paths.namedTokens });

const revoke = (paths: Paths, name: string) =>
  revokeNamedToken(paths.tokenFile, name, { named: paths.namedTokens });

const refused = (kind: ErrorKind, scope: string) => (e: unknown) =>
  e instanceof CuratedError && e.kind === kind && (e.detail as { scope?: string }).scope === scope;

test('F42 a token made while the daemon runs works at once, and only for what it was made for', async (t) => {
  const { paths, as } = await running(t);
  const agent = await as(add(paths, 'ci', 'default', 'agent'));
  assert.equal(statSync(paths.namedTokens).mode & 0o777, 0o600);
  await agent.call('session.open', open);
  await agent.call('session.append', { session: 's', messages: [{ role: 'user', content: 'hi' }] });
  await assert.rejects(agent.call('daemon.stop', {}), refused('FORBIDDEN_SCOPE', 'admin'));

  const reader = await as(add(paths, 'dashboard', 'default', 'read'));
  assert.equal((await reader.call('session.list', {})).sessions[0]!.session, 's');
  assert.equal((await reader.call('session.messages', { session: 's' })).messages.length, 1);
  await assert.rejects(reader.call('session.open', open), refused('FORBIDDEN_SCOPE', 'agent'));
  const append = reader.call('session.append', { session: 's', messages: [{ role: 'user', content: 'x' }] });
  await assert.rejects(append, refused('FORBIDDEN_SCOPE', 'agent'));
  await assert.rejects(reader.call('session.forget', { session: 's' }), refused('FORBIDDEN_SCOPE', 'agent'));
  assert.equal((await reader.call('session.messages', { session: 's' })).messages.length, 1);
});

test('F42 a revoked token ends its connections and no other, and opens none', async (t) => {
  const { paths, url, as } = await running(t);
  const token = add(paths, 'old', 'default', 'agent');
  const [gone, stays] = [await as(token), await as(add(paths, 'new', 'default', 'agent'))];
  const byOwner = await connect({ ...who, socket: paths.socket });
  t.after(() => byOwner.close());
  await gone.call('session.open', open);
  revoke(paths, 'old');
  await until(() => !gone.connected);
  await assert.rejects(gone.call('session.list', {}), /4401/);
  await assert.rejects(connect({ ...who, url, token }));
  assert.equal((await stays.call('session.list', {})).sessions.length, 1);
  assert.ok(byOwner.connected);
  // The name is free again, for another secret.
  const again = await as(add(paths, 'old', 'default', 'read'));
  await assert.rejects(again.call('session.open', open), refused('FORBIDDEN_SCOPE', 'agent'));
  assert.throws(() => revoke(paths, 'nobody'), /there is no token named nobody/);
  assert.throws(() => revoke(paths, 'default'), /remove that/);
});

test("F42 a token file that cannot be used leaves the known tokens; the owner's, removed, is made anew", async (t) => {
  const { paths, as } = await running(t);
  const stays = await as(add(paths, 'ci', 'default', 'agent'));
  const owner = await connect({ ...who, home: join(paths.run, '..'), prefer: 'tcp' });
  t.after(() => owner.close());
  writeFileSync(paths.namedTokens, '{ half', { mode: 0o600 });
  await new Promise((r) => setTimeout(r, 100));
  assert.equal((await stays.call('session.list', {})).sessions.length, 0);
  rmSync(paths.namedTokens);
  await until(() => !stays.connected);
  rmSync(paths.tokenFile);
  await until(() => !owner.connected);
  const renewed = await connect({ ...who, home: join(paths.run, '..'), prefer: 'tcp' });
  t.after(() => renewed.close());
  assert.ok(renewed.connected);
});

test('F42 another tenant sees nothing of this one: sessions, handles, search, figures', async (t) => {
  const { paths, url, as } = await running(t);
  const token = add(paths, 'other', 'other', 'agent', 'metrics');
  const [mine, other] = [await as(add(paths, 'mine', 'default', 'agent')), await as(token)];
  const secret = 'the walrus password is kumquat';
  for (const client of [mine, other]) await client.call('session.open', open);
  await mine.call('session.append', { session: 's', messages: [{ role: 'user', content: secret }] });
  await mine.call('turn.end', { session: 's' });
  await mine.call('session.open', { ...open, session: 'only-mine' });
  assert.deepEqual(
    (await other.call('session.list', {})).sessions.map((s) => s.session),
    ['s'],
  );
  assert.equal((await other.call('session.state', { session: 's' })).messages, 0);
  await assert.rejects(other.call('session.state', { session: 'only-mine' }), { kind: 'UNKNOWN_SESSION' });
  let hits: unknown[] = [];
  for (let i = 0; i < 100 && hits.length === 0; i++) {
    ({ hits } = await mine.call('recall.search', { query: 'walrus kumquat' }));
    await new Promise((r) => setTimeout(r, 20));
  }
  assert.ok(hits.length > 0);
  assert.deepEqual((await other.call('recall.search', { query: 'walrus kumquat' })).hits, []);
  const { sessions, connections, ...status } = await other.call('daemon.status', {});
  assert.deepEqual([sessions, connections], [{ open: 1, stored: 1 }, 1]);
  assert.deepEqual([status.pool, status.journal, status.memory], [{}, {}, undefined]);
  const page = async (path: string) => {
    const at = url.replace('ws:', 'http:').replace('/v1', path);
    return (await fetch(at, { headers: { Authorization: `Bearer ${token}` } })).text();
  };
  const metrics = await page('/metrics');
  assert.match(metrics, /curated_call_seconds_count\{method="session\.open"\} 1\n/);
  assert.doesNotMatch(metrics, /session\.append|curated_sessions|process/);
  assert.deepEqual(JSON.parse(await page('/healthz')), { ok: true });
});
