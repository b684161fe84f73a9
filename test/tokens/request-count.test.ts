import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createPool } from '../../src/pool/pool.js';
import { anthropic } from '../../src/providers/anthropic/index.js';
import { profileOf } from '../../src/providers/profile.js';
import type { ImageRule, Reading } from '../../src/providers/types.js';
import { FEATURES } from '../../src/tokens/features.js';
import {
  combine,
  FLAT_IMAGE,
  type Measure,
  measureMessage,
  measureSystem,
  measureTools,
  TOOL_OVERHEAD,
} from '../../src/tokens/request-count.js';

const pool = createPool({ shards: 1 });
after(() => pool.close());
const rule: ImageRule = profileOf('anthropic', 'claude-opus-4-5').image;

function read(value: unknown): Reading {
  return anthropic.read({ text: JSON.stringify(value), value });
}
async function total(measure: Measure) {
  return combine(measure, await pool.countTokens(measure.texts, 'o200k_base'));
}
async function raw(...texts: string[]): Promise<number> {
  return (await pool.countTokens(texts, 'o200k_base')).reduce((a, b) => a + b, 0);
}

test('NS-6 L4-2 a message counts its text, thinking, calls as name + JSON, results, and 4 for itself', async () => {
  const input = { path: 'src/a.ts', depth: 1.0 };
  const call = read({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Where is it?', signature: 's'.repeat(4000) },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'c1', name: 'read_file', input },
    ],
  });
  const { tokens, parts } = await total(measureMessage(call, rule));
  assert.equal(tokens, 4 + (await raw('Where is it?', 'I look.', `read_file${JSON.stringify(input)}`)));
  assert.equal(parts.length, 3);
  assert.equal(parts[0], await raw('Where is it?'));
  const body = 'export const a = 1;\n'.repeat(20);
  const result = read({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: body }] });
  const got = await total(measureMessage(result, rule));
  assert.equal(got.tokens, 4 + (await raw(body)));
  assert.equal(got.features[FEATURES.indexOf('results')], 1);
});

test('NS-1 NS-6 an image of unknown size is 1,400, one of known size by its pixels, never by its base64', async () => {
  const data = 'iVBORw0KGgoAAAAN'.repeat(20_000);
  const block = { type: 'image', source: { type: 'base64', media_type: 'image/webp', data } };
  const flat = await total(measureMessage(read({ role: 'user', content: [block] }), rule));
  assert.equal(flat.tokens, 4 + FLAT_IMAGE);
  const sized = await total(
    measureMessage(read({ role: 'user', content: [{ ...block, _px: [280, 140] }] }), rule),
  );
  assert.equal(sized.tokens, 4 + 50);
  assert.equal(sized.features[FEATURES.indexOf('flat')], 50);
});

test('NS-6 a data URL inside a text counts as text', async () => {
  const url = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAUA'.repeat(40)}`;
  const { tokens } = await total(
    measureMessage(read({ role: 'user', content: [{ type: 'text', text: url }] }), rule),
  );
  assert.equal(tokens, 4 + (await raw(url)));
  assert.ok(tokens > url.length / 4);
});

test('a block that nobody knows counts as its JSON, what is sealed in it by its size', async () => {
  const block = { type: 'new_thing', note: 'plain words', data: 'A'.repeat(5300) };
  const { tokens } = await total(measureMessage(read({ role: 'user', content: [block] }), rule));
  assert.equal(tokens, 4 + 1000 + (await raw(JSON.stringify({ ...block, data: '' }))));
});

test('NS-6 L4-2 system and tool definitions count: name + description, schema JSON, the overheads of the format', async () => {
  const blocks = [
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'Be kind.' },
  ];
  assert.equal((await total(measureSystem(blocks))).tokens, await raw('Be brief.', 'Be kind.'));
  assert.equal((await total(measureSystem('Be brief.'))).tokens, await raw('Be brief.'));
  for (const nothing of [undefined, null, '', [], 7])
    assert.equal((await total(measureSystem(nothing))).tokens, 0);
  const schema = { type: 'object', properties: { path: { type: 'string' } } };
  const bare = await raw('read\nReads a file', JSON.stringify(schema));
  const a = { name: 'read', description: 'Reads a file', input_schema: schema };
  const c = { type: 'function', function: { name: 'read', description: 'Reads a file', parameters: schema } };
  const r = { type: 'function', name: 'read', description: 'Reads a file', parameters: schema };
  for (const [tool, format] of [
    [a, 'anthropic'],
    [c, 'openai-chat'],
    [r, 'openai-responses'],
  ] as const) {
    const { once, each } = TOOL_OVERHEAD[format];
    assert.equal((await total(measureTools([tool, tool], format))).tokens, once + 2 * (each + bare), format);
    assert.equal((await total(measureTools([], format))).tokens, 0);
  }
  const server = { type: 'web_search_20250305', name: 'web_search' };
  assert.equal(
    (await total(measureTools([server], 'anthropic'))).tokens,
    346 + (await raw(JSON.stringify(server))),
  );
});

test('L4-2 parts and overheads add up to the whole, and the features to its raw tokens, for any reading', () => {
  const part = fc.oneof(
    fc.record({ kind: fc.constantFrom('text', 'thinking', 'opaque', 'tool_result'), text: fc.string() }),
    fc.record({ kind: fc.constant('tool_call'), tool: fc.string(), argsText: fc.constant('{"a":1}') }),
    fc.record({ kind: fc.constant('image'), media: fc.constant([{ kind: 'image', path: [], bytes: 9 }]) }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.nat(5), (parts, first) => {
      const reading = { role: 'user', ownText: '', marks: [], parts: parts.map((p) => ({ path: [], ...p })) };
      const measure = measureMessage(reading as unknown as Reading, rule);
      const counts = [...new Array<number>(first).fill(99), ...measure.texts.map((t) => t.length)];
      const { tokens, parts: each, features } = combine(measure, counts, first);
      assert.equal(each.length, parts.length);
      assert.equal(tokens, 4 + each.reduce((a, b) => a + b, 0));
      const sum = features.slice(2).reduce((a, b) => a + b, 0);
      assert.ok(Math.abs(sum - (tokens - 4)) < 1e-6);
    }),
  );
});
