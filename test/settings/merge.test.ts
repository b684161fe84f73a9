// Layers: defaults < preset < daemon < session; what is shown loads again; nothing can be changed afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import {
  effective,
  PLUGIN_IDS,
  PRESET_NAMES,
  renderConfig,
  resolveSettings,
} from '../../src/settings/index.js';
import { faults, good, load } from './support.js';

test('E-5 a preset lies below the user, and a session above the daemon', () => {
  const daemon = load(
    'curated: {preset: aggressive, keep: {turns: 2}}\nplugins: {tool_result_clear: {age_turns: 9}}',
  );
  assert.ok(daemon.ok);
  assert.equal(daemon.settings.plugins.toolResultClear.ageTurns, 9);
  assert.equal(daemon.settings.plugins.toolResultClear.sizeBytesThreshold, 400);
  assert.deepEqual(daemon.settings.curated.keep, { toolUses: 3, turns: 2 });
  const session = good(
    { curated: { keep: { tool_uses: 8 } }, plugins: { tool_result_clear: { size_bytes_threshold: 1 } } },
    { under: [daemon.layer], scope: 'session' },
  );
  assert.equal(session.curated.preset, 'aggressive');
  assert.deepEqual(session.curated.keep, { toolUses: 8, turns: 2 });
  assert.equal(session.plugins.toolResultClear.ageTurns, 9);
  assert.equal(session.plugins.toolResultClear.sizeBytesThreshold, 1);
  const off = good({}, { under: [daemon.layer], preset: 'off' });
  assert.equal(off.mode, 'off');
  assert.equal(off.active.size, 0);
});

test('L5-1 the ratio gate is on when its block sets a number, or by its mode', () => {
  assert.equal(good({}).plugins.contextWindow.ratioGate, false);
  for (const block of [{ max_context_tokens: 100_000 }, { trigger_ratio: 0.85 }, { mode: 'ratio' }]) {
    assert.equal(good({ plugins: { context_window: block } }).plugins.contextWindow.ratioGate, true);
  }
  assert.equal(
    good({ plugins: { context_window: { deadline: '5s' } } }).plugins.contextWindow.ratioGate,
    false,
  );
});

test('P-12 prices take a model, numbers for the own model, or numbers by id', () => {
  const s = good({
    curated: {
      prices: { model: 'claude-opus-4-5', read: 0.2, overrides: { a: { input: 1 } }, 'gpt-x': { output: 3 } },
    },
  });
  assert.deepEqual(s.curated.prices, {
    model: 'claude-opus-4-5',
    own: { read: 0.2 },
    overrides: { a: { input: 1 }, 'gpt-x': { output: 3 } },
  });
  assert.deepEqual(faults({ curated: { prices: { write_5n: 1 } } }), [
    'curated.prices.write_5n|-|unknown key; the nearest valid key is write_5m',
  ]);
});

test("P-12 the daemon's own keys are not a session's", () => {
  const r = load(
    {
      journal: { retain_days: 1 },
      curated: { limits: { drain_ms: 1 }, listen: { port: 1 }, context: { roots: ['/srv'] } },
    },
    { scope: 'session' },
  );
  assert.ok(r.ok);
  assert.equal(r.settings.journal.retainDays, 30);
  assert.deepEqual(r.settings.curated.limits, {});
  assert.equal(r.settings.curated.context.roots, undefined);
  assert.equal(r.notices.length, 4);
  assert.match(faults({ curated: { context: { roots: ['src'] } } })[0] ?? '', /no absolute path/);
  assert.match(faults({ curated: { limits: { drain: 1 } } })[0] ?? '', /nearest valid one is drain_ms/);
  assert.match(faults({ curated: { limits: { drain_ms: 1e12 } } })[0] ?? '', /out of range/);
});

test('E-6 what is printed loads to the same settings, for every preset', () => {
  for (const name of PRESET_NAMES) {
    const s = resolveSettings([], name);
    const again = good(renderConfig(s));
    assert.deepEqual(effective(again), effective(s));
    assert.equal(again.plugins.contextWindow.ratioGate, s.plugins.contextWindow.ratioGate);
    assert.equal(again.mode, s.mode);
  }
});

test('P-12 the effective settings are a plain JSON value in the shape of the file', () => {
  const tree = effective(
    good('plugins: {active: [capped]}\ncurated: {cache_ttl: 1h, trigger: [{tokens: 5, calls: 2}]}'),
  );
  assert.deepEqual(JSON.parse(JSON.stringify(tree)), tree);
  const plugins = tree['plugins'] as Record<string, Record<string, unknown>>;
  assert.deepEqual(plugins['active'], [PLUGIN_IDS.capped]);
  assert.equal(plugins[PLUGIN_IDS.summaryBuffer]?.['timeout'], '60s');
  const curated = tree['curated'] as Record<string, unknown>;
  assert.equal(curated['cache_ttl'], '1h');
  assert.deepEqual(curated['trigger'], [{ tokens: 5, calls: 2 }]);
  assert.deepEqual(Object.keys(parse(renderConfig(good({}))) as object), ['plugins', 'journal', 'curated']);
});

test('P-12 settings are frozen to the last leaf', () => {
  const s = resolveSettings();
  assert.throws(() => Object.assign(s.plugins.toolResultClear, { ageTurns: 1 }), TypeError);
  assert.throws(() => (s.plugins.topicPruner.explicitPhrases as string[]).push('x'), TypeError);
  assert.throws(() => (s.active as Set<string>).add('x'), TypeError);
  assert.throws(() => (s.active as Set<string>).clear(), TypeError);
});
