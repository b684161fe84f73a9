// Fields beside the conversation: native edits, on-demand compaction, forced tools. Each rule on a body that is taken and on
// one that is not, by our checks and by the fake providers that are written without them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BodyFields, checkFields } from '../../src/providers/native/check.js';
import { type NativeKnobs, nativePlan } from '../../src/providers/native/fields.js';
import { profileOf } from '../../src/providers/profile.js';
import { FakeAnthropic } from '../conformance/fakes/anthropic.js';
import { FakeOpenAi } from '../conformance/fakes/openai.js';

const EDITING = 'context-management-2025-06-27';
const COMPACT = 'compact-2026-01-12';
const AF = 'claude-sonnet-4-5';
const KNOBS: NativeKnobs = {
  trigger: 100_000,
  compactAt: 150_000,
  keepToolUses: 3,
  excludeTools: [],
  clearToolInputs: false,
};
const uses = (more = {}) => ({ type: 'clear_tool_uses_20250919', ...more });
const thinking = (more = {}) => ({ type: 'clear_thinking_20251015', ...more });
const compact = (more = {}) => ({ type: 'compact_20260112', ...more });

/** Rules that our check names, after the fake has agreed that there is something, or nothing, to refuse. */
function rules(fields: BodyFields, model = AF): string[] {
  const { betas = [], ...body } = fields;
  const found = checkFields(profileOf('anthropic', model), fields).map((v) => v.rule);
  const fake = new FakeAnthropic().messages(
    JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: 'a' }], ...body }),
    { 'anthropic-beta': betas.join(',') },
  );
  assert.equal(fake.status, found.length === 0 ? 200 : 400, JSON.stringify(fake.body));
  if (fake.rule !== undefined) assert.ok(found.includes(fake.rule), `${fake.rule} not in ${found.join()}`);
  return [...new Set(found)];
}

const edits = (...list: unknown[]) => ({ context_management: { edits: list }, betas: [EDITING, COMPACT] });

test('PV-N1 clear_tool_uses: its header, its trigger, its lists', () => {
  const full = uses({
    trigger: { type: 'input_tokens', value: 100_000 },
    keep: { type: 'tool_uses', value: 3 },
    clear_at_least: { type: 'input_tokens', value: 5000 },
    exclude_tools: ['a'],
    clear_tool_inputs: ['b'],
  });
  assert.deepEqual(rules(edits(full)), []);
  assert.deepEqual(rules(edits(uses())), []);
  assert.deepEqual(rules({ ...edits(full), betas: [] }), ['PV-N1']);
  assert.deepEqual(rules(edits(uses({ trigger: { type: 'input_tokens', value: 0 } }))), ['PV-N1']);
  assert.deepEqual(rules(edits({ type: 'clear_everything' })), ['PV-N1']);
});

test('PV-N2 clear_thinking: first of the edits, and it keeps at least one turn', () => {
  const one = thinking({ keep: { type: 'thinking_turns', value: 1 } });
  assert.deepEqual(rules(edits(one, uses())), []);
  assert.deepEqual(rules(edits(thinking({ keep: 'all' }))), []);
  assert.deepEqual(rules(edits(uses(), one)), ['PV-N2']);
  assert.deepEqual(rules(edits(thinking({ keep: { type: 'thinking_turns', value: 0 } }))), ['PV-N2']);
});

test('PV-N3 compact: its own header, and a trigger of at least 50,000', () => {
  const at = (value: number) => compact({ trigger: { type: 'input_tokens', value } });
  assert.deepEqual(rules(edits(at(50_000))), []);
  assert.deepEqual(rules(edits(at(49_999))), ['PV-N3']);
  assert.deepEqual(rules({ ...edits(at(50_000)), betas: [EDITING] }), ['PV-N3']);
});

test('PV-A36 on-demand compaction has its header and excludes context_management', () => {
  const compaction = { type: 'summarize' };
  const betas = ['compact-2026-09-04'];
  assert.deepEqual(rules({ compaction, betas }), []);
  assert.deepEqual(rules({ compaction }), ['PV-A36']);
  const both = { compaction, ...edits(uses()), betas: [...betas, EDITING] };
  assert.deepEqual(rules(both), ['PV-A36']);
});

test('PV-A16 tool_choice any or tool is refused on the models that refuse it, none and auto never', () => {
  for (const model of ['claude-fable-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5']) {
    assert.deepEqual(rules({ tool_choice: { type: 'any' } }, model), ['PV-A16']);
    assert.deepEqual(rules({ tool_choice: { type: 'tool', name: 'a' } }, model), ['PV-A16']);
    assert.deepEqual(rules({ tool_choice: { type: 'none' } }, model), []);
    assert.deepEqual(rules({ tool_choice: { type: 'auto' } }, model), []);
  }
  assert.deepEqual(rules({ tool_choice: { type: 'any' } }, 'claude-haiku-5-5'), []);
  assert.deepEqual(rules({ tool_choice: { type: 'any' } }), []);
});

test('PV-N4 Responses: context_management is a list with a threshold, truncation auto or disabled', () => {
  const profile = profileOf('openai-responses', 'gpt-5.4');
  const check = (fields: BodyFields) => {
    const found = checkFields(profile, fields).map((v) => v.rule);
    const input = [{ type: 'message', role: 'user', content: 'a' }];
    const fake = new FakeOpenAi().responses(JSON.stringify({ model: 'gpt-5.4', input, ...fields }));
    assert.equal(fake.rule, found[0]);
    return found;
  };
  assert.deepEqual(check({ context_management: [{ type: 'compaction', compact_threshold: 1000 }] }), []);
  assert.deepEqual(check({ truncation: 'auto' }), []);
  assert.deepEqual(check({ truncation: 'sometimes' }), ['PV-N4']);
  assert.deepEqual(check({ context_management: { edits: [] } }), ['PV-N4']);
});

test('PV-N5 our settings compile into fields that no rule refuses, in the order that the provider wants', () => {
  const profile = profileOf('anthropic', 'claude-opus-5-5');
  const wanted = ['compact_20260112', 'clear_tool_uses_20250919', 'clear_thinking_20251015'] as const;
  const plan = nativePlan(profile, wanted, {
    ...KNOBS,
    clearAtLeast: 4000,
    excludeTools: ['ask_user'],
    clearToolInputs: true,
    thinkingTurns: 0,
  });
  assert.deepEqual(plan.fields, {
    context_management: {
      edits: [
        { type: 'clear_thinking_20251015', keep: { type: 'thinking_turns', value: 1 } },
        {
          type: 'clear_tool_uses_20250919',
          trigger: { type: 'input_tokens', value: 100_000 },
          keep: { type: 'tool_uses', value: 3 },
          clear_at_least: { type: 'input_tokens', value: 4000 },
          exclude_tools: ['ask_user'],
          clear_tool_inputs: true,
        },
        { type: 'compact_20260112', trigger: { type: 'input_tokens', value: 150_000 } },
      ],
    },
    betas: [EDITING, COMPACT],
  });
  assert.deepEqual(rules(plan.fields, 'claude-opus-5-5'), []);
  assert.deepEqual([...plan.delegated].sort(), ['results', 'summary', 'thinking']);
});

test('S-6 what a model, a format or a window does not offer is refused with its reason', () => {
  const why = (model: string, format: 'anthropic' | 'openai-chat' | 'openai-responses', knobs = KNOBS) => {
    const wanted =
      format === 'anthropic' ? (['compact_20260112'] as const) : (['compaction', 'truncation'] as const);
    const plan = nativePlan(profileOf(format, model), wanted, knobs);
    assert.deepEqual(plan.edits.length + plan.refused.length, wanted.length);
    return plan.refused.map((r) => r.edit);
  };
  assert.deepEqual(why('claude-opus-4-6', 'anthropic'), []);
  assert.deepEqual(why('claude-3-5-haiku-latest', 'anthropic'), ['compact_20260112']);
  assert.deepEqual(why('claude-opus-4-6', 'anthropic', { ...KNOBS, compactAt: 30_000 }), [
    'compact_20260112',
  ]);
  assert.deepEqual(why('gpt-5.4', 'openai-responses'), []);
  assert.deepEqual(why('gpt-5.4', 'openai-chat'), ['compaction', 'truncation']);
});
