// Snapshots of sessions: taken when a session leaves memory and now and then in between, read back in place of the events
// before them, refused whenever something about them is not as it must be.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exportJsonl, MemoryStore, references, type SessionKey } from '../../src/journal/index.js';
import type { MethodName } from '../../src/protocol/index.js';
import { Redactor } from '../../src/redaction/redactor.js';
import { redactParams } from '../../src/service/redact-params.js';
import { foldState, resume } from '../../src/session/load.js';
import { bodyOf, openBody, stateHash } from '../../src/session/snapshot/body.js';
import { codeMark } from '../../src/session/snapshot/code.js';
import { packed, SNAPSHOT_FORMAT, unpacked } from '../../src/session/snapshot/container.js';
import { VERSION } from '../../src/version.js';
import { assistant, BenchDaemon, clearing, toolRound, user } from './bench-daemon.js';

const KEY: SessionKey = { tenant: 'default', session: 's' };
const IDLE = 300_000;
const OPEN = {
  session: 's',
  format: 'anthropic',
  model: 'claude-sonnet-4-5',
  config: clearing({ age_turns: 1, size_bytes_threshold: 50 }, { cost_rule: 'off' }),
};

async function talk(d: BenchDaemon, events: number): Promise<void> {
  let seq = 0;
  for (let i = 0; seq < events; i += 1) {
    // Some results are long enough to be blobs.
    const output = `line ${i} of what is read\n`.repeat(i % 5 === 0 ? 120 : 4);
    const append = [user(`q${i}`), ...toolRound(`c${i}`, 'read', { i }, output), assistant('a')];
    await d.call('llm.prepare', { session: 's', append });
    ({ seq } = await d.call('turn.end', { session: 's' }));
  }
}

/** A session of so many events. */
async function started(events: number): Promise<{ d: BenchDaemon; store: MemoryStore }> {
  const store = new MemoryStore();
  const d = new BenchDaemon({ store });
  await d.call('session.open', OPEN);
  await talk(d, events);
  return { d, store };
}

async function park(d: BenchDaemon): Promise<void> {
  d.clock.advance(IDLE);
  assert.equal(await d.registry.park(IDLE), 1);
}

test('J-12 a session that leaves memory leaves a snapshot, which is what its events give, and comes back from it', async () => {
  const [{ d, store }, twin] = [await started(300), await started(300)];
  await park(d);
  twin.d.clock.advance(IDLE);
  const found = await resume(store, KEY);
  assert.equal(found.snapshot, (await store.head(KEY))!.seq);
  assert.equal(stateHash(found.state), stateHash(await foldState(store, KEY)));
  const reads: number[] = [];
  const read = store.read.bind(store);
  store.read = (key, from, limit) => {
    reads.push(from);
    return read(key, from, limit);
  };
  const next = { session: 's', append: [user('and now?')] };
  assert.deepEqual(await d.call('llm.prepare', next), await twin.d.call('llm.prepare', next));
  assert.deepEqual(reads, [found.snapshot + 1], 'only what came after is read');
  // What little came since is folded: it is not worth another snapshot.
  await park(d);
  assert.equal((await store.loadSnapshot(KEY))!.seq, found.snapshot);
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});

test('J-12 a session of few events gets no snapshot', async () => {
  const { d, store } = await started(60);
  await park(d);
  assert.equal(await store.loadSnapshot(KEY), undefined);
});

test('J-12 a session in use gets a snapshot after many events, which serves the next daemon', async () => {
  const { d, store } = await started(2_300);
  // When nothing else is going on.
  await new Promise(setImmediate);
  await d.registry.settle();
  const { seq } = (await store.loadSnapshot(KEY))!;
  assert.ok(seq >= 2_048, `at ${seq}`);
  const next = new BenchDaemon({ store, clock: d.clock });
  const call = { session: 's', append: [user('and now?')] };
  assert.equal((await resume(store, KEY)).snapshot, seq);
  await next.call('llm.prepare', call);
  assert.equal((await next.call('journal.replay', { session: 's' })).identical, true);
  assert.deepEqual(next.notices, []);
});

test('J-12 J-2 a snapshot that is damaged, of another format or build, or not of its place is told and folded over', async () => {
  const { d, store } = await started(300);
  await park(d);
  const { seq, hash, bytes } = (await store.loadSnapshot(KEY))!;
  const whole = stateHash(await foldState(store, KEY));
  const end = bytes.indexOf(10);
  const line = Buffer.from(bytes.subarray(0, end)).toString();
  const withLine = (other: string) => Buffer.concat([Buffer.from(other), bytes.subarray(end)]);
  const earlier = await packed(bodyOf(await foldState(store, KEY, seq - 1)));
  // The same version, built from other sources.
  const text = bodyOf(await foldState(store, KEY)).toString('latin1');
  const otherCode = Buffer.from(text.replace(codeMark(), codeMark().replace(/./g, 'a')), 'latin1');
  assert.notEqual(otherCode.toString('latin1'), text);
  const flipped = (at: number) => {
    const copy = new Uint8Array(bytes);
    copy[at]! ^= 4;
    return copy;
  };
  const cases: [why: string, bytes: Uint8Array][] = [
    ['damaged', bytes.subarray(0, bytes.length - 1)],
    ['damaged', new Uint8Array([1, 2, 3])],
    ['damaged', new Uint8Array(0)],
    ['damaged', flipped(bytes.length - 9)],
    ['damaged', flipped(end + 5)],
    ['format', withLine(line.replace(`"curated_snapshot":${SNAPSHOT_FORMAT}`, '"curated_snapshot":0'))],
    ['format', withLine(line.replace(`"curated_snapshot":${SNAPSHOT_FORMAT}`, '"curated_snapshot":99'))],
    ['build', withLine(line.replace(VERSION, '0.0.9'))],
    ['build', await packed(otherCode)],
    ['place', earlier],
    ['unreadable', await packed(Buffer.from([200, 0, 0, 0, 1]))],
  ];
  for (const [why, other] of cases) {
    store.saveSnapshot(KEY, seq, hash, other);
    const { state, snapshot, refused } = await resume(store, KEY);
    assert.deepEqual({ snapshot, refused }, { snapshot: 0, refused: why });
    assert.equal(stateHash(state), whole);
  }
  const next = new BenchDaemon({ store, clock: d.clock });
  await next.call('session.state', { session: 's' });
  assert.equal(next.notices.length, 1, 'the operator is told');
  await park(next);
  assert.equal((await resume(store, KEY)).snapshot, seq, 'and there is a good one again');
});

test('J-12 a byte of a snapshot flipped anywhere never gives another state', async () => {
  const { d, store } = await started(300);
  await park(d);
  const { seq, hash, bytes } = (await store.loadSnapshot(KEY))!;
  const whole = stateHash(await foldState(store, KEY));
  for (let at = 0; at < bytes.length; at += 97) {
    const copy = new Uint8Array(bytes);
    copy[at]! ^= 1 << (at & 7);
    store.saveSnapshot(KEY, seq, hash, copy);
    const { state, refused } = await resume(store, KEY);
    assert.equal(stateHash(state), whole);
    assert.notEqual(refused, undefined);
  }
});

test('J-12 long texts stay where they are: a snapshot names them, and one that is missing is told', async () => {
  const { d, store } = await started(300);
  await park(d);
  const blobs = store.blobs.bind(store);
  const asked: string[] = [];
  store.blobs = async (key, hashes) => {
    asked.push(...hashes);
    return blobs(key, hashes);
  };
  assert.notEqual((await resume(store, KEY)).snapshot, 0);
  const records = await store.read(KEY, 1, 1_000);
  assert.ok(asked.length > 3);
  assert.deepEqual(
    [...new Set(asked)].filter((h) => !records.some((r) => references(r.payload).includes(h))),
    [],
  );
  store.blobs = async () => {
    store.blobs = blobs;
    return new Map();
  };
  const { refused, state } = await resume(store, KEY);
  assert.equal(refused, 'texts');
  assert.equal(stateHash(state), stateHash(await foldState(store, KEY)));
});

test('J-12 J-11 forgotten, rewound, forked and exported journals take no snapshot of the old one with them', async () => {
  const { d, store } = await started(300);
  await park(d);
  const lines = async () => {
    const out: string[] = [];
    for await (const l of exportJsonl(store, KEY)) out.push(l);
    return out.join('\n');
  };
  const exported = await lines();
  assert.ok(!exported.includes('curated_snapshot'));
  await d.call('session.fork', { session: 's', as: 'fork' });
  assert.equal(await store.loadSnapshot({ ...KEY, session: 'fork' }), undefined);

  await d.call('session.open', OPEN);
  const { epoch } = await d.call('session.rewind', { session: 's', to_seq: 280 });
  assert.equal(await store.loadSnapshot(KEY), undefined);
  d.clock.advance(IDLE);
  await d.registry.park(IDLE);
  // The journal says an older epoch than the clients know, and so does its snapshot.
  const { snapshot, state } = await resume(store, KEY);
  assert.equal(snapshot, 280);
  assert.equal(stateHash(state), stateHash(await foldState(store, KEY)));
  assert.equal((await d.call('session.open', OPEN)).epoch, epoch + 1);
});

test('Privacy: what a forgotten session was being written into is not written any more', async () => {
  const { d, store } = await started(300);
  const saved: number[] = [];
  const save = store.saveSnapshot.bind(store);
  store.saveSnapshot = (key, seq, hash, bytes) => {
    saved.push(seq);
    save(key, seq, hash, bytes);
  };
  const actor = await d.registry.get('default', 's');
  d.clock.advance(IDLE);
  const parking = d.registry.park(IDLE);
  assert.equal(actor.parked, true, 'the snapshot is being packed');
  actor.forsake();
  await parking;
  assert.deepEqual(saved, []);
  await d.call('session.forget', { session: 's' });
  assert.equal(await store.head(KEY), undefined);
});

const fixtures = resolve(fileURLToPath(import.meta.url), '../../../../test/fixtures/journal');

test('F50 J-2 a golden snapshot is read as it was by the format and build that wrote it, and refused by every other', async () => {
  const names = readdirSync(fixtures).filter((f) => f.startsWith('snapshot-') && f.endsWith('.txt'));
  assert.ok(names.length > 0);
  for (const name of names) {
    const [format, build, hash] = readFileSync(join(fixtures, name), 'utf8').trim().split(' ');
    const body = await unpacked(readFileSync(join(fixtures, name.replace('.txt', '.bin'))));
    // Where the last of these fails, what a state holds has changed and SNAPSHOT_FORMAT has not.
    if (format !== `${SNAPSHOT_FORMAT}`) assert.equal(body, 'format', name);
    else if (build !== VERSION) assert.equal(body, 'build', name);
    else assert.equal(stateHash(openBody(body as Buffer).state(new Map())), hash, name);
  }
});

test('J-12 J-6 verify says when a snapshot is not what the events give; the events win, in memory too', async () => {
  const { d, store } = await started(300);
  await park(d);
  const { seq, hash } = (await store.loadSnapshot(KEY))!;
  const sound = await d.call('journal.verify', {});
  assert.deepEqual([sound.snapshots, sound.differing], [1, []]);
  const whole = await foldState(store, KEY, seq);
  const truth = stateHash(whole);
  // Well formed, of this build and of its place: nothing but a comparison finds it.
  whole.messageTokens += 1000;
  store.saveSnapshot(KEY, seq, hash, await packed(bodyOf(whole)));
  await d.call('session.state', { session: 's' });
  const tokens = async () => (await d.call('session.list', {})).sessions[0].tokens;
  const wrong = await tokens();
  const { differing, broken } = await d.call('journal.verify', { session: 's' });
  assert.deepEqual([differing.length, differing[0].session, differing[0].seq, broken], [1, 's', seq, []]);
  const { state, snapshot } = await resume(store, KEY);
  assert.deepEqual([snapshot, stateHash(state)], [seq, truth]);
  assert.equal(
    await tokens(),
    wrong - 1000,
    'the session that was taken up from it has the state of its events',
  );
  assert.deepEqual((await d.call('journal.verify', {})).differing, []);
});

test('J-12 Privacy: a snapshot holds nothing of what redaction took out', async () => {
  const secret = 'sk-abcdefghijklmnopqrstuv';
  const store = new MemoryStore();
  const d = new BenchDaemon({ store });
  const rules = new Redactor([{ name: 'key', pattern: 'sk-[a-z]{20,}' }]);
  const call = (method: MethodName, params: object) =>
    d.call(method, redactParams(method, { session: 's', ...params }, rules).params);
  await call('session.open', { ...OPEN, system: `You know ${secret}.` });
  let seq = 0;
  for (let i = 0; seq < 300; i += 1) {
    const output = `the key is ${secret}\n`.repeat(i % 5 === 0 ? 120 : 4);
    const append = [user(`q${i} ${secret}`), ...toolRound(`c${i}`, 'read', { key: secret }, output)];
    await call('llm.prepare', { append: [...append, assistant(`it is ${secret}`)] });
    await call('durable.add_decision', { text: `keep ${secret}` });
    ({ seq } = await call('turn.end', {}));
  }
  await park(d);
  const { bytes } = (await store.loadSnapshot(KEY))!;
  const body = (await unpacked(bytes)) as Buffer;
  assert.ok(body.includes('[redacted:key]'), 'texts stand in it as they are');
  assert.ok(!body.includes(secret) && !body.includes('abcdefghijklmnop'));
});
