// Replay rebuilds every request from the recorded decisions: under another build of every heuristic, and with none at all.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SqliteStore, type Store } from '../../src/journal/index.js';
import { replay } from '../../src/session/commands/replay.js';
import { SessionRegistry } from '../../src/session/registry.js';
import { PLUGIN_IDS } from '../../src/settings/index.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from '../session/bench-daemon.js';
import { compact, FakeSummariser, open, prepare, S } from '../session/condensing.js';

const TOOLS = ['Read', 'Grep', 'Deploy', 'Mail'].map((name) => ({
  name,
  description: `${name} does what its name says, at length. `.repeat(150),
  input_schema: { type: 'object', properties: { n: { type: 'number' } } },
}));

/** A session that every layer decides about: preset aggressive, layers 1 to 5. */
async function aggressive(store: Store): Promise<string[]> {
  const d = new BenchDaemon({ store, summariser: new FakeSummariser() });
  const ids = [
    PLUGIN_IDS.toolResultClear,
    PLUGIN_IDS.toolDefPruner,
    PLUGIN_IDS.topicPruner,
    PLUGIN_IDS.summaryBuffer,
    PLUGIN_IDS.compaction,
    PLUGIN_IDS.contextWindow,
  ];
  await open(d, ids, {
    tools: TOOLS,
    system: 'Be brief.',
    context_window: 24_000,
    max_output_tokens: 1000,
    curated: { preset: 'aggressive' },
  });
  for (let n = 0; n < 26; n++) {
    const topic =
      n < 13 ? 'the parser of the compiler' : "let's switch topics: the garden, its roses and tulips";
    const body = `${n} ${topic} `.repeat(150);
    await prepare(d, [user(`${topic}, step ${n}`)]);
    const [ask, result] = toolRound(`t${n}`, n % 2 === 0 ? 'Read' : 'Grep', { n: n % 5 }, body);
    await d.call('session.append', { session: S, messages: [ask, result] });
    await d.call('turn.end', { session: S, final: false });
    await prepare(d);
    await d.call('session.append', { session: S, messages: [assistant(`About ${topic}: done with ${n}.`)] });
    if (n === 20) await d.call('durable.set_plan', { session: S, title: 'Plan', text: 'plant tulips' });
    const usage = {
      input_tokens: 500,
      cache_read_input_tokens: 3000,
      cache_creation_input_tokens: 900,
      output_tokens: 40,
    };
    await d.call('turn.end', { session: S, usage });
    if (n === 17) await compact(d);
  }
  await prepare(d, [user('and then?')], { return: 'patch' });
  await prepare(d, [user('a title for this')], { task_kind: 'title' });
  await store.flush('sync');
  const seen = new Set<string>();
  for (let from = 1; ; ) {
    const page = await d.call('journal.read', { session: S, from_seq: from });
    for (const e of page.events) seen.add(e.type === 'memory.curated' ? e.layer : e.type);
    if (page.events.length === 0) return [...seen];
    from = page.next_seq;
  }
}

async function fileWith(t: TestContext): Promise<{ path: string; seen: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'curated-replay-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'journal.db');
  const store = await SqliteStore.open(path);
  const seen = await aggressive(store);
  await store.close();
  return { path, seen };
}

/** Everything a session could ask for throws, the store and what an idle session needs aside. */
function throwing(store: Store): ConstructorParameters<typeof SessionRegistry>[0] {
  const known: Record<string, unknown> = {
    store,
    limits: { messagesAnAppend: 1, messagesATurn: 1, commandsASession: 8, snapshotEvents: 1 },
    clock: { mono: () => 0, now: thrower('clock.now') },
    configVersion: () => 1,
  };
  return new Proxy(known, {
    get: (target, name) => target[String(name)] ?? thrower(String(name)),
  }) as never;
}

function thrower(name: string): () => never {
  return () => {
    throw new Error(`a replay asked for ${name}`);
  };
}

test('J-9 J-10 a journal of preset aggressive, layers 1 to 5, replays with every heuristic, tokenizer, embedder, summariser, clock and setting made to throw', async (t) => {
  const { path, seen } = await fileWith(t);
  const expected = [
    'tool_result_clear',
    'tool_def_pruner',
    'memory.topic_shift_detected',
    'memory.compacted',
    'durable.placed',
  ];
  assert.deepEqual(
    expected.filter((e) => !seen.includes(e)),
    [],
    `decided: ${seen.join(' ')}`,
  );

  const script = fileURLToPath(new URL('./only-decisions.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, path, 'default', S]);
  const alone = JSON.parse(stdout) as Json;
  assert.deepEqual([alone.identical, alone.mismatches], [true, []]);
  assert.ok(alone.requests > 50, `${alone.requests} requests`);

  // The same through a daemon of another build: no layer, other thresholds, and nobody to ask.
  const store = await SqliteStore.open(path);
  t.after(() => store.close());
  const other = new BenchDaemon({ store });
  other.rooms.registry = new SessionRegistry(throwing(store));
  assert.deepEqual(await other.call('journal.replay', { session: S }), alone);
});

test('J-10 a daemon with other thresholds and layers disabled replays what another wrote, and goes on from there', async (t) => {
  const { path } = await fileWith(t);
  const store = await SqliteStore.open(path);
  t.after(() => store.close());
  const before = await replay(store, { tenant: 'default', session: S });
  const layers = [
    {
      value: { plugins: { active: [] }, curated: { preset: 'conservative', cost_rule: 'off' } },
      origin: 'another build',
    },
  ];
  const d = new BenchDaemon({ store, layers: layers as never });
  assert.deepEqual(await d.call('journal.replay', { session: S }), before);
  await open(d, [], { curated: { preset: 'off' } });
  await prepare(d, [user('go on')]);
  const after = await d.call('journal.replay', { session: S });
  assert.deepEqual([after.identical, after.requests], [true, before.requests + 1]);
  // Before its folder goes: what it could not write by then it would tell.
  await store.close();
});

test('J-9 a replay that is made to decide anew is caught: one changed decision is a mismatch', async (t) => {
  const { path } = await fileWith(t);
  const store = await SqliteStore.open(path);
  t.after(() => store.close());
  const key = { tenant: 'default', session: S };
  const read: Store['read'] = async (...args) =>
    (await store.read(...args)).map((r) =>
      r.type === 'memory.tool_result_cleared' && r.payload['_edits'] !== undefined
        ? { ...r, payload: { ...r.payload, _edits: [] } }
        : r,
    );
  const lying = { read, blobs: store.blobs.bind(store) } as Store;
  const found = await replay(lying, key);
  assert.equal(found.identical, false);
  assert.ok(found.mismatches.length > 10);
});
