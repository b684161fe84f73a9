// Which summariser a session gets, and the agent's own model as one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuratedError } from '../../src/errors.js';
import type { Pool } from '../../src/pool/pool.js';
import type { Caller } from '../../src/service/context.js';
import { summariserFor } from '../../src/service/summarisers.js';
import type { SummariserWanted } from '../../src/session/deps.js';
import { loadSettings } from '../../src/settings/index.js';
import { count, request, said } from '../summary/fixtures.js';
import { BenchDaemon, user } from './bench-daemon.js';
import { COMPACTION, compact, events, FakeSummariser, open, S } from './condensing.js';

const pool = {
  countTokens: async (texts: readonly string[]) => Uint32Array.from(texts, count),
  run: async () => ({ text: 'extract', kinds: [] }),
} as unknown as Pool;

function wanted(summarizer: unknown, holder?: Partial<Caller>): SummariserWanted {
  const loaded = loadSettings({ curated: { summarizer } }, { origin: 'test' });
  assert.ok(loaded.ok);
  return {
    key: { tenant: 't', session: 's' },
    settings: loaded.settings,
    encoding: 'o200k_base',
    format: 'anthropic',
    window: 200_000,
    holder: holder as Caller,
    background: new AbortController().signal,
  };
}

const never = new AbortController().signal;
const HISTORY = [said(0, 'user', 'do it'), said(1, 'assistant', 'done')];

test('NS-10 the agent that answers llm.complete is asked, with our prompt and the reserve', async () => {
  const asked: {
    method: string;
    params: { messages: { text: string }[]; max_tokens: number; purpose: string };
  }[] = [];
  const holder = {
    can: () => true,
    llm: { max_input_tokens: 50_000 },
    ask: async (method: string, params: never) => {
      asked.push({ method, params });
      return { text: '<summary>fine</summary>', stop_reason: 'end_turn' };
    },
  } as unknown as Caller;
  const summariser = summariserFor(wanted({}, holder), pool, {});
  assert.equal(summariser.kind, 'client');
  const made = await summariser.summarise(request(HISTORY), never);
  assert.equal(made.ok && made.text, 'fine');
  assert.equal(asked[0]!.method, 'llm.complete');
  assert.equal(asked[0]!.params.purpose, 'compaction');
  assert.equal(asked[0]!.params.max_tokens, 1000);
  assert.equal(JSON.parse(asked[0]!.params.messages[0]!.text).role, 'user');
});

test('F36 an agent that fails, calls a tool or is gone makes a failed summary, never a throw', async () => {
  const answers: [string, () => Promise<unknown>][] = [
    ['error', () => Promise.reject(new CuratedError('SUMMARY_FAILED', 'the client is gone'))],
    ['tool_call', async () => ({ text: '', stop_reason: 'tool_use', tool_calls: [{}] })],
    ['truncated', async () => ({ text: 'x', stop_reason: 'max_tokens' })],
  ];
  for (const [reason, ask] of answers) {
    const holder = { can: () => true, ask } as unknown as Caller;
    const made = await summariserFor(wanted({}, holder), pool, {}).summarise(
      request(HISTORY, { attempts: 1 }),
      never,
    );
    assert.equal(!made.ok && made.reason, reason);
  }
});

test('NS-10 without such an agent: HTTP where a url is set, else the built-in one', async () => {
  const none = { can: () => false } as unknown as Caller;
  assert.equal(summariserFor(wanted({}, none), pool, {}).kind, 'extractive');
  assert.equal(
    summariserFor(wanted({ kind: 'extractive' }, { can: () => true } as never), pool, {}).kind,
    'extractive',
  );
  const http = { kind: 'http', url: 'http://127.0.0.1:9', model: 'm', api: 'openai-chat' };
  assert.equal(summariserFor(wanted(http, none), pool, {}).kind, 'http');
  const made = await summariserFor(wanted({}), pool, {}).summarise(request(HISTORY), never);
  assert.equal(made.ok && made.text, 'extract');
});

test('L5-12 a cycle that a restart cut off is told as failed when the session is opened again', async () => {
  const d = new BenchDaemon({ summariser: new FakeSummariser(() => new Promise(() => {})) });
  await open(d, [COMPACTION], { blocks: { 'nexus.gate.context_window': { deadline: '2s' } } });
  await d.call('session.append', {
    session: S,
    messages: Array.from({ length: 9 }, (_, i) =>
      i % 2 === 0 ? user(`q${i}`) : { role: 'assistant', content: [{ type: 'text', text: `a${i}` }] },
    ),
  });
  await d.call('memory.compact', { session: S });
  const again = new BenchDaemon({ store: d.store });
  await open(again, [COMPACTION]);
  const { events: all } = await again.call('journal.read', { session: S });
  const failed = all.filter((e: { type: string }) => e.type === 'memory.compaction.failed');
  assert.deepEqual(
    failed.map((e: { reason: string }) => e.reason),
    ['interrupted'],
  );
  await compact(again);
  assert.ok(events(again, 'memory.compaction.triggered').length === 1);
});
