// Facts of models: classes, minimum prefixes, pixels, usage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base64Bytes, imagePixels, imageTokens, mediaTokens } from '../../src/providers/media.js';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import type { Profile } from '../../src/providers/types.js';
import { readUsage } from '../../src/providers/usage.js';
import { clockMs, least } from '../support/least.js';
import { natives, user } from './kit.js';

const claude = (model: string): Profile => profileOf('anthropic', model);

test('PV-A25 model classes by id; every unknown newer Claude id is bound (AB)', () => {
  const classes: Record<string, string> = {
    'claude-opus-4-5-20251101': 'AF',
    'claude-opus-5': 'AF',
    'claude-opus-5-5': 'AB',
    'claude-opus-5.5': 'AB',
    'claude-opus-6': 'AB',
    'claude-sonnet-4-20250514': 'AF',
    'claude-sonnet-5': 'AF',
    'claude-sonnet-5-5': 'AB',
    'claude-haiku-4-5': 'AF',
    'claude-haiku-5-5': 'AB',
    'claude-fable-5': 'AF',
    'claude-fable-5-1': 'AB',
    'claude-mythos-5': 'AF',
    'claude-mythos-5-1': 'AB',
    'claude-3-5-sonnet-20241022': 'AF',
    'claude-3-opus-latest': 'AF',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0': 'AF',
    'anthropic/claude-sonnet-4.6': 'AF',
    'claude-opus-4-10': 'AF',
    'claude-novella-1': 'AB',
    'something-else': 'AB',
  };
  for (const [model, cls] of Object.entries(classes)) assert.equal(claude(model).modelClass, cls, model);
  assert.equal(profileOf('openai-chat', 'gpt-6').modelClass, 'CC');
  assert.equal(profileOf('openai-responses', 'gpt-6').modelClass, 'RS');
  assert.equal(profileOf('openai-chat', 'google/gemma-3-27b-it').modelClass, 'SH');
  assert.equal(profileOf('openai-chat', 'my-model', { modelClass: 'SH' }).singleSystem, true);
});

test('PV-A33 the models that keep earlier thinking by themselves', () => {
  const kept = ['claude-opus-4-5', 'claude-sonnet-4-6', 'claude-fable-5', 'claude-mythos-5'];
  for (const model of kept) assert.equal(claude(model).thinkingKept, 'all', model);
  for (const model of ['claude-opus-4-1', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-haiku-5-5'])
    assert.equal(claude(model).thinkingKept, 'last', model);
});

test('PV-A43 minimum cacheable prefixes', () => {
  const minimum: Record<string, number> = {
    'claude-opus-5': 512,
    'claude-fable-5': 512,
    'claude-sonnet-5-5': 512,
    'claude-haiku-5-5': 512,
    'claude-opus-4-8': 1_024,
    'claude-sonnet-4': 1_024,
    'claude-sonnet-5': 1_024,
    'claude-opus-4-7': 2_048,
    'claude-3-5-haiku-20241022': 2_048,
    'claude-opus-4-5': 4_096,
    'claude-opus-4-6': 4_096,
    'claude-haiku-4-5': 4_096,
  };
  for (const [model, tokens] of Object.entries(minimum))
    assert.equal(claude(model).minCacheTokens, tokens, model);
  assert.ok(claude('claude-opus-5-5').unconfirmed.includes('minCacheTokens'));
  assert.equal(profileOf('openai-chat', 'gpt-5.5').minCacheTokens, 1_024);
});

test('PV-A51 image tokens of Claude: patches of 28 px, within 4 % of w x h / 750', () => {
  assert.equal(imageTokens(1_568, 1_568, claude('claude-opus-4-5').image), 1_568);
  const opus = claude('claude-opus-5-5').image;
  assert.equal(imageTokens(1_568, 1_568, opus), 56 * 56);
  assert.equal(imageTokens(8_000, 4_000, opus), Math.ceil(2_000 / 28) * Math.ceil(1_000 / 28));
  fc.assert(
    fc.property(fc.integer({ min: 800, max: 1_900 }), fc.integer({ min: 800, max: 1_900 }), (w, h) => {
      assert.ok(Math.abs(imageTokens(w, h, opus) / ((w * h) / 750) - 1) < 0.08);
    }),
  );
});

test('PV-C12 image tokens of OpenAI models', () => {
  assert.equal(imageTokens(1_024, 1_024, profileOf('openai-chat', 'gpt-6').image), Math.ceil(1.2 * 32 * 32));
  const tiles = profileOf('openai-chat', 'gpt-4o').image;
  assert.equal(imageTokens(1_024, 1_024, tiles), 85 + 170 * 4);
  assert.equal(imageTokens(2_048, 4_096, tiles), 85 + 170 * 6);
});

const PNG = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from([0, 0, 3, 32, 0, 0, 2, 88]),
]).toString('base64');

test('PV-A51 pixels come from the header of the file; nothing else of it is decoded', () => {
  assert.deepEqual(imagePixels(PNG), { width: 800, height: 600 });
  const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0x20, 3, 0x58, 2])]).toString('base64');
  assert.deepEqual(imagePixels(gif), { width: 800, height: 600 });
  const jpeg = Buffer.from(
    'ffd8ffe000104a46494600010100000100010000ffc000110802580320030122000211010311',
    'hex',
  );
  assert.deepEqual(imagePixels(jpeg.toString('base64')), { width: 800, height: 600 });
  const webp = Buffer.concat([
    Buffer.from('RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0'),
    Buffer.from([0x1f, 3, 0, 0x57, 2, 0]),
  ]);
  assert.deepEqual(imagePixels(webp.toString('base64')), { width: 800, height: 600 });
  assert.equal(imagePixels('iVBORw0KGgoAAAAN'.repeat(10)), undefined);
  assert.equal(base64Bytes('QUJD'), 3);
  assert.equal(base64Bytes('QUI='), 2);
});

test('PV-A51 an image never weighs its base64; a data URL in a text is text (cases 44, 45)', async () => {
  const data = 'iVBORw0KGgoAAAAN'.repeat(262_144);
  const [image, hinted, plain] = natives([
    user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }]),
    user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data }, _px: [1_568, 1_568] }]),
    user([{ type: 'text', text: `data:image/png;base64,${PNG}` }]),
  ]);
  const { read } = specOf('anthropic');
  const { image: rule } = claude('claude-opus-5-5');
  const facts = () => [image!, hinted!].map((m) => read(m).parts[0]!.media![0]!);
  assert.ok((await least(100, () => clockMs(facts))) < 100, 'four megabytes each, which nobody decodes');
  const media = facts();
  assert.equal(media[0]!.bytes, 3 * 1024 * 1024);
  assert.equal(mediaTokens(media[0]!, rule), 1_600);
  assert.equal(mediaTokens(media[1]!, rule), 3_136);
  assert.equal(read(plain!).parts[0]!.kind, 'text');
  const [chat] = natives([user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }])]);
  const part = specOf('openai-chat').read(chat!).parts[0]!;
  assert.deepEqual(
    [part.media![0]!.width, part.media![0]!.height, part.media![0]!.mediaType],
    [800, 600, 'image/png'],
  );
});

test('PV-A51 documents weigh by pages', () => {
  const { image } = claude('claude-opus-5');
  assert.equal(mediaTokens({ kind: 'document', path: [], bytes: 900, pages: 3 }, image), 9_000);
  assert.equal(mediaTokens({ kind: 'document', path: [], bytes: 120_000 }, image), 9_000);
});

test('PV-A47 Anthropic’s input numbers add up; more than the window is refused', () => {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1_000,
    cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
    output_tokens: 7,
  };
  const read = readUsage('anthropic', usage);
  assert.deepEqual(read, {
    ok: true,
    usage: { prompt: 1_110, cached: 1_000, written: 100, written1h: 40, output: 7 },
  });
  assert.equal(readUsage('anthropic', usage, { window: 1_000 }).ok, false);
  for (const bad of [
    null,
    5,
    {},
    { input_tokens: -1 },
    { input_tokens: '5' },
    { input_tokens: 0 },
    { input_tokens: 1.5 },
  ])
    assert.equal(readUsage('anthropic', bad).ok, false, JSON.stringify(bad));
});

test('PV-A48 the passes of a compaction are kept apart', () => {
  const pass = { input_tokens: 5, output_tokens: 1 };
  const read = readUsage('anthropic', { ...pass, iterations: [pass, { ...pass, input_tokens: 50 }] });
  assert.ok(read.ok);
  assert.deepEqual(
    read.usage.iterations?.map((u) => u.prompt),
    [5, 50],
  );
});

test('PV-C8 PV-R11 OpenAI’s prompt includes the cached tokens (case 42)', () => {
  const chat = readUsage('openai-chat', {
    prompt_tokens: 1_000,
    completion_tokens: 9,
    prompt_tokens_details: { cached_tokens: 900, cache_write_tokens: 50 },
  });
  assert.deepEqual(chat, {
    ok: true,
    usage: { prompt: 1_000, cached: 900, written: 50, written1h: 0, output: 9 },
  });
  const responses = readUsage('openai-responses', {
    input_tokens: 1_000,
    output_tokens: 9,
    input_tokens_details: { cached_tokens: 900 },
  });
  assert.ok(responses.ok && responses.usage.prompt === 1_000 && responses.usage.cached === 900);
  const more = { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 11 } };
  assert.equal(readUsage('openai-chat', more).ok, false);
});
