// A session that emits nothing decides what one decides whose events are chained, stored and sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListStore, MemoryStore } from '../../src/journal/index.js';
import { type Emission, SEALED, UNSEALED } from '../../src/session/emission.js';
import { events } from '../../src/session/load.js';
import { BenchDaemon } from './bench-daemon.js';

const TENANT = 'default';
const words = (n: number, salt: number): string =>
  Array.from({ length: n }, (_, w) => `word${(w * 7 + salt * 13) % 101}`).join(' ');

/** Events as they are told, without the hash of a request. */
async function played(emission: Emission): Promise<{ told: unknown[]; failed: string[] }> {
  const store = emission === SEALED ? new MemoryStore() : new ListStore();
  const daemon = new BenchDaemon({ store, emission });
  const failed: string[] = [];
  await daemon.call('session.open', {
    session: 's',
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    preset: 'aggressive',
    context_window: 60_000,
    system: words(700, 1),
  });
  const prepare = async (append: unknown[]): Promise<void> => {
    try {
      await daemon.call('llm.prepare', { session: 's', return: 'patch', append });
    } catch (e) {
      failed.push((e as { kind: string }).kind);
    }
  };
  const append = (...messages: unknown[]) => daemon.call('session.append', { session: 's', messages });
  for (let i = 0; i < 24; i++) {
    daemon.clock.advance(30_000);
    await prepare([{ role: 'user', content: `Question ${i}: ${words(60, i)}` }]);
    const id = `t${i}`;
    const input = { path: `src/file-${i % 5}.ts` };
    await append({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input }] });
    await append({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: words(2500, i % 5) }],
    });
    await daemon.call('turn.end', { session: 's', final: false });
    await prepare([]);
    await append({ role: 'assistant', content: `Answer ${i}.` });
    // Nothing of this one may stay: no request holds it.
    if (i === 11) await prepare([{ role: 'wizard', content: words(9, i) }]);
    await daemon.call('turn.end', { session: 's', final: true });
  }
  const told: unknown[] = [];
  for await (const { event } of events(store, { tenant: TENANT, session: 's' })) {
    const { hash: _hash, ...payload } = event.payload as Record<string, unknown>;
    // As a journal gives it back: a field without a value is none.
    told.push(JSON.parse(JSON.stringify({ ...event, payload })));
  }
  return { told, failed };
}

test('E-5: without records, hashes and answers the same is decided, call by call, also where one fails', async () => {
  const sealed = await played(SEALED);
  const unsealed = await played(UNSEALED);
  const types = sealed.told.map((e) => (e as { type: string }).type);
  assert.ok(types.filter((t) => t === 'memory.tool_result_cleared').length > 3, 'results were cleared');
  assert.deepEqual(sealed.failed, ['INVALID_MESSAGES'], 'a request that no provider takes failed');
  for (const [i, e] of sealed.told.entries()) assert.deepEqual(unsealed.told[i], e);
  assert.deepEqual([unsealed.told.length, unsealed.failed], [sealed.told.length, sealed.failed]);
});
