// Prices and cache rules of a session from its model, format and settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tariffOf } from '../../src/economics/index.js';
import { resolveSettings } from '../../src/settings/index.js';

const at = Date.parse('2026-11-29T00:00:00Z');

test('PV-C10 PV-C11 the cache rules follow format and model', () => {
  const kinds = (
    [
      ['anthropic', 'claude-opus-5-5'],
      ['openai-chat', 'gpt-4o'],
      ['openai-chat', 'gpt-5.5'],
      ['openai-responses', 'gpt-5.6-sol'],
      ['openai-responses', 'gpt-6-luna'],
    ] as const
  ).map(([format, model]) => {
    const { rules } = tariffOf({ format, model, at });
    return [rules.kind, rules.writeFee, rules.step, rules.ttl / 60_000];
  });
  assert.deepEqual(kinds, [
    ['marks', true, 1, 5],
    ['automatic', false, 128, 5],
    ['automatic', false, 128, 5],
    ['automatic', true, 1, 30],
    ['automatic', true, 1, 30],
  ]);
});

test('PV-A43 the minimum cacheable prefix and the TTL come from row and settings', () => {
  assert.equal(tariffOf({ format: 'anthropic', model: 'claude-opus-4-5', at }).rules.minTokens, 4096);
  const o = { format: 'anthropic', model: 'unheard-of', at, minCacheTokens: 2048, cacheTtl: 7000 } as const;
  assert.deepEqual([tariffOf(o).rules.minTokens, tariffOf(o).rules.ttl], [2048, 7000]);
  assert.equal(tariffOf({ format: 'anthropic', model: 'claude-opus-4-5', at }).ratios(4000).r, 1);
});

test('COSTS 2 without a price decisions still have ratios, and money is left out', () => {
  const unknown = tariffOf({ format: 'anthropic', model: 'unheard-of', at });
  assert.equal(unknown.row, undefined);
  assert.deepEqual(unknown.ratios(50_000), { r: 0.1, w: 1.25, o: 5 });
  assert.equal(unknown.ratios(50_000, '1h').w, 2);
  const local = tariffOf({ format: 'openai-chat', model: 'gpt-4o', at, selfHosted: true });
  assert.equal(local.row, undefined);
  assert.deepEqual(local.ratios(50_000), { r: 1, w: 1, o: 5 });
});

test('P-12 the key prices reaches the tariff: another model, own numbers, numbers by id', () => {
  const settings = resolveSettings([
    {
      curated: {
        prices: {
          model: 'claude-opus-5-5',
          own: { read: 1 },
          overrides: { 'claude-opus-5-5': { output: 7 } },
        },
      },
    },
  ]);
  const t = tariffOf({ format: 'anthropic', model: 'house-model', at, prices: settings.curated.prices });
  assert.deepEqual([t.row?.input, t.row?.read, t.row?.output], [4, 1, 7]);
  assert.equal(t.ratios(50_000).r, 0.25);
});
