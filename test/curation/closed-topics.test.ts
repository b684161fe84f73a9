// What a topic shift is for: what belongs to topics that ended goes first, and a topic's end is a place to look.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Candidate, Layer } from '../../src/curation/layer.js';
import { Stack } from '../../src/curation/stack.js';
import { inTopic, topicEndedSince } from '../../src/session/topics/spans.js';
import type { TopicShift } from '../../src/session/topics/state.js';
import { History } from './survey-kit.js';

const shift = (to: number, message: number, o: Partial<TopicShift> = {}): TopicShift => ({
  ...{ seq: message, from: 0, signal: 'phrase', similarity: 0, retracted: false },
  to,
  message,
  ...o,
});
const topic = (shifts: TopicShift[]) => ({ start: 0, message: 0, shifts, closed: [], taken: 0 });

test('L3-14 the running topic begins at the last shift that stands; the one it came back to runs with it', () => {
  const held = (shifts: TopicShift[]) => [0, 4, 9].map(inTopic(topic(shifts)));
  assert.deepEqual(held([]), [true, true, true]);
  assert.deepEqual(held([shift(2, 3)]), [false, true, true]);
  assert.deepEqual(held([shift(2, 3), shift(5, 8, { retracted: true })]), [false, true, true]);
  assert.deepEqual(held([shift(2, 3), shift(5, 8)]), [false, false, true]);
  assert.deepEqual(held([shift(2, 3), shift(5, 8, { returnedTo: 0 })]), [true, false, true]);
  assert.deepEqual(held([shift(2, 3), shift(5, 8), shift(7, 9, { returnedTo: 2 })]), [false, true, true]);
  assert.equal(topicEndedSince(topic([shift(2, 3)]), 1), true);
  assert.equal(topicEndedSince(topic([shift(2, 3)]), 2), false);
  assert.equal(topicEndedSince(topic([shift(2, 3, { retracted: true })]), 0), false);
});

test('L3-14 where the request must shrink, last resorts of closed topics go before larger ones of the running topic', () => {
  const messages = Array.from({ length: 10 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: 'word '.repeat(200),
  }));
  const taken = (topicFrom: number) => {
    const history = new History(messages, { topicFrom, budget: 2000, forced: true });
    const made: number[] = [];
    const candidate = (at: number, frees: number): Candidate => ({
      ...{ at, frees, leaves: 1, since: 0, presend: false, lastResort: true },
      build: () => {
        made.push(at);
        return undefined;
      },
    });
    const over = history.survey().viewTokens - 2000;
    const layer = {
      name: 'tool_result_clear',
      id: 'x',
      invalidatesUnknown: false,
      plan: () => ({ candidates: [candidate(1, over), candidate(7, over + 50)] }),
    } as unknown as Layer;
    new Stack([layer]).run({ ...history.survey(), forced: true });
    return made;
  };
  assert.deepEqual(taken(0), [7], 'no topic has ended: the largest');
  assert.deepEqual(taken(6), [1]);
});
