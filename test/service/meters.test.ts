// What is counted of calls: every figure of /metrics moves, and a meter that fails harms no call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../src/observe/index.js';
import { BenchDaemon, clearing, toolRound, user } from '../session/bench-daemon.js';
import { ownDaemon } from './own-daemon.js';

const BODY = 'y'.repeat(2000);
const SESSION = {
  session: 's',
  format: 'anthropic',
  model: 'claude-sonnet-4-5',
  config: clearing({ age_turns: 1, size_bytes_threshold: 50 }, { cost_rule: 'off' }),
} as const;

/** A turn with one result and its usage; the next request clears it. */
async function converse(call: (method: never, params: never) => Promise<unknown>): Promise<void> {
  const ask = call as unknown as (method: string, params: unknown) => Promise<unknown>;
  await ask('session.open', SESSION);
  await ask('llm.prepare', { session: 's', append: [user('go'), ...toolRound('a', 'read', { p: 1 }, BODY)] });
  await ask('session.append', {
    session: 's',
    messages: [{ role: 'assistant', content: [{ type: 'text', text: 'done' }] }],
  });
  await ask('turn.end', {
    session: 's',
    usage: {
      input_tokens: 100,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 7,
      output_tokens: 5,
    },
  });
  await ask('llm.prepare', { session: 's', append: [user('next')] });
}

test('counters of a daemon: prepares, layers, usage, journal and refused calls are all seen', async (t) => {
  const { url, token, client } = await ownDaemon(t);
  await converse((method, params) => client.call(method, params) as Promise<unknown>);
  await assert.rejects(client.call('recall.get', { handle: 'nothing' }));
  const page = await fetch(url.replace('ws:', 'http:').replace('/v1', '/metrics'), {
    headers: { Authorization: `Bearer ${token}` },
  });
  const text = await page.text();
  const figure = (name: string) => {
    const line = text.split('\n').find((l) => l.startsWith(`${name} `));
    assert.ok(line !== undefined, `no ${name}`);
    return Number(line.slice(name.length + 1));
  };
  assert.equal(figure('curated_prepare_seconds_count'), 2);
  assert.ok(
    figure('curated_prepared_tokens_total{side="raw"}') >
      figure('curated_prepared_tokens_total{side="curated"}'),
  );
  assert.equal(figure('curated_curations_total{layer="tool_result_clear"}'), 1);
  assert.ok(figure('curated_removed_tokens_total{layer="tool_result_clear"}') > 100);
  assert.deepEqual(
    ['input', 'cache_read', 'cache_write', 'output'].map((k) =>
      figure(`curated_usage_tokens_total{kind="${k}"}`),
    ),
    [100, 40, 7, 5],
  );
  assert.ok(figure('curated_journal_records_total') > 10);
  assert.ok(figure('curated_journal_flush_seconds_count{level="os"}') > 0);
  assert.equal(figure('curated_call_seconds_count{method="llm.prepare"}'), 2);
  assert.match(text, /curated_call_errors_total\{method="recall\.get",kind="\w+"\} 1\n/);
  const sums = [...text.matchAll(/^curated_prepare_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)].map((m) =>
    Number(m[2]),
  );
  assert.deepEqual(
    sums,
    [...sums].sort((a, b) => a - b),
    'buckets are cumulative',
  );
  assert.equal(sums.at(-1), 2, '+Inf holds them all');
});

test('a meter that throws harms no call, and figures that are none count as nothing', async () => {
  const d = new BenchDaemon();
  const broken = () => {
    throw new Error('broken meter');
  };
  d.rooms.meter = { traced: broken, prepared: broken };
  d.store.onCommit(broken);
  await converse((method, params) => d.call(method, params));
  const state = await d.call('session.state', { session: 's' });
  assert.equal(state.turn, 1);
  const metrics = createMetrics({ process: false });
  metrics.prepared(Number.NaN, -5, Number.NaN);
  metrics.curation('tool_result_clear', 0.1, -20);
  const text = await metrics.text();
  assert.match(text, /curated_removed_tokens_total\{layer="tool_result_clear"\} 0\n/);
  assert.match(text, /curated_prepare_seconds_count 0\n/);
});
