import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OptionalEncoding } from '../../src/pool/contract.js';
import { encodingOf, offerEncoding, optionalEncoding } from '../../src/tokens/encoding.js';

test('NS-6 OpenAI models count exactly, the longest prefix wins, and gpt-4 does not catch gpt-4o', () => {
  const o200k = [
    'gpt-5',
    'gpt-5.2-mini',
    'gpt-4o',
    'gpt-4o-2024-08-06',
    'gpt-4.1-nano',
    'gpt-4.5-preview',
    'o1',
    'o3-pro',
    'o4-mini',
  ];
  const cl100k = ['gpt-4', 'gpt-4-turbo', 'gpt-4-0613', 'gpt-3.5-turbo', 'gpt-35-turbo'];
  for (const model of o200k)
    assert.deepEqual(encodingOf(model), { encoding: 'o200k_base', exact: true }, model);
  for (const model of cl100k)
    assert.deepEqual(encodingOf(model), { encoding: 'cl100k_base', exact: true }, model);
  assert.deepEqual(encodingOf('openai/GPT-4o'), { encoding: 'o200k_base', exact: true });
  assert.deepEqual(encodingOf('ft:gpt-4-0613:org::id'), { encoding: 'cl100k_base', exact: true });
});

test('NS-6 PV-A52 models without a public tokenizer are estimated: Claude over o200k_base, others over cl100k_base', () => {
  for (const model of ['claude-opus-4-5-20251101', 'us.anthropic.claude-sonnet-4-5-v1:0', 'claude-9'])
    assert.deepEqual(encodingOf(model), { encoding: 'o200k_base', exact: false }, model);
  for (const model of ['gemini-3-pro', 'o100-large', 'my-gpt-4', '', 'llama-3'])
    assert.deepEqual(encodingOf(model), { encoding: 'cl100k_base', exact: false }, model);
});

test('NS-6 open models are counted with their own vocabulary once it is offered, and are estimates before', () => {
  const models: Record<string, OptionalEncoding | undefined> = {
    'meta-llama/Llama-3.1-70B-Instruct': 'llama3',
    'meta-llama/Meta-Llama-3-8B': 'llama3',
    'llama3.3:70b': 'llama3',
    'llama-4-scout': undefined,
    'llama-33b': undefined,
    'Qwen/Qwen3-32B': 'qwen3',
    'qwen3:8b': 'qwen3',
    'qwen3.5-plus': undefined,
    'qwen2.5-7b': undefined,
    'deepseek-ai/DeepSeek-V3.1': 'deepseek_v3',
    'deepseek-r1': 'deepseek_v3',
    'deepseek-v4': undefined,
    'claude-sonnet-4-5': undefined,
    'gpt-4o': undefined,
  };
  for (const [model, expected] of Object.entries(models)) {
    assert.equal(optionalEncoding(model), expected, model);
    if (expected !== undefined)
      assert.deepEqual(encodingOf(model), { encoding: 'cl100k_base', exact: false });
  }
  offerEncoding('llama3');
  for (const [model, expected] of Object.entries(models)) {
    const { encoding, exact } = encodingOf(model);
    assert.equal(encoding === 'llama3', expected === 'llama3', model);
    if (expected === 'llama3') assert.equal(exact, true);
  }
});
