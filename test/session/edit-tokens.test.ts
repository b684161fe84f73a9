// Tokens of edits in messages of many blocks: what is counted in one block alone is what the whole message gives, and costs
// that block.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { combine, measureMessage } from '../../src/tokens/request-count.js';
import { assistant, BenchDaemon, type Json, roughTokens, user } from './bench-daemon.js';

const calls = (n: number): Json[] =>
  Array.from({ length: n }, (_, i) => ({
    type: 'tool_use',
    id: `c${i}`,
    name: 'read',
    input: { path: `f${i}` },
  }));
const results = (n: number, lines: number): Json[] =>
  calls(n).map(({ id }, i) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: Array.from({ length: lines }, (_, k) => `line ${k} of file ${i} holds value_${i}_${k}`).join(
      '\n',
    ),
  }));

async function counted(d: BenchDaemon): Promise<void> {
  const { session } = await d.registry.known('default', 's');
  for (const [i, piece] of session.rendering.pieces.entries()) {
    const measure = measureMessage(piece.reading, session.profile.image);
    assert.equal(piece.tokens, combine(measure, measure.texts.map(roughTokens)).tokens, `message ${i}`);
  }
}

test('L5-4 large results of one message are shortened, cleared and mended with the tokens that a count gives', async () => {
  const d = new BenchDaemon();
  const shape = { enabled: true, max_tokens: 500 };
  const open = { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5', context_window: 100_000_000 };
  await d.call('session.open', {
    ...open,
    config: { curated: { preset: 'balanced', shape, cost_rule: 'off' } },
  });
  const orphans = results(3, 4).map((r, i) => ({ ...r, tool_use_id: `nobody${i}` }));
  const answers = [...results(14, 200).slice(1), ...orphans];
  await d.call('llm.prepare', {
    session: 's',
    append: [user('go'), { role: 'assistant', content: calls(14) }, { role: 'user', content: answers }],
  });
  await counted(d);
  for (let k = 0; k < 12; k += 1) {
    await d.call('turn.end', { session: 's' });
    await d.call('llm.prepare', { session: 's', append: [assistant(`a${k}`), user(`b${k}`)] });
    await counted(d);
  }
  const { cleared } = await d.call('session.state', { session: 's' });
  assert.ok(cleared.length >= 13, `${cleared.length} cleared`);
  const { events } = await d.call('journal.read', { session: 's', limit: 1000 });
  const shaped = events.filter((e: Json) => e.type === 'memory.tool_result_cleared' && e.reason === 'shaped');
  assert.ok(shaped.length >= 13, `${shaped.length} shaped`);
  assert.ok(events.some((e: Json) => e.type === 'session.repaired'));
});
