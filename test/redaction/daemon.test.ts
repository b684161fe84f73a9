// Redaction in a whole daemon: nothing of a secret on disk, and everything else as if the agent had never said it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../src/client/index.js';
import { applyPatch } from '../../src/client/patch.js';
import { startDaemon } from '../../src/daemon.js';
import { resolvePaths } from '../../src/paths.js';

const SECRET = 'sk-abcdefghijklmnopqrstuv';
const GONE = '[redacted:key]';
const CONFIG = `journal:
  redact:
    - name: key
      pattern: sk-[a-z]{20,}
`;

test('Privacy: what rules take out is nowhere on disk, and resent histories, patches, replay and recall hold', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'curated-redact-'));
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.yaml'), CONFIG);
  const start = () => startDaemon({ paths: resolvePaths({}, home), port: false, logLevel: 'silent' });
  let daemon = await start();
  t.after(async () => {
    await daemon.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const client = await connect({ home, client: { name: 'test', version: '1' } });
  const session = 's';
  const system = `You know ${SECRET}.`;
  const opened = await client.call('session.open', {
    session,
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    preset: 'balanced',
    system,
  });
  assert.equal(opened.redactions, 1);
  const long = `the key is ${SECRET} `.repeat(200);
  const messages: unknown[] = [
    { role: 'user', content: `my key ${SECRET}` },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: { key: SECRET } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: long }] },
  ];
  const appended = await client.call('session.append', { session, messages, key: 'k' });
  assert.equal(appended.redactions, 202);
  assert.deepEqual(await client.call('session.append', { session, messages, key: 'k' }), appended);
  await client.call('durable.add_decision', { session, text: `never tell ${SECRET}` });

  // An agent that resends its history has the original: that is no divergence.
  messages.push({ role: 'assistant', content: 'read' }, { role: 'user', content: 'go on' });
  const prepared = await client.call('llm.prepare', { session, messages, return: 'patch' });
  assert.equal(prepared.redactions, 202);
  const state = await client.call('session.state', { session });
  assert.equal(state.messages, messages.length);
  const request = applyPatch({ system, messages }, prepared.patch!.ops as never) as { system: string };
  assert.equal(request.system, `You know ${GONE}.`);
  const full = await client.call('llm.prepare', { session });
  assert.deepEqual(JSON.parse(JSON.stringify(full.request)), JSON.parse(JSON.stringify(request)));
  assert.equal(full.hash, prepared.hash);
  assert.ok(!JSON.stringify(full).includes(SECRET) && JSON.stringify(full).includes(GONE));

  const stored = await client.call('session.messages', { session });
  assert.equal((stored.messages[0]!.message as { content: string }).content, `my key ${GONE}`);
  await client.call('turn.end', { session });
  assert.equal((await client.call('journal.replay', { session })).identical, true);
  const { hits } = await client.call('recall.search', { session, query: 'key' });
  assert.ok(hits.length > 0);
  await client.close();
  const before = bytesWith(home, SECRET);
  assert.deepEqual(before, []);
  await daemon.stop();
  assert.deepEqual(bytesWith(home, SECRET), []);
  assert.notDeepEqual(bytesWith(home, 'redacted'), []);
  daemon = await start();
});

/** Files below `folder` that hold `text`. */
function bytesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((f) => {
    const path = join(folder, f);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}
