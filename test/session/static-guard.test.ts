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
