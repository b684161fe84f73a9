// A summary of ours that was put in under other rules: strict roles have no place for it where it stands.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileOf } from '../../src/providers/profile.js';
import { specOf } from '../../src/providers/spec.js';
import { broken } from '../providers/kit.js';
import { BenchDaemon, type Json, user } from './bench-daemon.js';
import { COMPACTION, compact, open, prepare, S } from './condensing.js';

const LONG = 'word '.repeat(400);

function said(n: number): Json[] {
  return Array.from({ length: n }, (_, i) => [
    user(`question ${i} ${LONG}`),
    { role: 'assistant', content: `answer ${i} ${LONG}` },
  ]).flat();
}

for (const model of ['gemma-3-9b', 'mistral-7b-v0.3'])
  test(`PV-S1 PV-S2 ${model}: a summary behind the kept task makes way for the roles, is told once, and stays`, async () => {
    const d = new BenchDaemon();
    const chat = { format: 'openai-chat', context_window: 100_000, curated: { keep: { first_messages: 1 } } };
    await open(d, [COMPACTION], { ...chat, model: 'gpt-4o' });
    await prepare(d, [...said(12), user('and now?')]);
    await compact(d);
    const before = await prepare(d);
    assert.ok(before.request.messages.length < 25);
    await open(d, [COMPACTION], { ...chat, model });
    const out = await prepare(d, [{ role: 'assistant', content: 'so' }, user('on')]);
    const spec = specOf('openai-chat');
    assert.deepEqual(broken(spec, profileOf('openai-chat', model), out.request.messages), []);
    const all = JSON.stringify(out.request.messages);
    assert.match(all, /question 0/);
    assert.match(all, /Prior Context/);
    const next = await prepare(d, [{ role: 'assistant', content: 'done' }, user('more')]);
    assert.equal(next.cache.prefix_stable, true);
    assert.equal((await d.call('journal.replay', { session: S })).identical, true);
  });
