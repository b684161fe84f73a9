// Deferred loading (PV-A46): where the model offers it and the session asks for it, what layer 2 and discovery hide stays
// declared, and comes back by a message behind everything. The tools before everything stay as they are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropic } from '../../src/providers/anthropic/index.js';
import { profileOf } from '../../src/providers/profile.js';
import { FakeAnthropic } from '../conformance/fakes/anthropic.js';
import { violations } from '../providers/kit.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import { FakeSummariser } from './condensing.js';
import { PROGRESSIVE, PRUNER, tool } from './tool-kit.js';

const MODEL = 'claude-opus-5-5';
const CURATED = { native: { anthropic: ['tool_changes'] }, cost_rule: 'off' };
const CLASSED = [tool('read'), tool('plot', { class: 'charts' }), tool('chart', { class: 'charts' })];

class Agent {
  readonly d = new BenchDaemon({ summariser: new FakeSummariser() });
  readonly fake = new FakeAnthropic({
    answer: () => ({ content: [{ type: 'text', text: 'word '.repeat(200) }], stop_reason: 'end_turn' }),
  });
  sent: Json[] = [];
  last: Json;

  async open(plugins: Json, tools: Json[], more: Json = {}): Promise<void> {
    const config = { plugins: { active: Object.keys(plugins), ...plugins }, curated: CURATED };
    await this.d.call('session.open', {
      session: 's',
      format: 'anthropic',
      model: MODEL,
      tools,
      config,
      ...more,
    });
  }

  /** A request to the provider, which must take it; its answer goes into the history. */
  async ask(append: Json[], calls: Json[] = []): Promise<Json> {
    this.last = await this.d.call('llm.prepare', { session: 's', append });
    const { request, betas } = this.last;
    assert.deepEqual(violations(anthropic, profileOf('anthropic', MODEL), request.messages, request), []);
    const body = JSON.stringify({ model: MODEL, max_tokens: 9, ...request });
    const r = this.fake.messages(body, { 'anthropic-beta': (betas ?? []).join(',') });
    assert.equal(r.status, 200, JSON.stringify(r.body));
    this.sent.push(request);
    const { content } = r.body as Json;
    await this.d.call('session.append', {
      session: 's',
      messages: [{ role: 'assistant', content: [...content, ...calls] }],
    });
    return request;
  }
}

const deferred = (request: Json): string[] =>
  request.tools.filter((t: Json) => t.defer_loading === true).map((t: Json) => t.name);
const added = (request: Json): string[] =>
  request.messages
    .filter((m: Json) => m.role === 'system')
    .flatMap((m: Json) => m.content.map((b: Json) => b.name));

test('PV-A46 L2-7 D-2 what discovery hides is declared as deferred, and a reveal changes no byte that was sent', async () => {
  const a = new Agent();
  await a.open({ [PROGRESSIVE]: { classless_behavior: 'include' } }, CLASSED);
  const first = await a.ask([user('go')]);
  assert.deepEqual(deferred(first), ['plot', 'chart']);
  assert.deepEqual(added(first), []);
  assert.deepEqual(a.last.betas, ['mid-conversation-tool-changes-2026-07-01']);
  await a.d.call('tools.discover', { session: 's', class: 'charts' });
  const second = await a.ask([user('draw it')]);
  assert.equal(JSON.stringify(second.tools), JSON.stringify(first.tools));
  assert.deepEqual(added(second).sort(), ['chart', 'plot']);
  assert.equal(second.messages.at(-1).role, 'system');
  assert.equal(a.last.cache.prefix_stable, true);
  assert.deepEqual(second.messages.slice(0, 1), first.messages);
  // The thinking of the first answer is bound to the list: the fake took it, so the list counts as unchanged (PV-A25).
  const third = await a.ask([user('thanks')]);
  assert.deepEqual(added(third).sort(), ['chart', 'plot']);
  assert.deepEqual(third.messages.slice(0, second.messages.length), second.messages);
  assert.equal((await a.d.call('journal.replay', { session: 's' })).identical, true);
});

test('PV-A12 PV-A46 a second user message behind the addition moves it, announced', async () => {
  const a = new Agent();
  await a.open({ [PROGRESSIVE]: { classless_behavior: 'include' } }, CLASSED);
  await a.ask([user('go')]);
  await a.d.call('tools.discover', { session: 's', class: 'charts' });
  await a.d.call('llm.prepare', { session: 's', append: [user('draw it')] });
  const request = await a.ask([user('please')]);
  assert.deepEqual(
    request.messages.map((m: Json) => m.role),
    ['user', 'assistant', 'user', 'user', 'system'],
  );
  const moved = a.last.curated.filter((e: Json) => e.cache_invalidates);
  assert.equal(moved.length, 1);
  assert.equal(moved[0].first_message, 3);
});

test('PV-A46 L2-1 what layer 2 prunes stays declared, and comes back without a new list', async () => {
  const a = new Agent();
  // No thinking is bound here: an older generation of the same family.
  const model = 'claude-opus-4-8';
  const config = { plugins: { active: [PRUNER], [PRUNER]: { unused_turns_threshold: 2 } }, curated: CURATED };
  const d = a.d;
  const tools = [tool('read'), tool('idle')];
  await d.call('session.open', { session: 's', format: 'anthropic', model, tools, config });
  let request: Json;
  for (let i = 0; i < 4; i += 1) {
    const { request: r } = await d.call('llm.prepare', {
      session: 's',
      append: [user(`turn ${i}`), ...toolRound(`c${i}`, 'read', { i }, 'ok')],
    });
    request = r;
    await d.call('session.append', { session: 's', messages: [assistant('ok')] });
    await d.call('turn.end', { session: 's' });
  }
  assert.deepEqual(deferred(request), ['idle']);
  const before = JSON.stringify(request.tools);
  const back = await d.call('llm.prepare', { session: 's', append: [user('use idle now')] });
  assert.equal(JSON.stringify(back.request.tools), before);
  assert.deepEqual(added(back.request), ['idle']);
  const restored = (await d.call('journal.read', { session: 's' })).events.filter(
    (e: Json) => e.type === 'memory.tool_def_restored',
  );
  assert.equal(restored[0].reason, 'mention');
  assert.deepEqual(
    violations(anthropic, profileOf('anthropic', model), back.request.messages, back.request),
    [],
  );
});

test('PV-A46 an addition that a compaction took away is stated again', async () => {
  const a = new Agent();
  await a.open(
    { [PROGRESSIVE]: { classless_behavior: 'include' }, 'nexus.memory.compaction': { protect_recent: 2 } },
    CLASSED,
  );
  await a.ask([user('go')]);
  await a.d.call('tools.discover', { session: 's', class: 'charts' });
  await a.ask([user('draw it')]);
  for (let i = 0; i < 4; i += 1) await a.ask([user(`and ${i}`)]);
  await a.d.call('turn.end', { session: 's' });
  await a.d.call('memory.compact', { session: 's' });
  const actor = await a.d.registry.get('default', 's');
  await actor.compactor.cycle?.done;
  await actor.idle();
  const request = await a.ask([user('go on')]);
  assert.ok(request.messages.length < 8, `${request.messages.length} messages`);
  assert.deepEqual(added(request).sort(), ['chart', 'plot']);
});

test('PV-A46 a list with deferred tools keeps its header when the session no longer asks for it', async () => {
  const a = new Agent();
  await a.open({ [PROGRESSIVE]: { classless_behavior: 'include' } }, CLASSED);
  await a.ask([user('go')]);
  await a.d.call('tools.discover', { session: 's', class: 'charts' });
  await a.ask([user('draw it')]);
  for (const preset of ['balanced', 'observe', 'off']) {
    await a.d.call('session.open', { session: 's', format: 'anthropic', model: MODEL, preset });
    const request = await a.ask([user(`under ${preset}`)]);
    assert.deepEqual(a.last.betas, ['mid-conversation-tool-changes-2026-07-01']);
    assert.deepEqual(added(request).sort(), ['chart', 'plot']);
  }
});

test('PV-A46 PV-A45 without the opt-in or the model nothing is deferred, and never all of a list', async () => {
  for (const open of [{ model: 'claude-sonnet-4-5' }, { curated: {} }]) {
    const d = new BenchDaemon();
    const { curated = CURATED, ...rest } = open as Json;
    const config = {
      plugins: { active: [PROGRESSIVE], [PROGRESSIVE]: { classless_behavior: 'include' } },
      curated,
    };
    await d.call('session.open', {
      session: 's',
      format: 'anthropic',
      model: MODEL,
      tools: CLASSED,
      config,
      ...rest,
    });
    const { request } = await d.call('llm.prepare', { session: 's', append: [user('go')] });
    assert.deepEqual(deferred(request), []);
  }
});
