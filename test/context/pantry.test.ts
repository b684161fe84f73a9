// The pantry over real folders: refresh, packet from cache, isolation, faults that are seen.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../src/clock.js';
import { EntryStore } from '../../src/context/entry-store.js';
import { writeWhole } from '../../src/context/map-file.js';
import { Pantry } from '../../src/context/pantry.js';
import { placesOf } from '../../src/context/places.js';
import { Health } from '../../src/observe/health.js';
import { about, folder, project, put, SUBJECTS } from './project.js';
import { realCount } from './real-count.js';

function pantry(t: TestContext, data = folder(t), sessions = true) {
  const clock = new ManualClock();
  const health = new Health(clock, 'test');
  const entries = new EntryStore(':memory:');
  const made = new Pantry({ data, clock, count: realCount, entries, health, sessions });
  t.after(() => made.close());
  return { made, clock, health, data, entries };
}

test('R-1 R-5 R-9 SC-2 a refresh writes the map; the packet alone names the topics', async (t) => {
  const { made, data } = pantry(t);
  const root = project(t);
  const done = await made.refresh('default', root);
  assert.equal(done.path, placesOf(data, 'default', root).map);
  const map = readFileSync(done.path!, 'utf8');
  assert.match(map, /^Project knowledge map:\n {2}code: /);
  assert.equal(done.tokens, realCount(map.trim()));
  const packet = made.packet('default', root);
  assert.deepEqual(
    packet.layers.map((l) => l.layer),
    ['L0', 'L1'],
  );
  assert.ok(packet.text.includes('Shop'));
  for (const words of SUBJECTS)
    assert.ok(
      words.some((w) => map.includes(w)),
      `${words}: ${map}`,
    );
  assert.match(packet.text, /: 38 files \(36 ts, /);
  assert.doesNotMatch(packet.text, /\$\{|\{\{|undefined|NaN|confidential/);
});

test('R-15 what .gitignore names is not read, with a repository and without one; history is a source', async (t) => {
  const { made } = pantry(t);
  const root = project(t, 3);
  for (let i = 0; i < 8; i += 1) put(root, `ignored/more${i}.ts`, 'confidential payroll '.repeat(40));
  await made.refresh('default', root);
  assert.doesNotMatch(JSON.stringify(made.topics('default', root)), /confidential|payroll/);
  rmSync(join(root, '.git'), { recursive: true });
  await made.refresh('default', root);
  assert.doesNotMatch(JSON.stringify(made.topics('default', root)), /confidential|payroll/);
  execFileSync('git', ['init', '-q'], { cwd: root });
  for (let i = 0; i < 6; i += 1) {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...who, 'commit', '-q', '--allow-empty', '-m', `Harden ${about(1, i)}`], {
      cwd: root,
    });
  }
  await made.refresh('default', root);
  assert.ok(made.topics('default', root).topics.some((x) => x.collection.startsWith('history__')));
});

test('R-8 an unknown project has nothing, another project and another tenant see nothing', async (t) => {
  const { made } = pantry(t);
  const root = project(t);
  await made.refresh('default', root);
  made.ingest('default', root, { entries: [{ id: '1', text: 'private matter' }] });
  const other = folder(t);
  for (const [tenant, where] of [
    ['default', other],
    ['guest', root],
    ['default', join(other, 'no/such')],
  ] as const) {
    assert.equal(made.topics(tenant, where).topics.length, 0);
    assert.doesNotMatch(made.packet(tenant, where).text, /private matter|knowledge map/);
  }
});

test('R-9 a failed refresh is red with time and error until one succeeds, and a packet is still given', async (t) => {
  const { made, health, data } = pantry(t);
  const root = project(t, 6);
  const check = () => health.report().checks['context_refresh']!;
  // A folder stands where the facts are to be written.
  const { facts } = placesOf(data, 'default', root);
  mkdirSync(join(facts, 'in the way'), { recursive: true });
  await assert.rejects(made.refresh('default', root));
  assert.equal(check().ok, false);
  assert.equal(typeof check().last_error!.at, 'number');
  assert.equal(typeof made.packet('default', root).text, 'string');
  await made.refresh('default', project(t, 6));
  assert.equal(check().ok, false, 'another project that works does not hide it');
  rmSync(facts, { recursive: true });
  await made.refresh('default', root);
  assert.equal(check().ok, true);
});

test('R-9 a folder that is not there is told with its time, and leaves nothing red for good', async (t) => {
  const { made, health } = pantry(t);
  await assert.rejects(made.refresh('default', `${folder(t)}/gone`), { kind: 'BAD_TYPE' });
  const check = health.report().checks['context_refresh']!;
  assert.equal(check.ok, true);
  assert.match(check.last_error!.message, /gone: there is no folder/);
  assert.equal(typeof check.last_error!.at, 'number');
});

test('R-9 R-14 SC-3 a session that finds no map gets one made behind it', async (t) => {
  const { made, data } = pantry(t);
  const root = project(t, 6);
  made.keepFresh('default', root);
  const { map } = placesOf(data, 'default', root);
  for (let i = 0; i < 200; i += 1) {
    try {
      readFileSync(map);
      break;
    } catch {
      await new Promise((r) => setTimeout(r, 25));
    }
  }
  assert.match(readFileSync(map, 'utf8'), /knowledge map/);
});

test('R-14 SC-4 a wake-up from cache is far below 100 ms, also beside 100,000 topics', async (t) => {
  const { made } = pantry(t);
  const root = folder(t);
  const taxonomies = Array.from({ length: 100_000 }, (_, i) => ({
    collection: `c${i % 92}__x`,
    label: `Topic ${i}`,
    doc_count: i,
  }));
  const started = performance.now();
  const done = await made.refresh('default', root, { taxonomies });
  assert.ok(performance.now() - started < 10_000);
  assert.ok(done.tokens < 200);
  const cold = performance.now();
  made.packet('default', root);
  const first = performance.now() - cold;
  assert.ok(first < 100, `${first} ms`);
  // The least of several rounds: what else the machine does meanwhile is no part of it.
  const rounds = Array.from({ length: 10 }, () => {
    const warm = performance.now();
    for (let i = 0; i < 20; i += 1) made.packet('default', root);
    return (performance.now() - warm) / 20;
  });
  assert.ok(Math.min(...rounds) < 1);
});

test('R-7 R-15 taxonomies of a client make the map, an empty list gives it back', async (t) => {
  const { made } = pantry(t);
  const root = project(t);
  await made.refresh('default', root, {
    taxonomies: [{ collection: 'rdr__x', label: 'Mine', doc_count: 4 }],
  });
  assert.match(made.packet('default', root).text, /map:\n {2}rdr: Mine \(4\)$/);
  await made.refresh('default', root);
  assert.equal(made.topics('default', root).topics.length, 1, 'they stay over a plain refresh');
  await made.refresh('default', root, { taxonomies: [] });
  assert.match(made.packet('default', root).text, /code: /);
});

test('R-16 a label that a person gave stays over refreshes', async (t) => {
  const { made } = pantry(t);
  const root = project(t);
  await made.refresh('default', root);
  const from = made.topics('default', root).topics[0]!.label;
  await made.refresh('default', root, { labels: [{ from, to: 'Our thing' }] });
  for (let i = 0; i < 20; i += 1) put(root, `src/more/f${i}.ts`, about(i % 3, i + 50));
  await made.refresh('default', root);
  assert.equal(made.topics('default', root).topics.filter((x) => x.label === 'Our thing').length, 1);
  await assert.rejects(made.refresh('default', root, { labels: [{ from: 'none', to: 'x' }] }), {
    kind: 'BAD_TYPE',
  });
});

test('R-10 an old map says so in the packet', async (t) => {
  const { made, clock, data } = pantry(t);
  const root = folder(t);
  writeWhole(placesOf(data, 'default', root).map, 'Project knowledge map:\n  a: B (1)\n');
  clock.advance(Date.now() - clock.now() + 8.5 * 86_400_000);
  const packet = made.packet('default', root);
  assert.match(packet.text, /## Hygiene\nThe knowledge map is 8 days old/);
  assert.equal(packet.stale_days, 8);
});

test('M-6 M-8 M-11 the wake-up is cached, dropped on ingest, and a wing is of one call alone', (t) => {
  const { made } = pantry(t);
  const root = folder(t);
  made.ingest('default', root, {
    entries: [
      { id: 'a', text: 'first thing', wing: 'w' },
      { id: 'b', text: 'other' },
    ],
  });
  assert.match(made.packet('default', root).text, /first thing/);
  assert.doesNotMatch(made.packet('default', root, { wing: 'w' }).text, /other/);
  assert.match(made.packet('default', root).text, /other/);
  made.ingest('default', root, { entries: [{ id: 'c', text: 'second thing', supersedes: 'a' }] });
  const text = made.packet('default', root).text;
  assert.ok(!text.includes('first thing') && text.includes('second thing'));
  assert.deepEqual(made.ingest('default', root, { invalidate: ['c', 'zz'] }), { entries: 0, invalidated: 1 });
  assert.ok(!made.packet('default', root).text.includes('second thing'));
});

test('M-6 M-11 R-12 a store that cannot be opened is a red check, and no failure of the packet', (t) => {
  const data = folder(t);
  const path = join(data, 'entries.db');
  writeFileSync(path, 'this is no database'.repeat(100));
  chmodSync(path, 0o600);
  const clock = new ManualClock();
  const health = new Health(clock, 'test');
  const made = new Pantry({ data, clock, count: realCount, entries: new EntryStore(path), health });
  const packet = made.packet('default', project(t, 1));
  assert.match(packet.text, /Shop/);
  assert.equal(health.report().checks['context_entries']!.ok, false);
  assert.throws(() => made.entries.search({ tenant: 'default', query: 'x', k: 1 }), { kind: 'STORAGE' });
});

/** Digests of one session's requests about a subject. */
function filed(session: string, subject: number, n: number) {
  return Array.from({ length: n }, (_, i) => ({
    id: `${session}:${i}`,
    text: about(subject, i),
    room: 'requests',
  }));
}

test('R-9 R-15 what sessions of a project said is a source of its map, which is made anew when there is enough of it', async (t) => {
  const { made, clock } = pantry(t);
  const root = folder(t);
  execFileSync('git', ['init', '-q'], { cwd: root });
  put(root, 'README.md', '# Shop\n');
  await made.refresh('default', root);
  assert.deepEqual(made.topics('default', root).topics, []);
  clock.advance(3_600_000);
  made.ingest('default', root, { entries: filed('s1', 2, 4) }, 's1');
  await made.settled();
  assert.deepEqual(made.topics('default', root).topics, [], 'four say too little');
  made.ingest('default', root, { entries: filed('s2', 2, 8) }, 's2');
  await made.settled();
  const { topics } = made.topics('default', root);
  assert.ok(topics.length > 0 && topics.every((x) => x.collection.startsWith('sessions__')));
  assert.ok(SUBJECTS[2]!.some((w) => made.packet('default', root).text.includes(w)));
  for (const [tenant, where] of [
    ['guest', root],
    ['default', folder(t)],
  ] as const)
    assert.deepEqual(made.topics(tenant, where).topics, []);
  const asGlobal = await made.refresh('default', root, { global: true });
  assert.equal(asGlobal.path, null, 'other projects are not told');
});

test('R-8 J-13 forgetting a session takes its words out of the map and of what the map was made from', async (t) => {
  const { made, data } = pantry(t);
  const root = project(t);
  made.ingest(
    'default',
    root,
    { entries: filed('s1', 1, 8).map((e) => ({ ...e, text: `${e.text} zirconium plutonium` })) },
    's1',
  );
  await made.refresh('default', root, {});
  const { facts, map } = placesOf(data, 'default', root);
  assert.match(readFileSync(facts, 'utf8'), /zirconium/);
  const [named] = made.topics('default', root).topics;
  await made.refresh('default', root, { labels: [{ from: named!.label, to: 'By hand' }] });
  made.forget('default', 's1');
  const clean = () => !existsSync(facts) || !/zirconium|plutonium|entry:s1/.test(readFileSync(facts, 'utf8'));
  assert.ok(clean(), 'at once');
  await made.settled();
  assert.ok(clean());
  assert.doesNotMatch(readFileSync(map, 'utf8'), /zirconium|plutonium/);
  assert.ok(
    made.topics('default', root).topics.some((x) => x.label === 'By hand'),
    'a label given by hand stays',
  );
  // Forgotten while a refresh that has read its entries is under way, one more among many that stay.
  made.ingest('default', root, { entries: filed('s4', 0, 150) }, 's4');
  const [late] = filed('s5', 0, 1);
  made.ingest('default', root, { entries: [{ ...late!, text: `${late!.text} promethium` }] }, 's5');
  const running = made.refresh('default', root);
  made.forget('default', 's5');
  await running;
  await made.settled();
  assert.equal(/promethium|entry:s5/.test(readFileSync(facts, 'utf8')), false);
  const { made: sealed } = pantry(t, undefined, false);
  sealed.ingest('default', root, { entries: filed('s3', 0, 8) }, 's3');
  await sealed.refresh('default', root);
  assert.ok(sealed.topics('default', root).topics.every((x) => !x.collection.startsWith('sessions__')));
});
