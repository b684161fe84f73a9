// E-5: results that are fetched again, and identifiers that outlive a compaction: each counted by hand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { armOf, playArms } from '../../src/eval/arms/index.js';
import { Survival } from '../../src/eval/arms/survival.js';
import { RereadCount } from '../../src/eval/rereads.js';
import type { LoggedSession } from '../../src/eval/whatif/logged.js';
import { measure } from '../../src/eval/whatif/measured.js';
import { RecordedLog } from '../../src/eval/whatif/recorded.js';
import { resultsIn, sameCalls } from '../../src/eval/whatif/same-calls.js';
import { roughTokens } from '../session/bench-daemon.js';

const NOW = Date.parse('2026-11-29T00:00:00Z');

/** One call a round; the result of each is `body(i)`. */
function session(paths: readonly string[], body: (i: number) => string): LoggedSession {
  const messages: unknown[] = [{ role: 'user', content: 'go' }];
  for (const [i, path] of paths.entries())
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_use', id: `t${i}`, name: 'Read', input: { path } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: body(i) }] },
    );
  messages.push({ role: 'assistant', content: 'done' });
  const log = new RecordedLog('test');
  assert.ok(log.take({}, JSON.stringify({ id: 's', format: 'anthropic', messages })));
  return log.drain()[0]!;
}

test('E-5: a result counts once as fetched again, by the first equal call behind it', () => {
  const m = measure(
    session(['/a', '/b', '/a', '/a', '/c'], () => 'x'),
    roughTokens,
  );
  assert.equal(resultsIn(m), 5);
  assert.deepEqual(sameCalls(m), [[], [], [0], [2], [], []]);
});

test('E-5: events of fetches count once a result; a part that was cleared is no result, a needed name no fetch', () => {
  const count = new RereadCount();
  const cleared = (reason: string) => count.take({ type: 'memory.tool_result_cleared', reason });
  for (const reason of ['age', 'size', 'shaped', 'input']) cleared(reason);
  const reread = (how: string, of: number) => count.take({ type: 'memory.reread', how, of });
  reread('same_call', 7);
  reread('same_call', 7);
  reread('same_path', 9);
  reread('identifier', 11);
  count.take({ type: 'memory.curated', how: 'same_call', of: 12 });
  assert.deepEqual([count.cleared, count.places], [{ of: 2, again: 1 }, 1]);
});

test('E-5: a planted fetch of what was cleared long ago is found under every arm, and none where there is none', async () => {
  const paths = Array.from({ length: 90 }, (_, i) => `/file-${i}`);
  const words = (i: number) => Array.from({ length: 1500 }, (_, w) => `word${(w * 7 + i) % 97}`).join(' ');
  const arms = ['off', 'balanced', 'native'].map((name) => armOf(name)!);
  const play = async (asked: readonly string[]) =>
    (await playArms(session(asked, words), arms, { count: roughTokens, now: NOW })).map((r) => r.figures);
  const [off, balanced, native] = await play([...paths, '/file-2']);
  assert.deepEqual(off!.rereads, { of: 91, again: 1 });
  assert.equal(balanced!.rereads.again, 1);
  assert.ok(balanced!.rereads.of > 40);
  assert.equal(native!.rereads.again, 1);
  for (const figures of await play(paths)) assert.equal(figures.rereads.again, 0);
});

test('E-5: identifiers of before a compaction that later calls use: kept where the request holds them', () => {
  const m = measure(
    session(
      ['/src/one.ts', '/src/two.ts', '/src/three.ts', '/src/one.ts', '/src/new.ts', '/src/two.ts'],
      () => 'x',
    ),
    roughTokens,
  );
  const survival = new Survival(m);
  survival.take(2, 0, () => assert.fail('no compaction yet'));
  // Before request 3 the first three files were named; behind it one.ts, new.ts and two.ts are used.
  survival.take(3, 1, (name) => name.includes('one.ts'));
  assert.deepEqual(survival.names, { needed: 2, kept: 1 });
  survival.take(4, 1, () => assert.fail('the same compaction'));
});
