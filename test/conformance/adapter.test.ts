// Tests of the adapter's own parts: exact texts out of frames, hints, the mapping of hints to settings, the fake summariser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadSettings } from '../../src/settings/index.js';
import { hintsOf, strip } from './adapter/hints.js';
import { rawAt } from './adapter/raw-json.js';
import { openParams, productConfig } from './adapter/settings.js';
import { FakeSummarizer } from './adapter/summarizer.js';
import { assistant, caseOf, user } from './build.js';
import { loadCases, OWN_CASES, SHARED_CASES } from './load-cases.js';

test('adapter raw text: the exact text of a nested value', () => {
  const frame =
    '{"a":"}\\"","result": {"x":[1,{"request":0}], "request": {"n": 1.0, "s":"é\\u00e9"} ,"z":null}}';
  assert.equal(rawAt(frame, ['result', 'request']), '{"n": 1.0, "s":"é\\u00e9"}');
  assert.equal(rawAt(frame, ['result', 'nothing']), undefined);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (rest, v) => {
      const text = rawAt(JSON.stringify({ ...rest, result: { ...rest, request: v } }), ['result', 'request']);
      assert.equal(text, JSON.stringify(v));
    }),
  );
});

test('adapter hints: they leave the messages and are told apart', () => {
  const image = { type: 'image', source: {}, _px: [800, 600] };
  const messages = [
    user([image]),
    { ...assistant('a'), _usage: { prompt_tokens: 5 }, _model: 'm' },
    user('b'),
  ];
  assert.deepEqual(hintsOf(messages), [
    { message: 0, media: [{ path: '/content/0', width: 800, height: 600 }] },
    { message: 1, usage: { prompt_tokens: 5 }, model: 'm' },
  ]);
  assert.doesNotMatch(JSON.stringify(strip(messages)), /"_/);
});

test('adapter settings: what a case asks for is a configuration that the product takes', (t) => {
  const own = loadCases(OWN_CASES) ?? [];
  assert.ok(own.length >= 10);
  const shared = loadCases(SHARED_CASES);
  if (shared === undefined) t.diagnostic('the shared cases are not there: only our own are checked');
  for (const c of [...own, ...(shared ?? [])]) {
    const loaded = loadSettings(productConfig(c, c.config), { origin: c.id });
    assert.ok(loaded.ok, `${c.id}: ${JSON.stringify(loaded.ok ? [] : loaded.errors)}`);
  }
});

test('adapter settings: format, model, window, trigger and layer', () => {
  const c = caseOf([], { config: { layer: 'tool_result_clear', window: 1000, trigger: { fraction: 0.5 } } });
  const p = openParams(c, c.config);
  assert.equal(p['format'], 'anthropic');
  assert.equal(p['context_window'], 1000);
  const config = p['config'] as {
    plugins: { active: string[] };
    curated: { trigger: unknown; cost_rule: string };
  };
  assert.deepEqual(config.plugins.active, ['nexus.memory.tool_result_clear']);
  assert.deepEqual(config.curated.trigger, [{ fraction: 0.5 }]);
  assert.equal(config.curated.cost_rule, 'off');
});

test('F36 adapter fake summariser: every behaviour, and what it was given is kept', async () => {
  const ask = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(100) }] }] };
  const run = (fake: unknown, more = {}) => new FakeSummarizer({ fake, ...more }).complete(ask);
  assert.equal((await run('echo'))['text'], `ECHO: ${'x'.repeat(80)}`);
  assert.deepEqual(await run({ text: 't', finish: 'length' }), { text: 't', stop_reason: 'max_tokens' });
  assert.equal((await run({ text_repeat: ['ab', 3] }))['text'], 'ababab');
  assert.equal((await run({ tool_call: 'f' }))['text'], '');
  await assert.rejects(run({ error: 'boom' }), /boom/);
  await assert.rejects(run('echo', { max_input_tokens: 1 }), /too long/);
  const sequence = new FakeSummarizer({ fake: { sequence: [{ text: 'a' }, { text: 'b' }] } });
  const texts = [];
  for (let i = 0; i < 3; i++) texts.push((await sequence.complete(ask))['text']);
  assert.deepEqual(texts, ['a', 'b', 'b']);
  assert.equal(sequence.calls.length, 3);
  assert.equal(sequence.calls[0]?.input_text, 'x'.repeat(100));
});
