// whatif over handmade logs of each kind: totals to the token, prices by model and day, damaged lines survived.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { attach } from '../../native/index.js';
import { isDrawn } from '../../src/eval/cases/sampler.js';
import { EvalThreads } from '../../src/eval/threads.js';
import { judge, playable, WHATIF_PRESETS, type WhatIfReport, whatIf } from '../../src/eval/whatif/index.js';
import { exportJsonl } from '../../src/journal/index.js';
import { assistant, BenchDaemon, roughTokens, toolRound, user } from '../session/bench-daemon.js';

const ROOT = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const LOGS = join(ROOT, 'test/fixtures/logs');
const DATA = resolve(process.env['CURATED_SHARED'] ?? join(ROOT, '../shared'), 'data/transcripts');
const NOW = Date.parse('2026-11-29T00:00:00Z');

const of = (...names: string[]): Promise<WhatIfReport> =>
  whatIf(
    names.map((n) => (n.startsWith('/') ? n : join(LOGS, n))),
    { judge: (session) => judge(session, { count: roughTokens, now: NOW }) },
  );

async function fileOf(t: TestContext, text: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'whatif-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'log.jsonl');
  await writeFile(file, text);
  return file;
}

const near = (actual: number | null, expected: number): void =>
  assert.ok(actual !== null && Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

test('whatif reads Claude Code: usage once an answer, side chains counted, damaged lines skipped', async () => {
  const r = await of('claude-code.jsonl');
  assert.equal(r.sessions, 1);
  assert.equal(r.requests, 5);
  assert.equal(r.skipped, 3);
  assert.deepEqual(r.totals, { input: 724, cache_read: 31600, cache_write: 12200, output: 241 });
  // Sonnet 4.5: 3, 3.75, 0.3, 15; Haiku 4.5: 1, 5.
  near(r.presets.off.cost, (24 * 3 + 12200 * 3.75 + 31600 * 0.3 + 221 * 15 + 700 * 1 + 20 * 5) / 1e6);
  const read = r.tools.find((t) => t.tool === 'Read')!;
  assert.equal(read.results, 2);
  assert.equal(read.reread.results, 1);
  assert.equal(r.counted_requests, 0);
});

test('whatif counts an answer once where a resumed session repeats it in another file', async () => {
  const once = await of('claude-code.jsonl');
  const twice = await of('claude-code.jsonl', 'claude-code.jsonl');
  assert.deepEqual(twice.totals, once.totals);
  assert.equal(twice.requests, once.requests);
});

test('whatif reads Codex: repeated token counts once, cached input inside the input', async () => {
  const r = await of('codex.jsonl');
  assert.deepEqual([r.sessions, r.requests, r.skipped], [1, 2, 1]);
  assert.deepEqual(r.totals, { input: 4188, cache_read: 6912, cache_write: 0, output: 110 });
  near(r.presets.off.cost, (4188 * 2.5 + 6912 * 0.25 + 110 * 15) / 1e6);
});

test('whatif reads OpenAI request logs of both APIs; interleaved conversations stay apart', async () => {
  const r = await of('openai.jsonl');
  assert.deepEqual([r.sessions, r.requests, r.skipped], [3, 4, 1]);
  assert.deepEqual(r.totals, { input: 2720, cache_read: 1418, cache_write: 0, output: 37 });
  near(r.presets.off.cost, (2700 * 2.5 + 1408 * 1.25 + 34 * 10 + 20 * 2.5 + 10 * 0.25 + 3 * 15) / 1e6);
});

test('whatif reads Anthropic request logs: bodies as text, writes of both lives priced', async () => {
  const r = await of('anthropic.jsonl');
  assert.deepEqual([r.sessions, r.requests, r.skipped], [1, 2, 0]);
  assert.deepEqual(r.totals, { input: 6, cache_read: 5000, cache_write: 5900, output: 34 });
  near(r.presets.off.cost, (6 * 5 + 2900 * 6.25 + 3000 * 10 + 5000 * 0.5 + 34 * 25) / 1e6);
});

test('whatif reads recorded conversations; an unknown model has tokens and no money', async () => {
  const r = await of('recorded.jsonl');
  assert.deepEqual([r.sessions, r.requests, r.counted_requests], [2, 3, 1]);
  assert.equal(r.totals.cache_read, 150);
  assert.deepEqual(r.unpriced_models, ['a-model-nobody-knows']);
  near(r.presets.off.cost, (110 * 1 + 70 * 1.25 + 150 * 0.1 + 15 * 5) / 1e6);
  const [first] = readFileSync(join(LOGS, 'recorded.jsonl'), 'utf8').split('\n');
  assert.match(first!, /a-model-nobody-knows/);
});

test('whatif on threads of its own says the same, whichever session is done first', async (t) => {
  const files = ['claude-code', 'codex', 'openai', 'anthropic', 'recorded'].map((n) =>
    join(LOGS, `${n}.jsonl`),
  );
  const tokenizer = attach();
  const judges = new EvalThreads(NOW, 2);
  t.after(async () => {
    tokenizer.dispose();
    await judges.close();
  });
  const count = (text: string): number => tokenizer.count(text, 'o200k_base');
  const here = await whatIf(files, { judge: (session) => judge(session, { count, now: NOW }) });
  const seen: string[] = [];
  const there = await whatIf(files, {
    judge: (session) => judges.judge(session),
    ahead: judges.ahead,
    onSession: (session) => seen.push(session.id),
  });
  assert.equal(seen.length, 9);
  assert.deepEqual(there, here);
});

test('whatif of a sample: what was used is of all sessions, the presets of those that were drawn', async (t) => {
  const text = readFileSync(join(LOGS, 'recorded.jsonl'), 'utf8').trimEnd().split('\n');
  const copies = Array.from({ length: 40 }, (_, i) =>
    text.map((line) => {
      const c = JSON.parse(line);
      return JSON.stringify({ ...c, id: `${c.id}-${i}` });
    }),
  ).flat();
  const file = await fileOf(t, copies.join('\n'));
  const play = (sample: number) =>
    whatIf([file], { judge: (s, plays) => judge(s, { count: roughTokens, now: NOW, plays }), sample });
  const [all, some, none] = [await play(1), await play(0.3), await play(0)];
  const used = ({ presets: _, played: __, ...rest }: WhatIfReport) => rest;
  for (const r of [some, none]) assert.deepEqual(used(r), used(all));
  near(all.cost, all.presets.off.cost!);
  assert.deepEqual(all.played, { sessions: all.sessions, requests: all.requests });
  assert.ok(some.played.sessions > 0 && some.played.sessions < all.sessions);
  assert.deepEqual(none.played, { sessions: 0, requests: 0 });
  // The drawn ones alone, in a file of their own, give the same table.
  const drawn = copies.filter((line) => isDrawn(JSON.parse(line).id, 0.3));
  const apart = await of(await fileOf(t, drawn.join('\n')));
  assert.equal(apart.sessions, some.played.sessions);
  for (const preset of WHATIF_PRESETS)
    assert.deepEqual({ ...some.presets[preset], saved_interval: null }, apart.presets[preset]);
});

test('whatif plays small logs whole, and of large ones what takes seconds', () => {
  const mb = 2 ** 20;
  assert.equal(playable(0), 1);
  assert.equal(playable(64 * mb), 1);
  fc.assert(
    fc.property(fc.integer({ min: 64 * mb + 1, max: 2 ** 45 }), (bytes) => {
      assert.ok(playable(bytes) > 0 && playable(bytes) * bytes <= 64 * mb);
    }),
  );
});

test('whatif rejects when a judge fails, and waits for no other', async () => {
  const failing = whatIf([join(LOGS, 'openai.jsonl')], {
    judge: () => Promise.reject(new Error('no judge')),
    ahead: 1e9,
  });
  await assert.rejects(failing, /no judge/);
});

test('whatif: without any price money is null, never 0', async (t) => {
  const [first] = readFileSync(join(LOGS, 'recorded.jsonl'), 'utf8').split('\n');
  const r = await of(await fileOf(t, `${first}\n`));
  for (const preset of WHATIF_PRESETS) {
    assert.equal(r.presets[preset].cost, null);
    assert.equal(r.presets[preset].saved, null);
  }
  assert.ok(r.totals.input > 0);
});

test('whatif prices by the day of the request: Sonnet 5.5 reads at half since 2026-10-07', async (t) => {
  const line = (day: string) =>
    JSON.stringify({
      timestamp: `2026-${day}T12:00:00Z`,
      request: { model: 'claude-sonnet-5-5', messages: [{ role: 'user', content: day }] },
      response: {
        model: 'claude-sonnet-5-5',
        content: [{ type: 'text', text: 'ok' }],
        usage: { input_tokens: 0, cache_read_input_tokens: 1_000_000, output_tokens: 0 },
      },
    });
  const r = await of(await fileOf(t, `${line('10-06')}\n${line('10-07')}\n`));
  near(r.presets.off.cost, 0.2 + 0.1);
});

test('whatif reads our own exports', async (t) => {
  const d = new BenchDaemon();
  await d.call('session.open', { session: 's', format: 'anthropic', model: 'claude-sonnet-4-5' });
  await d.call('llm.prepare', { session: 's', append: [user('go')] });
  const [call, result] = toolRound('t1', 'Read', { path: 'a' }, 'x'.repeat(5000));
  await d.call('session.append', { session: 's', messages: [call] });
  const usage = { input_tokens: 11, cache_read_input_tokens: 22, cache_creation_input_tokens: 33 };
  await d.call('turn.end', { session: 's', final: false, usage: { ...usage, output_tokens: 44 } });
  await d.call('llm.prepare', { session: 's', append: [result] });
  await d.call('session.append', { session: 's', messages: [assistant('done')] });
  await d.call('turn.end', { session: 's', usage: { ...usage, output_tokens: 1 } });
  const lines: string[] = [];
  for await (const line of exportJsonl(d.store, { tenant: 'default', session: 's' })) lines.push(line);
  const text = lines.map((l) => (l.endsWith('\n') ? l : `${l}\n`)).join('');
  const r = await of(await fileOf(t, text));
  assert.deepEqual([r.sessions, r.requests, r.skipped], [1, 2, 0]);
  assert.deepEqual(r.totals, { input: 22, cache_read: 44, cache_write: 66, output: 45 });
  assert.equal(r.tools[0]!.tool, 'Read');
});

test('whatif survives files of damage alone, empty files and deep lines', async (t) => {
  const r = await of(
    await fileOf(t, `\n{"a":\n${'['.repeat(50_000)}\nnull\n"text"\n{"type":"user"}\n\u0000\n`),
  );
  assert.deepEqual([r.sessions, r.requests, r.skipped], [0, 0, 6]);
  assert.deepEqual(r.totals, { input: 0, cache_read: 0, cache_write: 0, output: 0 });
});

/** A long tool loop as a Claude Code log: `rounds` results of about `words` words each, the cache always warm. */
function loop(rounds: number, words: number): string {
  const lines: string[] = [];
  let cached = 0;
  let written = 20_000;
  const add = (type: string, message: unknown): void => {
    const at = new Date(NOW + lines.length * 1000).toISOString();
    const uuid = `u${lines.length}`;
    lines.push(JSON.stringify({ type, message, uuid, sessionId: 'loop', timestamp: at }));
  };
  add('user', { role: 'user', content: 'read all of it' });
  for (let i = 0; i < rounds; i++) {
    add('assistant', {
      id: `m${i}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'tool_use', id: `t${i}`, name: 'Read', input: { path: `file-${i}` } }],
      usage: {
        input_tokens: 1,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: written,
        output_tokens: 30,
      },
    });
    const text = Array.from({ length: words }, (_, k) => `w${(i * 7919 + k) % 997}`).join(' ');
    cached += written;
    written = Math.round(text.length / 4) + 40;
    add('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: text }] });
  }
  return `${lines.join('\n')}\n`;
}

test('whatif: a long loop of large results costs less when cleared, and every token is accounted for', async (t) => {
  const r = await of(await fileOf(t, loop(160, 1500)));
  const { off, conservative, balanced, aggressive } = r.presets;
  assert.ok(balanced.cleared > 10, `${balanced.cleared} cleared`);
  assert.ok(aggressive.saved_share! > 0.1, `${aggressive.saved_share} saved`);
  assert.ok(balanced.saved_share! > 0.1, `${balanced.saved_share} saved`);
  // One user turn: nothing is old by turns, so the default leaves it alone.
  assert.equal(conservative.saved_tokens, 0);
  assert.equal(conservative.cost, off.cost);
  for (const p of [conservative, balanced, aggressive]) {
    assert.equal(
      off.input + off.cache_read + off.cache_write - p.saved_tokens,
      p.input + p.cache_read + p.cache_write,
    );
    assert.equal(p.output, off.output);
  }
  assert.ok(balanced.rewritten_tokens > 0);
});

test('whatif counts the names that clearing would have lost', async (t) => {
  // Names that the first result alone tells are used by the last call; a digest has room for a few of them.
  const names = Array.from({ length: 300 }, (_, i) => `buried_handle_${i}_x`).join(' ');
  const lines = loop(60, 1500).trim().split('\n');
  lines[2] = lines[2]!.replace('w0 ', `${names} `);
  lines[119] = lines[119]!.replace('file-59', names);
  const r = await of(await fileOf(t, `${lines.join('\n')}\n`));
  assert.deepEqual(r.presets.off.names, { needed: 300, kept: 300 });
  assert.deepEqual(r.presets.conservative.names, { needed: 300, kept: 300 });
  const { needed, kept } = r.presets.aggressive.names;
  assert.equal(needed, 300);
  assert.ok(kept < 300, `${kept}`);
});

test('whatif names what broke the cache: a pause and a changed prefix', async (t) => {
  const lines = loop(6, 400).trim().split('\n');
  // From here on an hour has passed; and the fifth answer found nothing cached.
  const changed = lines.map((line, i) => {
    const v = JSON.parse(line);
    if (i >= 5) v.timestamp = new Date(Date.parse(v.timestamp) + 3_600_000).toISOString();
    const u = v.message.usage;
    if (u !== undefined && (i === 5 || i === 9)) {
      u.cache_creation_input_tokens += u.cache_read_input_tokens;
      u.cache_read_input_tokens = 0;
    }
    return JSON.stringify(v);
  });
  const r = await of(await fileOf(t, changed.join('\n')));
  assert.equal(r.breaks.idle.times, 1);
  assert.equal(r.breaks.prefix.times, 1);
  assert.ok(r.breaks.prefix.cost! > 0);
  assert.equal(r.presets.off.cache_breaks, 2);
});

test('whatif on the development transcripts: totals are those that were recorded', async (t) => {
  const file = join(DATA, 'cc.jsonl');
  if (!existsSync(file)) return t.skip('no shared data: set CURATED_SHARED');
  const [line] = readFileSync(file, 'utf8').split('\n').slice(1);
  const own = { in: 0, cr: 0, cw: 0, out: 0 };
  for (const u of JSON.parse(line!).meta.usage)
    for (const k of Object.keys(own) as (keyof typeof own)[]) own[k] += u[k];
  const r = await of(await fileOf(t, line!));
  assert.deepEqual(r.totals, { input: own.in, cache_read: own.cr, cache_write: own.cw, output: own.out });
});
