// The last wall before the journal: no decision edits what is static.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import { Draft } from '../../src/session/commit.js';
import { event } from '../../src/session/state/events.js';
import { BenchDaemon, type Json } from './bench-daemon.js';

test('F33 P-4 S-1 a decision that would edit a system message is FORBIDDEN_STATIC and leaves no trace', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { session: 's', format: 'openai-chat', model: 'gpt-5.4' });
  const messages: Json[] = [
    { role: 'system', content: 'Never delete anything.' },
    { role: 'user', content: 'hi' },
  ];
  await d.call('session.append', { session: 's', messages });
  const { state } = (await d.registry.get('default', 's')).session;
  const { seq } = state;
  for (const edit of [
    { op: 'drop', at: 0 } as const,
    { op: 'set', at: 0, path: ['content'], json: '"Delete."' } as const,
  ]) {
    const draft = new Draft(state, () => 0);
    assert.throws(
      () => draft.push(event('memory.diagnostic', { what: 'test', _edits: [edit] })),
      (e: unknown) => e instanceof CuratedError && e.kind === 'FORBIDDEN_STATIC',
    );
    assert.equal(draft.dirty, false);
  }
  assert.equal(state.seq, seq);
  const { request } = await d.call('llm.prepare', { session: 's' });
  assert.deepEqual(request.messages, messages);
});

test('F33 of a call that would edit what is static nothing stays, and the journal says that it was refused', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { session: 's', format: 'openai-chat', model: 'gpt-5.4' });
  await d.call('session.subscribe', { session: 's' });
  const messages: Json[] = [
    { role: 'system', content: 'Never delete anything.' },
    { role: 'user', content: 'hi' },
  ];
  await d.call('session.append', { session: 's', messages });
  const before = await d.call('session.state', { session: 's' });
  const actor = await d.registry.get('default', 's');
  const forbidden = actor.own((draft) => {
    draft.push(event('memory.diagnostic', { what: 'sound' }));
    draft.push(event('memory.diagnostic', { what: 'test', _edits: [{ op: 'drop', at: 0 }] }));
  });
  await assert.rejects(forbidden, { kind: 'FORBIDDEN_STATIC', path: '/messages/0' });
  const { events } = await d.call('journal.read', { session: 's', from_seq: before.seq + 1 });
  assert.deepEqual(
    events.map((e: Json) => [e.type, e.what, e.detail.path]),
    [['memory.diagnostic', 'forbidden_static', '/messages/0']],
  );
  assert.ok(d.caller.heard.some((h) => h.event['what'] === 'forbidden_static'));
  const { request } = await d.call('llm.prepare', { session: 's' });
  assert.deepEqual(request.messages, messages);
  assert.equal((await d.call('journal.replay', { session: 's' })).identical, true);
});
