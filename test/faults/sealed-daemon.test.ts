// A whole daemon on a sealed journal: everything works as without, and nothing that was said is on disk in the clear. And what
// it makes is its owner's alone.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from '../../src/client/index.js';
import { startDaemon } from '../../src/daemon.js';
import type { CuratedError } from '../../src/errors.js';
import { resolvePaths } from '../../src/paths.js';

const MARKER = 'xylophonequartz';
const OPEN = { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5', preset: 'aggressive' } as const;

function homeOf(t: TestContext, config: string): string {
  const home = mkdtempSync(join(tmpdir(), 'curated-home-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  return home;
}

const start = (home: string) => startDaemon({ paths: resolvePaths({}, home), port: 0, logLevel: 'silent' });

/** A conversation with results that are cleared, a summary, a fork, entries and a search; what a later daemon must still say. */
async function converse(home: string): Promise<string> {
  const client = await connect({ home, client: { name: 'test', version: '1' } });
  await client.call('session.open', { ...OPEN, system: `Know ${MARKER}.` });
  for (let i = 0; i < 14; i++) {
    const append = [
      { role: 'user', content: `question ${i} about ${MARKER}` },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${i}`, name: 'read', input: { path: `${MARKER}${i}` } }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: `${MARKER} line\n`.repeat(300) }],
      },
    ];
    await client.call('llm.prepare', { session: 's', append });
    await client.call('session.append', {
      session: 's',
      messages: [{ role: 'assistant', content: `${MARKER} ${i}` }],
    });
    await client.call('turn.end', { session: 's' });
  }
  await client.call('durable.add_decision', { session: 's', text: `use ${MARKER}` });
  await client.call('memory.compact', { session: 's' });
  await client.call('session.fork', { session: 's', as: 'f' });
  await client.call('context.ingest', {
    project: home,
    entries: [{ id: 'e1', text: `an entry on ${MARKER}`, importance: 5 }],
  });
  const said = await says(client);
  await client.close();
  return said;
}

async function says(client: Awaited<ReturnType<typeof connect>>): Promise<string> {
  await client.call('session.open', OPEN);
  const { messages } = await client.call('session.messages', { session: 's' });
  const replay = await client.call('journal.replay', { session: 's' });
  assert.equal(replay.identical, true);
  const { hits } = await client.call('recall.search', { session: 's', query: MARKER, k: 3 });
  assert.ok(hits.length > 0, 'found by search');
  return JSON.stringify([messages, replay.requests, hits.map((h) => h.handle)]);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((f) => join(folder, f));
}

const holding = (home: string, text: string) =>
  filesBelow(home).filter((f) => statSync(f).isFile() && readFileSync(f).includes(text));

test('Privacy: with a key no file of the daemon holds a word that was said, while it runs and after; a restart has it all', async (t) => {
  const home = homeOf(t, 'journal:\n  encrypt:\n    key_env: CURATED_TEST_KEY\n');
  process.env['CURATED_TEST_KEY'] = 'ab'.repeat(32);
  t.after(() => delete process.env['CURATED_TEST_KEY']);
  let daemon = await start(home);
  t.after(() => daemon.stop());
  const said = await converse(home);
  assert.deepEqual(holding(home, MARKER), []);
  await daemon.stop();
  assert.deepEqual(holding(home, MARKER), []);

  process.env['CURATED_TEST_KEY'] = 'cd'.repeat(32);
  const before = readFileSync(join(home, 'data/journal.db'));
  await assert.rejects(start(home), (e: CuratedError) => {
    assert.equal(e.kind, 'CONFIG');
    assert.match(e.message, /another key/);
    return true;
  });
  assert.deepEqual(readFileSync(join(home, 'data/journal.db')), before);

  process.env['CURATED_TEST_KEY'] = 'ab'.repeat(32);
  daemon = await start(home);
  const client = await connect({ home, client: { name: 'test', version: '1' } });
  assert.equal(await says(client), said);
  const { text } = await client.call('context.packet', { project: home });
  assert.match(text, new RegExp(MARKER), 'entries are there again');
  await client.close();
  // Before its folder goes: what it could not write by then it would tell.
  await daemon.stop();
});

test('Privacy: every file that the daemon makes is 0600 and every folder 0700', async (t) => {
  const home = homeOf(t, '');
  const mask = process.umask(0);
  t.after(() => process.umask(mask));
  const daemon = await start(home);
  t.after(() => daemon.stop());
  await converse(home);
  const check = () => {
    const wrong: string[] = [];
    for (const path of filesBelow(home)) {
      const s = statSync(path);
      const mode = s.mode & 0o777;
      if (path === join(home, 'config.yaml')) continue;
      if (mode !== (s.isDirectory() ? 0o700 : 0o600))
        wrong.push(`${mode.toString(8)} ${path.slice(home.length)}`);
    }
    return wrong;
  };
  assert.deepEqual(check(), []);
  assert.ok(filesBelow(home).length > 8);
  await daemon.stop();
  assert.deepEqual(check(), []);
});
