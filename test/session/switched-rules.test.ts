// A session that was only passed on and is curated from now on, or that goes on with a model of other rules: what it has sent
// already is mended once, as the change of sent bytes that it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import type { Format } from '../../src/providers/types.js';
import { nativeOf, validateRequest } from '../../src/providers/validate.js';
import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';
import { journal, S } from './condensing.js';

const CLEAR = 'nexus.memory.tool_result_clear';

/** Histories that the provider refuses in many places. */
const BROKEN: Record<Format, { model: string; messages: Json[] }> = {
  anthropic: {
    model: 'claude-sonnet-4-5',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'go' },
          { type: 'text', text: ' ' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      user('no result came'),
      { role: 'system', content: 'order' },
      { role: 'assistant', content: '' },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'gone', content: 'lost' }] },
      assistant('a lone half: \ud83d'),
    ],
  },
  'openai-chat': {
    model: 'gpt-5',
    messages: [
      user('go'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: 'not json' } }],
      },
      user('no result came'),
      { role: 'tool', tool_call_id: 'gone', content: 'lost' },
      { role: 'assistant', content: null },
    ],
  },
  'openai-responses': {
    model: 'gpt-5',
    messages: [
      user('go'),
      { type: 'function_call', call_id: 'a', name: 'f', arguments: 'not json' },
      user('no result came'),
      { type: 'function_call_output', call_id: 'gone', output: 'lost' },
      { role: 'assistant', content: '' },
    ],
  },
};

function faults(format: Format, model: string, request: Json): string[] {
  const { messages, system, tools } = request;
  const natives = messages.map((m: Json) => nativeOf(JSON.stringify(m)));
  const parts = {
    messages: natives,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
  };
  return validateRequest(specOf(format), profileOf(format, model), parts).map((v) => `${v.rule} ${v.path}`);
}

const ask = (d: BenchDaemon, text: string, more: Json = {}): Promise<Json> =>
  d.call('llm.prepare', { session: S, append: [user(text)], ...more });

for (const preset of ['off', 'observe'])
  for (const [format, { model, messages }] of Object.entries(BROKEN) as [
    Format,
    { model: string; messages: Json[] },
  ][])
    test(`P-5 PV-G ${format}: from ${preset} to curated what was sent is mended once, announced, and stays so`, async () => {
      const d = new BenchDaemon();
      const opening = { session: S, format, model, preset };
      await d.call('session.open', {
        ...opening,
        ...(format === 'anthropic' ? {} : { system: '', tools: [] }),
      });
      const passed = await ask(d, 'and?', { append: [...messages, user('and?')] });
      assert.ok(passed.violations.length > 0);
      await d.call('session.append', { session: S, messages: [assistant('fine')] });
      await d.call('session.open', { ...opening, preset: 'balanced' });
      const first = await ask(d, 'now');
      assert.deepEqual(faults(format, model, first.request), []);
      const told = first.curated.filter((c: Json) => c.layer === 'repair');
      for (const c of told) assert.deepEqual([c.cache_invalidates, c.reason], [true, 'rules']);
      assert.deepEqual(
        told.map((c: Json) => c.sections_touched[0].section_id.split('/')[1]).sort(),
        {
          anthropic: ['sent'],
          'openai-chat': ['sent', 'system', 'tools'],
          'openai-responses': ['sent', 'tools'],
        }[format],
      );
      const head = passed.request.messages.findIndex(
        (m: Json, i: number) => JSON.stringify(m) !== JSON.stringify(first.request.messages[i]),
      );
      const from = Math.min(...told.map((c: Json) => c.first_message));
      assert.ok(from <= head, `${from} ${head}`);
      // For good, and nothing more of it.
      const repairs = (await journal(d, 'session.repaired')).length;
      await d.call('session.append', { session: S, messages: [assistant('yes')] });
      await d.call('turn.end', { session: S });
      const next = await ask(d, 'on');
      assert.deepEqual(next.request.messages.slice(0, first.request.messages.length), first.request.messages);
      assert.deepEqual(faults(format, model, next.request), []);
      assert.equal(next.cache.prefix_stable, true);
      assert.equal((await journal(d, 'session.repaired')).length, repairs);
      const stored = await d.call('session.messages', { session: S, limit: 1000 });
      assert.deepEqual(
        stored.messages.slice(0, messages.length).map((m: Json) => JSON.stringify(m.message)),
        messages.map((m) => JSON.stringify(m)),
      );
      assert.equal((await d.call('journal.replay', { session: S })).identical, true);
    });

test('PV-A11 PV-G a switch to a model without system messages in between: those that were sent go out as the user’s, told once', async () => {
  const d = new BenchDaemon();
  const open = (model: string) =>
    d.call('session.open', {
      session: S,
      format: 'anthropic',
      model,
      config: {
        plugins: { active: [CLEAR], [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 } },
        curated: { cost_rule: 'off', clear_at_least: 0 },
      },
    });
  await open('claude-opus-4-8');
  const order = { role: 'system', content: 'Never touch the lock file.' };
  const [call, result] = toolRound('a', 'read', {}, 'word '.repeat(300));
  // The message with the result is edited before the switch, and mended by it.
  result.content.push({ type: 'text', text: 'see above' });
  await ask(d, '', { append: [user('go'), call, result, order] });
  await d.call('session.append', { session: S, messages: [assistant('x')] });
  await d.call('turn.end', { session: S });
  const before = await ask(d, 'on');
  assert.deepEqual(faults('anthropic', 'claude-opus-4-8', before.request), []);
  await d.call('session.append', { session: S, messages: [assistant('y')] });
  for (const model of ['claude-sonnet-4-5', 'claude-opus-4-8', 'claude-sonnet-4-5']) {
    await open(model);
    const out = await ask(d, `with ${model}`);
    assert.deepEqual(faults('anthropic', model, out.request), []);
    assert.ok(JSON.stringify(out.request.messages).includes(order.content));
    await d.call('session.append', { session: S, messages: [assistant('z')] });
  }
  const told = (await journal(d, 'memory.curated')).filter((e: Json) => e.layer === 'repair');
  assert.deepEqual(
    told.map((e: Json) => e.cache_invalidates),
    [true],
  );
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});

test('PV-S1 PV-S2 PV-G a switch to a template with strict roles mends what alternates no more, cleared results and plan included', async () => {
  const d = new BenchDaemon();
  const opening = (model: string) => ({
    session: S,
    format: 'openai-chat',
    model,
    config: {
      plugins: { active: [CLEAR], [CLEAR]: { age_turns: 0, size_bytes_threshold: 50 } },
      curated: { cost_rule: 'off', clear_at_least: 0 },
    },
  });
  await d.call('session.open', opening('gpt-5'));
  await d.call('durable.set_plan', { session: S, title: 'p', text: 'step one' });
  const call = (id: string) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }],
  });
  const told = (id: string) => ({ role: 'tool', tool_call_id: id, content: `${id} ${'word '.repeat(300)}` });
  await ask(d, '', { append: [user('go'), user('at once'), call('a'), told('a')] });
  await d.call('session.append', { session: S, messages: [assistant('x'), assistant('and y')] });
  await d.call('turn.end', { session: S });
  await ask(d, 'on');
  await d.call('session.append', { session: S, messages: [assistant('z')] });
  for (const model of ['gemma-3-9b', 'mistral-7b-v0.3', 'llama-3.1-8b']) {
    await d.call('session.open', opening(model));
    const out = await ask(d, `with ${model}`);
    assert.deepEqual(faults('openai-chat', model, out.request), [], model);
    for (const said of ['go', 'at once', 'and y', 'step one'])
      assert.ok(JSON.stringify(out.request.messages).includes(said), `${model} ${said}`);
    await d.call('session.append', { session: S, messages: [assistant(`by ${model}`)] });
  }
  assert.equal((await d.call('journal.replay', { session: S })).identical, true);
});
