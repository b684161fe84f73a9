// A reader of events: order, once each, and what a rewind does to the numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CuratedEvent, EventStream } from '../../src/client/event-stream.js';

const event = (fields: object): CuratedEvent =>
  ({ type: 'io.input', session: 's', turn: 0, ts: 0, ...fields }) as CuratedEvent;

test('F39 J-11 events behind a rewind are read although their seqs have been seen, and still once each', async () => {
  const stream = new EventStream('s');
  for (const seq of [1, 2, 3, 3]) stream.push(event({ seq }));
  stream.push(event({ type: 'session.rewound', seq: undefined, to_seq: 1, epoch: 1, archived: 'a' }));
  for (const seq of [2, 2, 3, 4]) stream.push(event({ seq }));
  stream.end();
  const read: unknown[] = [];
  for await (const e of stream) read.push(e.seq ?? e.type);
  assert.deepEqual(read, [1, 2, 3, 'session.rewound', 2, 3, 4]);
});

test('a history may be longer than a reader may be behind, and what happens meanwhile is told behind it', async () => {
  const stream = new EventStream('s', () => {}, 1);
  // Told for somebody else who listens on the same connection.
  stream.push(event({ seq: 12_001 }));
  for (let seq = 1; seq <= 12_001; seq++) stream.push(event({ seq }));
  stream.began(12_001);
  for (let seq = 12_002; seq <= 22_001; seq++) stream.push(event({ seq }));
  for (let seq = 1; seq <= 22_001; seq++) assert.equal((await stream.next()).value?.seq, seq);
  for (let seq = 22_002; seq <= 45_000; seq++) stream.push(event({ seq }));
  let last = 0;
  await assert.rejects(
    async () => {
      for await (const e of stream) last = e.seq;
    },
    { code: 'OVERRUN' },
  );
  assert.equal(last, 44_002);
});

test('F46 seqs that the journal lost and gave anew are read', async () => {
  const stream = new EventStream('s', () => {}, 1);
  for (const seq of [1, 2, 3, 4]) stream.push(event({ seq }));
  stream.cutTo(2);
  for (const seq of [3, 4]) stream.push(event({ seq }));
  stream.end();
  const read: number[] = [];
  for await (const e of stream) read.push(e.seq);
  assert.deepEqual(read, [1, 2, 3, 4, 3, 4]);
});
