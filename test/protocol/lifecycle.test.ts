// The connection's table: complete, closed for ever, and in the order PROTOCOL 2 asks for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admit, LIFECYCLE, transition } from '../../src/protocol/index.js';
import { CONNECTION_EVENTS, STATES } from '../../src/protocol/lifecycle.js';
import { call, json } from './support.js';

const decode = (method: string, params: unknown = {}) => json.decode(JSON.stringify(call(method, params)));
const hello = { protocol: 1, client: { name: 'c', version: '1' } };

test('every state has an answer to every event', () => {
  for (const state of STATES) {
    assert.deepEqual(Object.keys(LIFECYCLE[state]).sort(), [...CONNECTION_EVENTS].sort());
    for (const event of CONNECTION_EVENTS) {
      const t = transition(state, event);
      assert.ok(STATES.includes(t.to));
      assert.equal(t.act === 'close', t.code !== undefined);
    }
  }
});

test('nothing leads out of closed, and nothing leads back to fresh', () => {
  for (const event of CONNECTION_EVENTS) {
    assert.deepEqual(transition('closed', event), { to: 'closed', act: 'ignore' });
    assert.notEqual(transition('ready', event).to, 'fresh');
    assert.ok(['draining', 'closed'].includes(transition('draining', event).to));
  }
});

test('any other call before initialize is NOT_INITIALIZED, sound or not', () => {
  for (const incoming of [
    decode('session.list'),
    decode('session.state'),
    decode('no.such.method'),
    decode('rpc.discover'),
  ]) {
    const r = admit('fresh', incoming);
    assert.ok(r.act === 'refuse');
    assert.equal(r.error.kind, 'NOT_INITIALIZED');
    assert.deepEqual([r.id, r.to], [1, 'fresh']);
  }
  assert.deepEqual(admit('fresh', decode('initialize', hello)), { act: 'accept', to: 'ready' });
  const bad = admit('fresh', decode('initialize', { protocol: 'x' }));
  assert.ok(bad.act === 'refuse' && bad.error.kind === 'BAD_TYPE');
});

test('after initialize calls are taken, a second initialize is not', () => {
  assert.deepEqual(admit('ready', decode('session.list')), { act: 'accept', to: 'ready' });
  const again = admit('ready', decode('initialize', hello));
  assert.ok(again.act === 'refuse' && again.error.kind === 'INVALID_REQUEST' && again.to === 'ready');
  const bad = admit('ready', decode('session.state'));
  assert.ok(bad.act === 'refuse' && bad.error.kind === 'BAD_TYPE' && bad.to === 'ready');
});

test('a draining connection takes answers and no new calls', () => {
  const r = admit('draining', decode('session.list'));
  assert.ok(r.act === 'refuse' && r.error.kind === 'DRAINING' && r.error.retryable);
  assert.equal(admit('draining', json.decode('{"jsonrpc":"2.0","id":1,"result":1}')).act, 'accept');
  assert.deepEqual(transition('draining', 'drained'), { to: 'closed', act: 'close', code: 1001 });
  assert.deepEqual(admit('closed', decode('session.list')), { act: 'ignore', to: 'closed' });
});
