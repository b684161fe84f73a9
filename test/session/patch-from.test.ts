// `base` of llm.prepare: the answer as what differs from the one before it, and the whole where that one is not held.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { applyPatch } from '../../src/client/patch.js';
import { CuratedError } from '../../src/errors.js';
import { canonicalize } from '../../src/json/index.js';
import { assistant, BenchDaemon, clearing, type Json, toolRound, user } from './bench-daemon.js';

const BODY = 'the result that ages '.repeat(40);
const OPEN = { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5', context_window: 10_000_000 };
const CLEARS = clearing({ age_turns: 1, size_bytes_threshold: 50 }, { preset: 'balanced', cost_rule: 'off' });

function hashOf(request: unknown): string {
  return `sha256:${createHash('sha256')
    .update(canonicalize(JSON.stringify(request)))
    .digest('hex')}`;
}

/** An agent that holds the last answer. */
class Follower {
  request: Json;
  hash: string | undefined;
  #checks = 0;
  constructor(
    readonly d: BenchDaemon,
    readonly every = 1,
  ) {}

  async prepare(params: Json = {}): Promise<{ answer: Json; bytes: number }> {
    const told = this.hash === undefined ? {} : { return: 'patch', base: this.hash };
    const text = await this.d.callText('llm.prepare', { session: 's', ...params, ...told });
    const answer = JSON.parse(text);
    if (answer.patch === undefined) this.request = answer.request;
    else {
      assert.equal(answer.patch.base, this.hash);
      assert.equal(answer.patch.base_messages, this.request.messages.length);
      this.request = applyPatch(this.request, answer.patch.ops);
    }
    this.#checks += 1;
    if (this.#checks % this.every === 0) assert.equal(hashOf(this.request), answer.hash);
    this.hash = answer.hash;
    return { answer, bytes: text.length };
  }
}

test('P-4 an answer told by its difference costs what the turn added, however much was cleared before', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, system: 'short', config: CLEARS });
  const agent = new Follower(d, 20);
  const sizes: number[] = [];
  for (let i = 0; i < 240; i += 1) {
    const append = [user(`q${i}`), ...toolRound(`c${i}`, 'read', { i }, `${i} ${BODY}`), assistant('ok')];
    const { bytes } = await agent.prepare({ append });
    sizes.push(bytes);
    await d.call('turn.end', { session: 's' });
  }
  const { cleared } = await d.call('session.state', { session: 's' });
  assert.ok(cleared.length > 200, `${cleared.length} cleared`);
  assert.ok(Math.max(...sizes.slice(200)) <= Math.max(...sizes.slice(20, 60)) * 1.1, `${sizes.at(-1)} bytes`);
});

test('P-4 system, tools, messages of ours and a diverged history are told too', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, system: 'one', config: CLEARS });
  const agent = new Follower(d);
  const tool = { name: 'read', description: 'reads', input_schema: { type: 'object' } };
  const history = [user('go'), assistant('yes'), user('more')];
  await agent.prepare({ append: history });
  await agent.prepare({ system: 'two' });
  await agent.prepare({ tools: [tool] });
  await d.call('durable.set_plan', { session: 's', title: 'Plan', text: 'step one' });
  const { answer } = await agent.prepare({ append: [assistant('a'), user('b')] });
  assert.ok(answer.patch, 'a message of ours is a difference, too');
  await agent.prepare({ messages: [...history.slice(0, 2), user('another way')] });
  assert.equal(agent.request.messages.length >= 3, true);
  await d.call('session.append', { session: 's', messages: [assistant('c'), user('d')] });
  await agent.prepare();
});

test('P-4 an answer that is not held any more comes as the whole request', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, config: CLEARS });
  const agent = new Follower(d);
  await agent.prepare({ append: [user('go')] });
  const first = agent.hash;
  await agent.prepare({ append: [assistant('a'), user('b')] });
  const whole = async (params: Json) => {
    const r = await d.call('llm.prepare', { session: 's', return: 'patch', ...params });
    assert.equal(r.patch, undefined);
    assert.equal(hashOf(r.request), r.hash);
    return r;
  };
  await whole({ base: first });
  await whole({ base: `sha256:${'0'.repeat(64)}` });
  // A daemon that has just read the session from its journal holds no answer.
  const again = new BenchDaemon({ store: d.store });
  await again.call('session.open', OPEN);
  const r = await again.call('llm.prepare', { session: 's', return: 'patch', base: agent.hash });
  assert.ok(r.request);
  // A repeated key has the recorded answer, whatever was held when it was first given.
  const params = { append: [assistant('x'), user('y')], key: 'k', base: r.hash };
  const patched = await again.call('llm.prepare', { session: 's', return: 'patch', ...params });
  assert.ok(patched.patch);
  const repeated = await again.call('llm.prepare', { session: 's', return: 'patch', ...params });
  assert.equal(repeated.hash, patched.hash);
  assert.equal(hashOf(repeated.request), patched.hash);
});

test('P-4 a call that fails, or is of an exempt kind, is no base and spoils none', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', { ...OPEN, config: CLEARS });
  const agent = new Follower(d);
  await agent.prepare({ append: [user('go')] });
  const aside = await d.call('llm.prepare', {
    session: 's',
    task_kind: 'classify',
    messages: [user('x')],
    return: 'patch',
    base: agent.hash,
  });
  assert.deepEqual(aside.request, { messages: [user('x')] });
  const { answer } = await agent.prepare({ append: [assistant('a'), user('b')] });
  assert.ok(answer.patch);
  const open = { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'read', input: {} }] };
  await assert.rejects(agent.prepare({ append: [open] }), (e: unknown) => e instanceof CuratedError);
  await agent.prepare({ append: [assistant('c'), user('d')] });
});
