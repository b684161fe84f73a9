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
