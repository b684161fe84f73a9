// A history that comes again in each call: what is known by its text is not looked into, and what is new is as sound as in
// any other call.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CuratedError } from '../../src/errors.js';
import { Native } from '../../src/json/native.js';
import { RawJson } from '../../src/json/raw.js';
import { codecFor } from '../../src/protocol/index.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';

const BROKEN = [
  '{"role":"user","content":}',
  '{"role":"user","content":"a"]',
  '{"role" "user"}',
  '{nothing}',
];

async function opened(): Promise<BenchDaemon> {
  const daemon = new BenchDaemon();
  await daemon.call('session.open', { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5' });
  return daemon;
}

function kindOf(e: unknown): string {
  return e instanceof CuratedError ? e.kind : String(e);
}

for (const task_kind of [undefined, 'summarise']) {
  test(`F21 PROTOCOL 4 a resent message that is no JSON is BAD_FRAME and leaves no trace (${task_kind ?? 'main'})`, async () => {
    const daemon = await opened();
    await daemon.call('llm.prepare', { session: 's', messages: [user('one'), assistant('two')] });
    const before = await daemon.journalled();
    for (const broken of BROKEN) {
      const messages = [user('one'), assistant('two'), new RawJson(broken)];
      const kind = await daemon.callText('llm.prepare', { session: 's', messages, task_kind }).catch(kindOf);
      assert.equal(kind, 'BAD_FRAME', broken);
    }
    assert.deepEqual(await daemon.journalled(), before);
    const next = await daemon.call('llm.prepare', {
      session: 's',
      messages: [user('one'), assistant('two'), user('three')],
    });
    assert.equal(next.request.messages.length, 3);
  });
}

test('F21 PROTOCOL 4 what is no object stands in the list of messages in no call', async () => {
  const daemon = await opened();
  for (const value of [1, 'text', null, [], [user('a')]]) {
    const kind = await daemon.call('llm.prepare', { session: 's', messages: [value] }).catch(kindOf);
    assert.equal(kind, 'BAD_TYPE', JSON.stringify(value));
  }
});

test('PROTOCOL 4 a resent history is stored as the same messages appended are', async () => {
  const message = fc.oneof(
    fc.string({ maxLength: 40, unit: 'grapheme' }).map((s) => [user(`u ${s}`)]),
    fc
      .string({ maxLength: 40, unit: 'grapheme' })
      .map((s) => toolRound(`t${s.length}`, 'read', { path: s }, `out ${s}`)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 5 }), async (turns) => {
      const [resending, appending] = [await opened(), await opened()];
      const all: Json[] = [];
      for (const turn of turns) {
        all.push(...turn, assistant('so'));
        const a = await resending.call('llm.prepare', { session: 's', messages: all });
        const b = await appending.call('llm.prepare', { session: 's', append: [...turn, assistant('so')] });
        assert.deepEqual(a, b);
      }
      assert.deepEqual(await resending.journalled(), await appending.journalled());
    }),
    { numRuns: 25 },
  );
});

test('PROTOCOL 4 what is kept of a resent history has a text of its own, the same one', () => {
  const [long, short] = [user('a'.repeat(20_000)), user('é "b" \\ c')];
  const frame = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'llm.prepare',
    params: { session: 's', messages: [long, short] },
  });
  const incoming = codecFor('curated.v1.json').decode(frame);
  assert.equal(incoming.kind, 'request');
  const { messages } = (incoming as unknown as { params: { messages: Native[] } }).params;
  for (const [i, sent] of [long, short].entries()) {
    const kept = messages[i]!.kept();
    assert.equal(kept.text, JSON.stringify(sent));
    assert.deepEqual(kept.value, sent);
    assert.equal(Object.getPrototypeOf(kept), Native.prototype, 'nothing of the frame hangs on it');
  }
});
