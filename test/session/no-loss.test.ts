// No preset costs more than `off` by more than its premium, wherever a conversation ends, on random conversations with tools
// that come and go and on recorded ones; and recorded ones end within one percent.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { MOST_LOSS } from '../../src/economics/index.js';
import { DEFAULT_MODEL } from '../../src/eval/bill.js';
import { readConversations } from '../../src/eval/conversation.js';
import { partsOf } from '../../src/eval/parts.js';
import { type Round, roundsOf } from '../../src/eval/rounds.js';
import { Native } from '../../src/json/native.js';
import { costsOf, type Played } from './money-kit.js';

const SHARED = process.env['CURATED_SHARED'] ?? resolve(import.meta.dirname, '../../../../shared');
const SEED = process.env['CURATED_SEED'];
const PRESETS = ['conservative', 'balanced', 'aggressive'] as const;
const MOST = 1 + MOST_LOSS;
/** Where a recorded conversation really ends. */
const MOST_AT_END = 1.01;

/** One request: what the tool gave back in tokens, or what the user said; how many requests of that kind follow. */
interface Stretch {
  user: boolean;
  tool: number;
  tokens: number;
  times: number;
  /** Calls made at once. */
  calls: number;
  /** Tokens of a call's own input. */
  input: number;
}

const MODELS = ['claude-sonnet-4-5', 'claude-opus-5-5', 'gpt-5.4', 'gpt-4o'] as const;
const native = (v: unknown): Native => new Native(JSON.stringify(v));
const toolName = (i: number): string => `tool_number_${i}`;

/** Text of about so many tokens that names things, as results do. */
function body(tokens: number, seed: number): string {
  let text = '';
  for (let i = 0; text.length < tokens * 4; i += 1)
    text += `src/part${seed}/file_${i}.ts:${i} a plain line\n`;
  return text;
}

function played(model: (typeof MODELS)[number], tools: number, stretches: readonly Stretch[]): Played {
  const chat = model.startsWith('gpt');
  const rounds: Round[] = [];
  let open: { ids: string[]; tokens: number } | undefined;
  let n = 0;
  const push = (s: Stretch): void => {
    n += 1;
    const ids = Array.from({ length: s.calls }, (_, i) => `call_${n}_${i}`);
    const results = open === undefined ? [] : resultsOf(chat, open.ids, open.tokens, n);
    const first = rounds.length === 0;
    const news = first || s.user ? [native({ role: 'user', content: `question ${n}, go on` })] : [];
    open = { ids, tokens: Math.ceil(s.tokens / s.calls) };
    rounds.push({
      results,
      news,
      userTurn: news.length > 0,
      answer: answer(chat, ids, toolName(s.tool % tools), {
        path: `src/file_${n}.ts`,
        text: body(s.input, n),
      }),
      usage: undefined,
    });
  };
  for (const s of stretches) for (let i = 0; i < s.times; i += 1) push({ ...s, user: s.user && i === 0 });
  return {
    format: chat ? 'openai-chat' : 'anthropic',
    model,
    system: native('Be brief. '.repeat(40)),
    tools: native(Array.from({ length: tools }, (_, i) => definition(chat, toolName(i)))),
    rounds,
  };
}

function definition(chat: boolean, name: string): unknown {
  const schema = {
    type: 'object',
    properties: { path: { type: 'string', description: 'where '.repeat(60) } },
  };
  return chat
    ? { type: 'function', function: { name, description: 'Does a thing.', parameters: schema } }
    : { name, description: 'Does a thing.', input_schema: schema };
}

function answer(chat: boolean, ids: readonly string[], name: string, args: unknown): Native {
  return chat
    ? native({
        role: 'assistant',
        content: null,
        tool_calls: ids.map((id) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        })),
      })
    : native({
        role: 'assistant',
        content: ids.map((id) => ({ type: 'tool_use', id, name, input: args })),
      });
}

function resultsOf(chat: boolean, ids: readonly string[], tokens: number, seed: number): Native[] {
  const texts = ids.map((_, i) => body(tokens, seed * 10 + i));
  return chat
    ? ids.map((id, i) => native({ role: 'tool', tool_call_id: id, content: texts[i] }))
    : [
        native({
          role: 'user',
          content: ids.map((id, i) => ({ type: 'tool_result', tool_use_id: id, content: texts[i] })),
        }),
      ];
}

/** Results below the size that is shaped, so that nothing is saved before the first edit; then turns in which they age. */
const work: fc.Arbitrary<Stretch> = fc.record({
  user: fc.boolean(),
  tool: fc.nat(30),
  tokens: fc.oneof(
    fc.integer({ min: 20, max: 400 }),
    fc.integer({ min: 1_200, max: 2_900 }),
    fc.constant(8_000),
  ),
  times: fc.integer({ min: 2, max: 10 }),
  calls: fc.constantFrom(1, 1, 1, 4),
  input: fc.constantFrom(0, 0, 60, 1_500),
});
const talk: fc.Arbitrary<Stretch> = fc.record({
  user: fc.constant(true),
  tool: fc.nat(30),
  tokens: fc.integer({ min: 20, max: 900 }),
  times: fc.integer({ min: 1, max: 2 }),
  calls: fc.constant(1),
  input: fc.constantFrom(0, 400),
});
const conversation = fc
  .array(fc.tuple(work, fc.array(talk, { maxLength: 8 })), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.flatMap(([w, t]) => [w, ...t]));

/**
 * Two edits of one stretch, a few requests of parallel calls apart: the second one lies within what the first one had
 * rewritten, where no entry of the cache ends, so it is dearer than its own suffix.
 */
const TWICE: Stretch[] = (
  [
    [false, 9, 98, 8, 1, 60],
    [true, 0, 325, 1, 1, 0],
    [true, 11, 185, 2, 1, 0],
    [true, 3, 649, 1, 1, 0],
    [true, 10, 283, 10, 4, 60],
    [true, 20, 792, 2, 1, 400],
    [true, 21, 435, 2, 1, 400],
    [true, 25, 564, 2, 1, 400],
    [true, 3, 232, 2, 1, 0],
    [true, 10, 814, 2, 1, 0],
    [true, 17, 802, 1, 1, 0],
    [true, 13, 464, 1, 1, 0],
    [false, 9, 1963, 9, 4, 0],
    [true, 16, 688, 2, 1, 400],
    [true, 17, 342, 1, 1, 400],
    [true, 24, 83, 1, 1, 400],
    [true, 2, 53, 2, 1, 0],
    [true, 24, 637, 2, 1, 400],
  ] as const
).map(([user, tool, tokens, times, calls, input]) => ({ user, tool, tokens, times, calls, input }));

test('S-3 P-7 no preset ever costs more than its premium above off, wherever the conversation ends', async () => {
  let breaks = 0;
  let saved = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MODELS),
      fc.constantFrom(...PRESETS),
      fc.integer({ min: 2, max: 24 }),
      conversation,
      async (model, preset, tools, stretches) => {
        const costs = await costsOf(preset, played(model, tools, stretches));
        breaks += costs.breaks;
        if (costs.shares.at(-1)! < 0.98) saved += 1;
        const worst = Math.max(...costs.shares);
        assert.ok(
          worst <= MOST,
          `${preset} ${model}: ${worst} at request ${costs.shares.indexOf(worst) + 1}`,
        );
      },
    ),
    {
      numRuns: 16,
      endOnFailure: true,
      examples: [['claude-sonnet-4-5', 'balanced', 22, TWICE]],
      ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    },
  );
  assert.ok(breaks > 0 && saved > 0, 'the rule is not kept by doing nothing');
});

test('S-3 P-12 curated.most_loss is what an edit may put at risk: at 0 nothing is, and more lets the first edit come sooner', async () => {
  const loop = { user: false, tool: 1, tokens: 1_500, times: 45, calls: 1, input: 0 };
  const c = played('claude-sonnet-4-5', 2, [loop]);
  const first = async (most_loss: number): Promise<[at: number, worst: number]> => {
    const { shares } = await costsOf('balanced', c, { curated: { most_loss } });
    const at = shares.findIndex((s) => Math.abs(s - 1) > 1e-4);
    return [at < 0 ? shares.length : at, Math.max(...shares)];
  };
  const [never, some, soon] = [await first(0), await first(0.06), await first(0.5)];
  assert.ok(never[1] <= 1.0001, `${never[1]}`);
  assert.ok(some[1] <= MOST && some[1] > 1, `${some[1]}`);
  assert.ok(soon[0] < some[0] && some[0] < never[0], `${soon[0]} ${some[0]} ${never[0]}`);
});

test('S-3 recorded conversations end at most one percent above off, and no point of them lies above the premium', async (t) => {
  const folder = join(SHARED, 'data/transcripts');
  if (!existsSync(folder)) return t.skip('the recorded transcripts are not there');
  for (const [file, wanted] of [
    ['tau.jsonl', 'tau-airline-31'],
    ['cc.jsonl', 'cc-54'],
    ['cc.jsonl', 'cc-36'],
  ] as const) {
    for await (const line of readConversations(join(folder, file))) {
      if (!line.ok || !line.conversation.id.startsWith(wanted)) continue;
      const c = line.conversation;
      for (const part of partsOf(c)) {
        const rounds = roundsOf(part, c.format).filter((r) => r.results.length + r.news.length > 0);
        for (const preset of PRESETS) {
          const { shares } = await costsOf(preset, {
            format: c.format,
            model: c.model ?? DEFAULT_MODEL[c.format],
            system: c.system,
            tools: c.tools,
            rounds,
          });
          assert.ok(Math.max(...shares) <= MOST, `${preset} ${c.id}: ${Math.max(...shares)}`);
          assert.ok(shares.at(-1)! <= MOST_AT_END, `${preset} ${c.id} ends at ${shares.at(-1)}`);
        }
      }
    }
  }
});
