// The process that F44 kills: appends to 8 sessions, and says on stdout what was acknowledged. Arguments: path of the journal.
import { writeSync } from 'node:fs';
import { SqliteStore } from '../../src/journal/index.js';
import { group, key } from './kit.js';

/** Nothing of a line may be lost, nor said later than the next one: a pipe that is full is tried again. */
function say(line: string): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code !== 'EAGAIN') throw e;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Mostly as turns are acknowledged. */
const LEVELS = ['sync', 'ack', 'ack', 'os', 'ack'] as const;

const store = await SqliteStore.open(process.argv[2]!);
const sessions = Array.from({ length: 8 }, (_, i) => key(`s${i}`));
const heads = await Promise.all(sessions.map(async (k) => (await store.head(k)) ?? { seq: 0, hash: '' }));
say('ready');
await Promise.all(
  sessions.map(async (k, s) => {
    let head: { seq: number; hash: string } = heads[s]!;
    for (let turn = 0; ; turn++) {
      const records = group(head, 1 + ((turn + s) % 5));
      store.append(k, head.seq, records);
      head = records.at(-1)!;
      await store.flush(LEVELS[turn % LEVELS.length]!, k);
      say(`${s} ${head.seq}`);
    }
  }),
);
