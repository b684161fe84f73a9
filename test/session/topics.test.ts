// Layer 3 in a session: what an input's topic does to events, state, journal and view.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadState } from '../../src/session/load.js';
import { Talk, TOPIC } from './topics-kit.js';

const COOKING = [
  [
    'How long should I roast a chicken with potatoes in the oven?',
    'Roast the chicken with the potatoes for about eighty minutes in a hot oven; the meat thermometer should show 75 degrees.',
  ],
  [
    'Should the potatoes be parboiled before roasting?',
    'Parboil the potatoes for eight minutes, then roast them around the chicken so that they turn crisp.',
  ],
  [
    'And which herbs go well with the chicken?',
    'Rosemary and thyme go well with roast chicken and potatoes.',
  ],
] as const;
const DATABASE = [
  'Write a Postgres migration that adds an index on the orders table by customer and creation date.',
  'Here is the migration: CREATE INDEX CONCURRENTLY orders_customer_created ON orders (customer_id, created_at); run it outside of a transaction.',
] as const;

test('L3-1 the view and the stored history are the same with the layer as without it', async () => {
  const on = await Talk.open();
  const off = await Talk.open({ settings: { enabled: false } });
  for (const talk of [on, off]) {
    for (const [q, a] of COOKING) await talk.turn(q, a);
    await talk.turn(...DATABASE);
    await talk.turn('Unrelated: what is the capital of Peru?', 'Lima.');
  }
  assert.ok((await on.shifts()).length >= 2);
  assert.equal((await off.shifts()).length, 0);
  const request = async (t: Talk) =>
    (await t.daemon.call('llm.prepare', { session: t.session, return: 'full' })).request;
  assert.deepEqual(await request(on), await request(off));
});

test('L3-3 a phrase ends the classification with similarity 0', async () => {
  const talk = await Talk.open();
  await talk.turn(...COOKING[0]);
  await talk.turn('Separately, how do I sort a list in Go?', 'With slices.Sort.');
  const [shift] = await talk.shifts();
  assert.equal(shift.signal, 'user_explicit');
  assert.equal(shift.similarity, 0);
  assert.equal(shift.provisional, undefined);
});

test('L3-6 at most one shift a turn, from the start of the topic to now', async () => {
  const talk = await Talk.open();
  await talk.turn(...COOKING[0]);
  await talk.turn(...COOKING[1]);
  await talk.say('New topic: tides');
  await talk.say('Different question: moons');
  await talk.reply('ok');
  await talk.end();
  let shifts = await talk.shifts();
  assert.deepEqual(
    shifts.map((s) => [s.from_turn, s.to_turn]),
    [[0, 2]],
  );
  await talk.turn('ok, new topic: trains');
  shifts = await talk.shifts();
  assert.deepEqual(
    shifts.map((s) => [s.from_turn, s.to_turn]),
    [
      [0, 2],
      [2, 3],
    ],
  );
});

test('L3-7 a cue in the very first message emits from 0 to 0 with similarity 0', async () => {
  const talk = await Talk.open();
  await talk.say('New topic: tides. And a different question.');
  const [shift, ...rest] = await talk.shifts();
  assert.deepEqual([shift.from_turn, shift.to_turn, shift.similarity], [0, 0, 0]);
  assert.equal(rest.length, 0);
});

test('L3-12 one envelope a shift, volatile, of no tokens, and the cache stands', async () => {
  const talk = await Talk.open();
  for (const [q, a] of COOKING) await talk.turn(q, a);
  await talk.turn('Unrelated: what is the capital of Peru?', 'Lima.');
  await talk.turn('Switching gears. Trains.', 'ok');
  const shifts = await talk.shifts();
  const envelopes = await talk.events('memory.curated');
  assert.equal(envelopes.length, shifts.length);
  for (const e of envelopes) {
    assert.equal(e.layer, 'topic_pruner');
    assert.deepEqual(e.sections_touched, [
      { section_id: `${TOPIC}/shift`, kind: 'volatile', tokens_delta: 0 },
    ]);
    assert.equal(e.cache_invalidates, false);
  }
});

test('L3-13 a session read from its journal has the same boundaries, with other phrases and no embedder', async () => {
  const talk = await Talk.open({ embed: (t) => (t.includes('Peru') ? [0, 1] : [1, 0]) });
  for (const [q, a] of COOKING) await talk.turn(q, a);
  await talk.turn('What is the capital of Peru?', 'Lima.');
  await talk.turn('New topic: tides', 'ok');
  await talk.state();
  const actor = await talk.daemon.registry.get('default', talk.session);
  const live = actor.session.state.topic;
  const again = await loadState(talk.daemon.store, actor.key);
  assert.deepEqual(again.topic, live);
  assert.equal(again.topic.shifts.length, 2);
  const replay = await talk.daemon.call('journal.replay', { session: talk.session });
  assert.equal(replay.identical, true);
});

test('L3-13 after a restart the tracker follows the journal and goes on from there', async () => {
  const talk = await Talk.open();
  for (const [q, a] of COOKING) await talk.turn(q, a);
  await talk.turn(...DATABASE);
  const before = (await talk.shifts()).length;
  assert.equal(before, 1);
  talk.daemon.registry.drop('default', talk.session);
  await talk.turn(
    'Should that index also cover the status column of the orders table?',
    'Only if queries on orders filter by status.',
  );
  assert.equal((await talk.shifts()).length, before);
  assert.equal((await talk.events('memory.curated')).length, before);
});

test('a shift by words is provisional, and every event names its embedder and threshold', async () => {
  const talk = await Talk.open();
  for (const [q, a] of COOKING) await talk.turn(q, a);
  await talk.say(DATABASE[0]);
  const [shift] = await talk.shifts();
  assert.equal(shift.signal, 'lexical');
  assert.equal(shift.provisional, true);
  assert.equal(shift.from_turn, 0);
  assert.equal(shift.to_turn, 3);
  assert.equal(typeof shift.embedder.name, 'string');
  assert.equal(typeof shift.embedder.version, 'number');
  assert.equal(typeof shift.threshold, 'number');
  assert.ok(shift.score >= shift.score_threshold);
  await talk.reply(DATABASE[1]);
  const ended = await talk.end();
  assert.equal(ended.decisions.filter((d: { type: string }) => d.type.startsWith('memory.topic')).length, 0);
  const { topic } = await talk.state();
  assert.equal(topic.from_turn, 3);
});

test('follow-ups of the same matter are no shifts', async () => {
  const talk = await Talk.open();
  for (const [q, a] of COOKING) await talk.turn(q, a);
  await talk.turn(
    'Can I use sweet potatoes with the chicken instead?',
    'Yes, sweet potatoes roast well with the chicken too.',
  );
  const standing = (await talk.shifts()).length - (await talk.events('memory.topic_shift_retracted')).length;
  assert.equal(standing, 0);
});

test('mode off and an inactive layer say nothing; mode observe says it as observed', async () => {
  const off = await Talk.open({ curated: { preset: 'off' }, settings: { enabled: false } });
  await off.turn('New topic: tides');
  assert.equal((await off.shifts()).length, 0);
  const seen = await Talk.open({ curated: { observe: true } });
  await seen.turn('New topic: tides');
  for (const e of await seen.shifts()) assert.equal(e.observed, true);
});

test('a history that is resent and diverges takes the boundaries behind the fork with it', async () => {
  const talk = await Talk.open();
  const head = [
    { role: 'user', content: 'roast chicken' },
    { role: 'assistant', content: 'ok' },
  ];
  await talk.daemon.call('llm.prepare', {
    session: talk.session,
    messages: [...head, { role: 'user', content: 'New topic: tides' }],
  });
  assert.equal((await talk.state()).topic.shifts, 1);
  await talk.daemon.call('llm.prepare', {
    session: talk.session,
    messages: [...head, { role: 'user', content: 'and potatoes' }],
  });
  const { topic } = await talk.state();
  assert.equal(topic.shifts, 0);
  assert.equal(topic.from_turn, 0);
});

test('a provisional shift that the reply does not confirm is taken back, and its boundary with it', async () => {
  const talk = await Talk.open();
  await talk.turn(
    'Plan a weekend in Lisbon for two people who love seafood and old trams.',
    'Saturday: tram 28 through Alfama, seafood at a marisqueira. Sunday: Belém, pastries, the tram museum. Anything else?',
  );
  await talk.say('I need a hotel.');
  const told = await talk.shifts();
  await talk.reply(
    'For your weekend in Lisbon I suggest a hotel in Alfama, near tram 28 and the seafood restaurants of Saturday; Belém is a short ride by old tram on Sunday. Two people sleep well there.',
  );
  const ended = await talk.end();
  const back = ended.decisions.filter((d: { type: string }) => d.type === 'memory.topic_shift_retracted');
  assert.equal(told.length, 1);
  assert.equal(told[0].provisional, true);
  assert.equal(back.length, 1);
  assert.equal(back[0].seq_of, told[0].seq);
  const { topic } = await talk.state();
  assert.deepEqual([topic.from_turn, topic.shifts], [0, 0]);
});

test('L3-14 the current topic is known by turn and by message, for those who keep it whole', async () => {
  const talk = await Talk.open();
  for (const [q, a] of COOKING) await talk.turn(q, a);
  await talk.turn('Unrelated: what is the capital of Peru?', 'Lima.');
  const { topic } = await talk.state();
  assert.equal(topic.from_turn, 3);
  assert.equal(topic.from_message, 6);
  assert.deepEqual(topic.closed, [{ from_turn: 0, to_turn: 3, signal: 'user_explicit' }]);
});
