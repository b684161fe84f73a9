// Usage as providers report it, as disjoint classes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classesOfUsage, usageReport } from '../../src/eval/usage-report.js';

test('PV-A47 PV-C8 PV-R11 usage objects become disjoint classes, never counted twice', () => {
  const anthropic = {
    input_tokens: 10,
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 2000,
    output_tokens: 7,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  };
  assert.deepEqual(classesOfUsage('anthropic', anthropic), {
    uncached: 10,
    read: 2000,
    write5m: 100,
    write1h: 200,
    output: 7,
  });
  const chat = {
    prompt_tokens: 1000,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 200 },
  };
  const classes = { uncached: 100, read: 700, write5m: 200, write1h: 0, output: 5 };
  assert.deepEqual(classesOfUsage('openai-chat', chat), classes);
  assert.deepEqual(classesOfUsage('openai-chat', usageReport('openai-chat', classes)), classes);
  assert.deepEqual(classesOfUsage('openai-responses', usageReport('openai-responses', classes)), classes);
  assert.equal(classesOfUsage('anthropic', {}), undefined);
  assert.equal(classesOfUsage('openai-chat', null), undefined);
});

test('PV-A48 several passes cost their sum', () => {
  const pass = { input_tokens: 5, output_tokens: 1 };
  const used = classesOfUsage('anthropic', { ...pass, iterations: [pass, { ...pass, input_tokens: 50 }] });
  assert.deepEqual([used?.uncached, used?.output], [55, 2]);
});
