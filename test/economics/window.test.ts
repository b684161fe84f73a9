// The compaction threshold: the golden table and its two inequalities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  autoCompactThreshold,
  COMPACTION_BUFFER_TOKENS,
  capabilitiesOf,
  IMAGE_TOKENS,
  MESSAGE_TOKENS,
  outputReserve,
  RECENT_MESSAGES,
  SUMMARY_OUTPUT_TOKENS,
} from '../../src/economics/window.js';

test('NS-1 the constants', () => {
  assert.deepEqual(
    [SUMMARY_OUTPUT_TOKENS, COMPACTION_BUFFER_TOKENS, IMAGE_TOKENS, MESSAGE_TOKENS, RECENT_MESSAGES],
    [20_000, 13_000, 1_400, 4, 4],
  );
});

test('NS-2 golden thresholds', () => {
  const golden: [number, number, number][] = [
    [200_000, 32_000, 167_000],
    [128_000, 16_384, 98_616],
    [128_000, 32_000, 95_000],
    [1_000_000, 64_000, 967_000],
    [2_000_000, 64_000, 1_967_000],
    [100_000, 8_192, 78_808],
    [64_000, 8_192, 42_808],
    [32_768, 4_096, 15_672],
    [16_385, 4_096, 4_096],
    [8_192, 4_096, 4_096],
    [30_000, 32_000, 15_000],
    [16_385, 32_000, 8_192],
    [8_192, 32_000, 4_096],
    [4_096, 4_096, 2_048],
    [4_000, 2_048, 2_000],
    [8_192, 256, 2_048],
  ];
  for (const [window, out, threshold] of golden) {
    assert.equal(autoCompactThreshold(window, out), threshold, `${window}/${out}`);
  }
  // The second line of the golden: clamped by half the window, where the reserve is the threshold.
  for (const [window, out, threshold] of golden.slice(10, 15)) {
    assert.equal(outputReserve(window, out), threshold);
  }
});

test('NS-4 windows by the longest prefix; given and operator values go first; unknown stays unknown', () => {
  const window = (model: string) => capabilitiesOf(model)?.contextWindow;
  assert.deepEqual(
    [
      'claude-opus-4-5-20251101',
      'gpt-4o-mini',
      'gpt-4-0613',
      'gpt-4-turbo-x',
      'gpt-4.1',
      'gpt-3.5-turbo',
      'o3-mini',
    ].map(window),
    [200_000, 128_000, 8_192, 128_000, 128_000, 16_385, 200_000],
  );
  assert.equal(window('openai/gpt-5.4'), 128_000);
  assert.equal(window('llama-3'), undefined);
  assert.equal(capabilitiesOf('claude-x')?.maxOutputTokens, 32_000);
  assert.deepEqual(capabilitiesOf('llama-3', { contextWindow: 9_000 }), {
    contextWindow: 9_000,
    maxOutputTokens: 32_000,
    source: 'given',
  });
  const operator = { 'claude-opus': { contextWindow: 1_000_000, maxOutputTokens: 64_000 } };
  assert.deepEqual(capabilitiesOf('claude-opus-5', {}, operator), {
    contextWindow: 1_000_000,
    maxOutputTokens: 64_000,
    source: 'operator',
  });
  assert.equal(capabilitiesOf('claude-opus-5', { contextWindow: 5_000 }, operator)?.contextWindow, 5_000);
});

test('NS-5 property: a quarter of the window at least, and threshold plus reserve fit, for every window', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1_000, max: 2_000_000 }),
      fc.oneof(fc.integer({ min: 1, max: 2_000_000 }), fc.integer({ min: 1, max: 40_000 })),
      (window, out) => {
        const t = autoCompactThreshold(window, out);
        return Math.floor(window / 4) <= t && t + outputReserve(window, out) <= window;
      },
    ),
    { numRuns: 5_000 },
  );
});
