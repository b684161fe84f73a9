// What of a session becomes a story entry, event by event.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoryFeed } from '../../src/service/story-feed.js';
import type { SessionEvent } from '../../src/session/state/events.js';

function at(seq: number, type: string, payload: object): SessionEvent {
  return { type, payload, seq, ts: 1000 + seq, turn: 0 } as unknown as SessionEvent;
}

test('M-13 a digest every 15 user messages and, of those since, before a compaction; summaries with their words', async () => {
  const feed = new StoryFeed('s', 0);
  const asked: number[] = [];
  const requests = (n: number) => {
    asked.push(n);
    return Array.from({ length: n }, (_, i) => `ask ${i}`);
  };
  const filed = [];
  for (let seq = 1; seq <= 17; seq += 1)
    filed.push(await feed.take(at(seq, 'io.input', { message: seq }), requests));
  assert.deepEqual(
    filed.filter((e) => e !== undefined).map((e) => [e.id, e.room, e.filed_at]),
    [['s:15', 'requests', 1015]],
  );
  assert.equal((await feed.take(at(18, 'memory.compaction.triggered', {}), requests))!.text, 'ask 0 · ask 1');
  assert.deepEqual(asked, [15, 2]);
  const blocks = [{ text: 'old' }, { text: 'what was found' }];
  const entry = (await feed.take(at(19, 'memory.compacted', { _blocks: blocks }), requests))!;
  assert.deepEqual([entry.text, entry.room, entry.importance], ['what was found', 'summaries', 4]);
  assert.equal(await feed.take(at(20, 'llm.response', { message: 1 }), requests), undefined);
});
