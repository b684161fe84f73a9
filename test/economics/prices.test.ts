// Prices by model and day, cost of a request, tiers of the whole request, usage objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AS_OF,
  lookupPrice,
  NO_TOKENS,
  PRICE_TABLE,
  plainModelId,
  priceTableAge,
  ratiosOf,
  requestCost,
} from '../../src/economics/index.js';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const price = (model: string, at = NOW) => {
  const row = lookupPrice(model, at);
  assert.ok(row, model);
  return row;
};
const close = (a: number, b: number, digits = 6) =>
  assert.ok(Math.abs(a - b) < 10 ** -digits, `${a} is not ${b}`);

test('COSTS 2 leverage M of each model, short and long writes', () => {
  const m = (model: string, ttl: '5m' | '1h' = '5m') => {
    const { r, w } = ratiosOf(price(model), 50_000, ttl);
    return Math.round(((w - r) / r) * 100) / 100;
  };
  assert.deepEqual([m('claude-fable-5-1'), m('claude-fable-5-1', '1h')], [49, 79]);
  assert.deepEqual([m('claude-opus-5-5'), m('claude-opus-5-5', '1h')], [24, 39]);
  assert.deepEqual([m('claude-opus-4-5'), m('claude-opus-4-5', '1h')], [11.5, 19]);
  assert.deepEqual(
    ['claude-haiku-5-5', 'gpt-6.1-sol', 'gpt-6-luna', 'gpt-5.6-terra', 'gpt-5.5', 'gpt-4.1', 'gpt-4o'].map(
      (x) => m(x),
    ),
    [11.5, 24, 11.5, 11.5, 9, 3, 1],
  );
});

test('COSTS 2 the row valid at the time of the request counts; rows are never edited', () => {
  assert.equal(price('claude-sonnet-5-5', Date.parse('2026-10-06T23:59:59Z')).read, 0.2);
  assert.equal(price('claude-sonnet-5-5', Date.parse('2026-10-07T00:00:00Z')).read, 0.1);
  assert.equal(priceTableAge(Date.parse(`${AS_OF}T12:00:00Z`) + 3 * 86_400_000), 3);
  const keys = PRICE_TABLE.flatMap((r) => r.ids.map((id) => `${id}@${r.validFrom}`));
  assert.equal(new Set(keys).size, keys.length);
});

test('COSTS 2 dated, regional and provider spellings are the same model', () => {
  for (const id of [
    'claude-opus-4-5-20251101',
    'claude-opus-4.5',
    'anthropic/claude-opus-4-5',
    'us.anthropic.claude-opus-4-5-20251101-v1:0',
    'claude-opus-4-5@20251101',
    'Claude-Opus-4-5-latest',
  ]) {
    assert.equal(plainModelId(id), 'claude-opus-4-5', id);
    assert.equal(price(id).input, 5);
  }
  assert.equal(plainModelId('gpt-4o-2024-08-06'), 'gpt-4o');
  assert.equal(plainModelId('openai/gpt-5.4'), 'gpt-5.4');
});

test('COSTS 2 unknown models have no price, and never that of a relative; the package knows the rest', () => {
  for (const id of ['claude-sonnet-9', 'claude-haiku-5-6', 'gpt-9', 'foo', '', 'gpt-6.1-sol-ultra']) {
    assert.equal(lookupPrice(id, NOW), undefined, id);
  }
  const mini = price('gpt-4o-mini');
  assert.deepEqual([mini.input, mini.read, mini.output], [0.15, 0.075, 0.6]);
  assert.match(mini.source, /genai-prices/);
  assert.equal(price('gemini-2.5-pro').tier?.above, 200_000);
});

test('COSTS 2 an operator overrides single numbers or describes an unknown model', () => {
  const o = {
    'claude-opus-4-5': { read: 0.25 },
    local: { input: 1, output: 2, tierLimit: 10, tierInput: 3 },
  };
  const opus = lookupPrice('claude-opus-4-5-20251101', NOW, o);
  assert.deepEqual([opus?.input, opus?.read, opus?.source], [5, 0.25, 'operator']);
  const local = lookupPrice('local', NOW, o);
  assert.deepEqual(
    [local?.write5m, local?.read, local?.tier],
    [1, 1, { above: 10, input: 3, cache: 3, output: 1 }],
  );
  assert.equal(lookupPrice('half', NOW, { half: { read: 1 } }), undefined);
});

test('PV-R14 a tier applies to the whole request', () => {
  const haiku = price('claude-haiku-5-5');
  close(requestCost(haiku, { ...NO_TOKENS, read: 95_000 }), 0.00095);
  close(requestCost(haiku, { ...NO_TOKENS, read: 110_000 }), 0.0055);
  const sol = price('gpt-6-sol');
  assert.equal(requestCost(sol, { ...NO_TOKENS, uncached: 272_000 }), 0.544);
  assert.equal(requestCost(sol, { ...NO_TOKENS, uncached: 272_001 }), (272_001 * 4) / 1e6);
  close(
    requestCost(sol, { ...NO_TOKENS, read: 280_000 }) - requestCost(sol, { ...NO_TOKENS, read: 270_000 }),
    0.058,
  );
  close(requestCost(sol, { ...NO_TOKENS, read: 300_000, output: 1000 }), (300_000 * 0.4 + 1000 * 15) / 1e6);
});

test('COSTS 2 classes and modes', () => {
  const opus = price('claude-opus-5-5');
  const t = { uncached: 1000, read: 100_000, write5m: 2000, write1h: 3000, output: 500 };
  close(requestCost(opus, t), (1000 * 4 + 100_000 * 0.2 + 2000 * 5 + 3000 * 8 + 500 * 20) / 1e6, 12);
  close(requestCost(opus, t, { fast: true, batch: true, inRegion: true }), requestCost(opus, t) * 1.1, 12);
  assert.equal(ratiosOf(opus, 100).r, 1, 'below the minimum cacheable prefix nothing is cached');
});
