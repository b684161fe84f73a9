// A boundary at which nothing is done costs what is new, however long the list of what could be done.

import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import type { Candidate, Layer } from '../../src/curation/layer.js';
import { Stack } from '../../src/curation/stack.js';
import type { Survey } from '../../src/curation/survey.js';
import { History, user } from '../curation/survey-kit.js';
import { BenchDaemon, toolRound } from './bench-daemon.js';

/** Offers more at each look back; nothing of it ever pays. */
class Growing implements Layer {
  readonly name = 'tool_result_clear';
  readonly id = 'x';
  readonly invalidatesUnknown = false;
  n = 0;
  looked = 0;
  plan(survey: Survey): { candidates: Candidate[] } {
    this.n += 1;
    if (!survey.looksBack) return { candidates: [] };
    this.looked += this.n;
    const candidate = { at: 0, frees: 1, leaves: 40, since: 1, presend: false, build: () => undefined };
    return { candidates: Array.from({ length: this.n }, () => candidate) };
  }
}

test('P-7 a list for which nothing pays is looked through again only as it grows', () => {
  const layer = new Growing();
  const stack = new Stack([layer]);
  const h = new History([user('a'), user('b'.repeat(8_000_000)), user('c')], {
    prefix: { known: true, messages: 3, tokens: 9_000, cold: 0, hour: false },
    requests: 1,
  });
  for (let i = 0; i < 10_000; i += 1) stack.run(h.survey(false));
  // Looking at all of it each time would be 50 million; 3 % of growth each makes it about 1/0.03 a boundary.
  assert.ok(layer.looked < 10_000 * 120, `${layer.looked}`);
});

test('P-7 turns of a long session cost what the first ones did', async () => {
  const d = new BenchDaemon();
  await d.call('session.open', {
    session: 's',
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    config: {
      plugins: { active: ['nexus.memory.tool_result_clear'] },
      curated: { preset: 'balanced', clear_at_least: 1_000_000, shape: { enabled: true, max_tokens: 4000 } },
    },
    context_window: 100_000_000,
  });
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 2000,
    cache_creation_input_tokens: 50,
    output_tokens: 5,
  };
  const turns = async (from: number, to: number): Promise<number> => {
    const start = performance.now();
    for (let i = from; i < to; i += 1) {
      const append =
        i === 0
          ? [user('go')]
          : toolRound(`c${i}`, 'read', { path: `f${i}.ts` }, `value${i} of m.field${i} `.repeat(20));
      await d.call('llm.prepare', { session: 's', append, return: 'patch' });
      await d.call('turn.end', { session: 's', final: false, usage });
    }
    return (performance.now() - start) / (to - from);
  };
  await turns(0, 100);
  const early = await turns(100, 400);
  await turns(400, 1_700);
  const late = await turns(1_700, 2_000);
  assert.ok(
    late < early * 4 + 1,
    `${early.toFixed(2)} ms a turn at first, ${late.toFixed(2)} ms after 2,000`,
  );
});
