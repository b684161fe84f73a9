// A summariser that asks a model: chunks, retries, kinds, and the failures of F36 as a model may produce them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelAnswer } from '../../src/summary/answer.js';
import { type CompletionRequest, ModelSummariser } from '../../src/summary/model.js';
import { HttpFailure, isOverflow } from '../../src/summary/retryable.js';
import { count, request, said } from './fixtures.js';

type Fake = (r: CompletionRequest, n: number) => ModelAnswer | Promise<ModelAnswer>;

function model(fake: Fake, maxInputTokens?: number) {
  const asked: CompletionRequest[] = [];
  const summariser = new ModelSummariser({
    kind: 'client',
    complete: async (r) => {
      asked.push(r);
      return fake(r, asked.length);
    },
    maxInputTokens,
    count: async (texts) => texts.map(count),
    backoff: () => 1,
  });
  return { summariser, asked };
}

const HISTORY = [said(0, 'user', 'do it'), said(1, 'assistant', 'We chose A instead of B.')];
const never = new AbortController().signal;

test('NS-10 NS-11 one user message, text only, the nine parts, and what must be preserved', async () => {
  const { summariser, asked } = model(() => ({ text: '<summary>fine</summary>' }));
  const made = await summariser.summarise(request(HISTORY, { mustPreserve: ['ticket ABC-1'] }), never);
  assert.deepEqual(made, { ok: true, text: 'fine', kinds: null, calls: 1 });
  assert.equal(asked[0]!.maxTokens, 1000);
  assert.match(asked[0]!.user, /^<transcript>\n\[User\]: do it/);
  assert.match(asked[0]!.user, /9\. Next step/);
  assert.match(asked[0]!.user, /ticket ABC-1/);
});

test('L4-9 a missing kind costs exactly one more call, whose answer is taken as it is', async () => {
  const { summariser, asked } = model((_, n) => ({
    text: n === 1 ? 'a\n## Preserved Kinds: decision' : 'b\n## Preserved Kinds: error',
  }));
  const r = request(HISTORY, { purpose: 'summary', requireKinds: ['decision', 'rationale'] });
  const made = await summariser.summarise(r, never);
  assert.deepEqual(made, { ok: true, text: 'b', kinds: ['error'], calls: 2 });
  assert.match(asked[1]!.user, /left out: rationale/);
  assert.ok(asked[1]!.user.includes(asked[0]!.user), 'the same transcript, tool calls included');
});

test('L4-12 F36 errors are retried with back-off, three calls at most, then the reason is given', async () => {
  const flaky = model((_, n) => {
    if (n < 3) throw new HttpFailure(529, 'overloaded');
    return { text: 'ok' };
  });
  assert.deepEqual(await flaky.summariser.summarise(request(HISTORY), never), {
    ok: true,
    text: 'ok',
    kinds: null,
    calls: 3,
  });
  const dead = model(() => {
    throw new Error('boom');
  });
  const made = await dead.summariser.summarise(request(HISTORY), never);
  assert.deepEqual(made, { ok: false, reason: 'error', detail: 'boom', calls: 3 });
});

test('NS-14 overflow and other refusals are never plainly retried', async () => {
  for (const e of [
    new HttpFailure(400, 'prompt is too long'),
    new HttpFailure(401, 'no'),
    new Error('Prompt too long'),
  ]) {
    const { summariser } = model(() => {
      throw e;
    });
    assert.equal((await summariser.summarise(request(HISTORY), never)).calls, 1);
  }
  assert.ok(isOverflow('This model has a maximum context length of 8192'));
  assert.ok(isOverflow('message is too long', 'invalid_request_error'));
  assert.ok(!isOverflow('rate limit, please wait long'));
});

test('NS-15 every request fits the window of the summariser, also when one message does not', async () => {
  const messages = [
    ...Array.from({ length: 20 }, (_, i) =>
      said(i, i % 2 === 0 ? 'user' : 'assistant', `message ${i} ${'word '.repeat(200)}`),
    ),
    said(20, 'user', 'z'.repeat(40_000)),
  ];
  const { summariser, asked } = model((_, n) => ({ text: `part ${n}` }), 3000);
  const made = await summariser.summarise(request(messages), never);
  assert.ok(asked.length > 2);
  for (const r of asked) assert.ok(count(r.user) + count(r.system) <= 3000, `${count(r.user)} tokens`);
  assert.equal(made.ok && made.text.split('\n\n').length, asked.length);
  assert.ok(asked[0]!.user.includes('message 0'), 'oldest first');
});

test('F36 a model that never answers ends with the signal', async () => {
  const stop = new AbortController();
  const { summariser } = model(
    () =>
      new Promise<ModelAnswer>((_, reject) =>
        stop.signal.addEventListener('abort', () => reject(new Error('aborted'))),
      ),
  );
  setTimeout(() => stop.abort(), 10);
  const made = await summariser.summarise(request(HISTORY), stop.signal);
  assert.equal(!made.ok && made.reason, 'late');
});
