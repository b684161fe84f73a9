// Requests near the least length that the provider caches: shortening one before it is first sent may not take it out of
// the cache that it would have had.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MOST_LOSS } from '../../src/economics/index.js';
import type { Round } from '../../src/eval/rounds.js';
import { Native } from '../../src/json/native.js';
import { costsOf, type Played } from './money-kit.js';

/** Their least cacheable prefixes are 4,096, 4,096, 2,048 and 1,024 tokens. */
const MODELS = ['claude-opus-4-5', 'claude-haiku-4-5', 'claude-opus-4-7', 'gpt-5.4'] as const;
const native = (v: unknown): Native => new Native(JSON.stringify(v));

function text(tokens: number, seed: number): string {
  let out = '';
  for (let i = 0; out.length < tokens * 4; i += 1) out += `src/part${seed}/file_${i}.ts:${i} a plain line\n`;
  return out.slice(0, tokens * 4);
}

/** @param head tokens of the system prompt @param results tokens of each result */
function played(model: string, head: number, results: readonly number[]): Played {
  const chat = model.startsWith('gpt');
  const rounds = results.map((_, i): Round => {
    const [before, id, args] = [`call_${i - 1}`, `call_${i}`, { command: `make step_${i}` }];
    const body = i === 0 ? '' : text(results[i - 1]!, i);
    return {
      results:
        i === 0
          ? []
          : [
              native(
                chat
                  ? { role: 'tool', tool_call_id: before, content: body }
                  : { role: 'user', content: [{ type: 'tool_result', tool_use_id: before, content: body }] },
              ),
            ],
      news: i === 0 ? [native({ role: 'user', content: 'go on until it works' })] : [],
      userTurn: i === 0,
      answer: native(
        chat
          ? {
              role: 'assistant',
              content: null,
              tool_calls: [
                { id, type: 'function', function: { name: 'bash', arguments: JSON.stringify(args) } },
              ],
            }
          : { role: 'assistant', content: [{ type: 'tool_use', id, name: 'bash', input: args }] },
      ),
      usage: undefined,
    };
  });
  const format = chat ? 'openai-chat' : 'anthropic';
  return { format, model, system: native(text(head, 0)), tools: undefined, rounds };
}

test('COSTS-4 P-7 PV-A43 a request that would be cached stays long enough for it, whatever is shaped', async () => {
  for (const reports of [true, false]) {
    for (const preset of ['balanced', 'aggressive']) {
      const { shares, shaped } = await costsOf(
        preset,
        played('claude-opus-4-5', 500, [3_700, 500, 600, 700, 500]),
        { reports },
      );
      assert.equal(shaped, 0, `${preset}: out of the cache`);
      // Where nothing is known of a cache, what was sent is cleared by its rule alone (P-7).
      if (reports) assert.ok(Math.max(...shares) <= 1.001, `${preset}: ${shares}`);
      const long = await costsOf(preset, played('claude-opus-4-5', 6_000, [3_700, 500, 600, 700, 500]), {
        reports,
      });
      assert.ok(long.shaped > 0 && long.shares.at(-1)! < 0.95, `${preset}: ${long.shares.at(-1)}`);
    }
  }
});

test('COSTS-4 PV-A43 PV-C10 near the least cacheable prefix no point of a conversation lies above the premium', async () => {
  let shaped = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MODELS),
      fc.constantFrom('balanced', 'aggressive'),
      fc.integer({ min: 20, max: 6_000 }),
      fc.array(
        fc.oneof(fc.integer({ min: 10, max: 400 }), fc.constantFrom(2_200, 3_100, 3_600, 4_500, 9_000)),
        { minLength: 3, maxLength: 14 },
      ),
      async (model, preset, head, results) => {
        const costs = await costsOf(preset, played(model, head, results));
        shaped += costs.shaped;
        const worst = Math.max(...costs.shares);
        assert.ok(
          worst <= 1 + MOST_LOSS,
          `${preset} ${model}: ${worst} at request ${costs.shares.indexOf(worst) + 1}`,
        );
      },
    ),
    {
      numRuns: 60,
      endOnFailure: true,
      // Nothing told of a cache yet when an edit of history took a request out of it; results that shape to half their room.
      examples: [
        [
          'claude-haiku-4-5',
          'aggressive',
          32,
          [3_100, 155, 69, 2_200, 275, 42, 175, 313, 9_000, 76, 74, 3_100, 3_600],
        ],
        ['claude-opus-4-5', 'aggressive', 2_772, [3_100, 386, 2_200, 395]],
        ['claude-opus-4-5', 'balanced', 1_699, [343, 3_600, 184, 192, 3_100, 56, 3_600, 229, 376]],
      ],
    },
  );
  assert.ok(shaped > 0, 'the rule is not kept by shaping nothing');
});
