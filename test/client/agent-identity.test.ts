// Conversations of coding agents, recognised by what they say of themselves.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { agentIdentity } from '../../src/client/agent-identity.js';

const UUID = '0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0';

test('PV-X2 each agent by its own header, else by its body', () => {
  const id = (headers: Record<string, string | string[]>, body: unknown = {}) => {
    const found = agentIdentity(headers, body);
    return found && [found.by, found.session, found.agent].filter((x) => x !== undefined);
  };
  assert.deepEqual(id({ 'X-Claude-Code-Session-Id': 's', 'x-claude-code-agent-id': 'a' }), [
    'x-claude-code-session-id',
    's',
    'a',
  ]);
  assert.deepEqual(id({ 'session-id': ['s', 't'], 'thread-id': 'w' }), ['session-id', 's', 'w']);
  assert.deepEqual(id({ session_id: 'old' }), ['session_id', 'old']);
  assert.deepEqual(id({ 'x-opencode-session': 'o' }), ['x-opencode-session', 'o']);
  assert.deepEqual(id({ 'x-qwen-code-session-id': 'q' }), ['x-qwen-code-session-id', 'q']);
  const old = { metadata: { user_id: `user_1_account_2_session_${UUID}` } };
  assert.deepEqual(id({}, old), ['metadata.user_id', UUID]);
  assert.deepEqual(id({}, { metadata: { user_id: '{"session_id":"j"}' } }), ['metadata.user_id', 'j']);
  assert.deepEqual(id({}, { prompt_cache_key: 'k' }), ['prompt_cache_key', 'k']);
  assert.equal(id({ 'x-claude-code-session-id': ' ' }, { metadata: { user_id: 'me' } }), undefined);
});

test('PV-X2 any headers and any body give an identity or none, and are not changed', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), fc.jsonValue(), (headers, body) => {
      const before = JSON.stringify([headers, body]);
      const found = agentIdentity(headers, body);
      assert.ok(found === undefined || found.session !== '');
      assert.equal(JSON.stringify([headers, body]), before);
    }),
  );
});
