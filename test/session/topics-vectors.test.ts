// Layer 3 with the client's embedder: the seed's rule over its vectors, whatever they are and whenever they come.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Talk } from './topics-kit.js';

/** Vectors in the order of the inputs. */
function given(...vectors: unknown[]): (text: string) => unknown {
  return () => vectors.shift();
}

async function diagnostics(talk: Talk): Promise<string[]> {
  return (await talk.events('memory.diagnostic')).map((e) => e.what);
}

test('L3-4 the golden through the wire: seed, 0.6 no shift, 0.447214 a shift', async () => {
  const talk = await Talk.open({ embed: given([1, 0], [0.6, 0.8], [0, 1]) });
  for (const text of ['one', 'two', 'three']) await talk.turn(text);
  const shifts = await talk.shifts();
  assert.equal(shifts.length, 1);
  assert.equal(shifts[0].signal, 'embedding');
  assert.equal(shifts[0].similarity, 0.447214);
  assert.deepEqual([shifts[0].from_turn, shifts[0].to_turn, shifts[0].threshold], [0, 2, 0.55]);
  assert.equal(shifts[0].embedder.name, 'fake');
  const vectors = await talk.events('topic.vector');
  assert.deepEqual(
    vectors.map((v) => v.reset),
    [true, false, true],
  );
  assert.equal(vectors[1]._vector, undefined);
});

test('L3-4 threshold 1 and the same vector: none', async () => {
  const talk = await Talk.open({ embed: () => [1, 0], settings: { similarity_threshold: 1 } });
  for (const text of ['one', 'two', 'three']) await talk.turn(text);
  assert.equal((await talk.shifts()).length, 0);
});

test('L3-5 another length or a hole resets the mean with a diagnostic and is no shift', async () => {
  for (const bad of [
    [0, 1, 0],
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, 0],
    [1e300, 0],
  ]) {
    const talk = await Talk.open({ embed: given([1, 0], bad, [0, 1]) });
    for (const text of ['one', 'two', 'three']) await talk.turn(text);
    assert.equal((await talk.shifts()).length, 0, JSON.stringify(bad));
    assert.deepEqual(await diagnostics(talk), ['bad_vector']);
    assert.equal((await talk.events('topic.reset')).length, 1);
  }
});

test('L3-5 another model of another length begins anew, with a diagnostic', async () => {
  const talk = await Talk.open({ embed: given([1, 0], [0, 1, 0], [0, 1, 0]) });
  await talk.turn('one');
  talk.daemon.caller.embeddings = { model: 'other', dimensions: 3 };
  await talk.turn('two');
  await talk.turn('three');
  assert.equal((await talk.shifts()).length, 0);
  assert.deepEqual(await diagnostics(talk), ['embedder_changed']);
  assert.equal((await talk.state()).topic.vectors, 3);
});

test('F34 a bad vector harms its own input only', async () => {
  const bad = [['x', 1], [null, 1], [0, 0], [1], [], 'vector', { 0: 1 }, null, [[1], [0]]];
  const talk = await Talk.open({ embed: given([1, 0], ...bad, [0.9, 0.1], [0, 1]) });
  await talk.turn('first');
  for (const [i] of bad.entries()) {
    const before = (await talk.state()).topic;
    await talk.turn(`bad ${i}`);
    assert.deepEqual((await talk.state()).topic, before, String(i));
  }
  const found = await talk.events('memory.diagnostic');
  assert.equal(found.length, bad.length);
  assert.ok(
    found.every((e) =>
      e.what === 'bad_vector' ? e.detail.kind === 'BAD_VECTOR' : e.what === 'embeddings_failed',
    ),
  );
  await talk.turn('good');
  assert.equal((await talk.shifts()).length, 0);
  await talk.turn('other');
  assert.equal((await talk.shifts()).length, 1);
});

test('L3-8 a debounced shift by vectors still resets the mean', async () => {
  const talk = await Talk.open({ embed: given([1, 0], [0, 1], [1, 0], [1, 0]) });
  await talk.turn('one');
  await talk.say('two');
  await talk.say('three');
  await talk.end();
  assert.equal((await talk.shifts()).length, 1);
  assert.deepEqual(
    (await talk.events('topic.vector')).map((v) => v.reset),
    [true, true, true],
  );
  await talk.turn('four');
  assert.equal((await talk.shifts()).length, 1);
});

test('L3-9 a phrase begins the mean anew: the next input is measured against the new topic', async () => {
  const talk = await Talk.open({ embed: given([1, 0], [0, 1], [0.1, 1]) });
  await talk.turn('one');
  await talk.turn('New topic: two');
  await talk.turn('three');
  const shifts = await talk.shifts();
  assert.deepEqual(
    shifts.map((s) => s.signal),
    ['phrase'],
  );
});

test('L3-10 an embedder that is missing, fails or answers nothing leaves the phrases, and one that comes later is used', async () => {
  let answers: unknown;
  const talk = await Talk.open({ embed: () => answers });
  talk.daemon.caller.embeddings = undefined;
  await talk.turn('one');
  assert.equal((await talk.events('embeddings.request')).length, 0);
  talk.daemon.caller.embeddings = { model: 'fake', dimensions: 2 };
  await talk.turn('two');
  await talk.turn('Separately, three');
  assert.deepEqual(
    (await talk.shifts()).map((s) => s.signal),
    ['user_explicit'],
  );
  assert.equal((await talk.events('embeddings.request')).length, 2);
  assert.deepEqual(await diagnostics(talk), ['embeddings_failed', 'embeddings_failed']);
  answers = [1, 0];
  await talk.turn('four');
  answers = [0, 1];
  await talk.turn('five');
  assert.deepEqual(
    (await talk.shifts()).map((s) => s.signal),
    ['user_explicit', 'embedding'],
  );
  const [first] = await talk.events('embeddings.request');
  assert.deepEqual([first.model, first.count, typeof first.purpose], ['fake', 1, 'string']);
});

test('L3-15 vectors count in the order of the inputs, whatever order they come in', async () => {
  const open = new Map<string, (v: unknown) => void>();
  const talk = await Talk.open({ embed: (text) => new Promise((resolve) => open.set(text, resolve)) });
  await talk.say('one');
  await talk.end();
  await talk.say('two');
  await talk.end();
  open.get('two')!([0, 1]);
  await new Promise((resolve) => setImmediate(resolve));
  open.get('one')!([1, 0]);
  const [shift] = await talk.shifts();
  assert.deepEqual([shift.from_turn, shift.to_turn, shift.similarity], [0, 1, 0]);
  assert.deepEqual(
    (await talk.events('topic.vector')).map((v) => v.message),
    [0, 1],
  );
});

test('L3-15 a late vector never moves a journalled boundary', async () => {
  const open = new Map<string, (v: unknown) => void>();
  const talk = await Talk.open({ embed: (text) => new Promise((resolve) => open.set(text, resolve)) });
  await talk.say('one');
  await talk.end();
  await talk.say('two');
  await talk.end();
  await talk.say('New topic: three');
  await talk.end();
  open.get('one')!([1, 0]);
  open.get('two')!([0, 1]);
  open.get('New topic: three')!([0, 1]);
  const shifts = await talk.shifts();
  assert.deepEqual(
    shifts.map((s) => [s.signal, s.from_turn, s.to_turn]),
    [['phrase', 0, 2]],
  );
  assert.equal((await talk.state()).topic.from_turn, 2);
});

test('L3-16 what is embedded is what the user typed, cut to embed_max_tokens', async () => {
  const asked: string[] = [];
  const talk = await Talk.open({
    settings: { embed_max_tokens: 5 },
    embed: (text) => {
      asked.push(text);
      return [1, 0];
    },
  });
  await talk.daemon.call('session.append', {
    session: talk.session,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'x', content: 'a file of many words' },
          { type: 'text', text: 'a'.repeat(100) },
        ],
      },
    ],
  });
  await talk.state();
  assert.deepEqual(asked, ['a'.repeat(20)]);
});

test('L3-17 a shift that comes near a closed topic names its start', async () => {
  const talk = await Talk.open({ embed: given([1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 1, 0]), dimensions: 3 });
  for (const text of ['one', 'two', 'three', 'four']) await talk.turn(text);
  const shifts = await talk.shifts();
  assert.deepEqual(
    shifts.map((s) => s.returned_to),
    [undefined, undefined, 1],
  );
});

test('seed mode: no vectors, no model, the phrases of the list alone', async () => {
  const talk = await Talk.open({ settings: { mode: 'seed' } });
  await talk.turn('How long should I roast a chicken?', 'Eighty minutes in the oven.');
  await talk.turn('Write a Postgres migration that adds an index on the orders table.', 'CREATE INDEX ...');
  await talk.turn('换个话题：数据库备份怎么做？', 'ok');
  assert.equal((await talk.shifts()).length, 0);
  await talk.turn('On a different note: tides', 'ok');
  assert.deepEqual(
    (await talk.shifts()).map((s) => s.signal),
    ['phrase'],
  );
});
