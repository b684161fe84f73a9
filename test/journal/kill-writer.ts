// The process that F44 kills: appends to 8 sessions, and says on stdout what was acknowledged. Arguments: path of the journal; `alone`
// for one session after the other in place of all at once.
import { writeSync } from 'node:fs';
import { type ChainHead, GENESIS, SqliteStore } from '../../src/journal/index.js';
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

/** Mostly as turns are acknowledged; a lone agent's stay in the log beside the journal until somebody waits for more. */
const isAlone = process.argv[3] === 'alone';
const LEVELS = isAlone
  ? ([...Array.from({ length: 19 }, () => 'ack' as const), 'sync'] as const)
  : (['sync', 'ack', 'ack', 'os', 'ack'] as const);

const store = await SqliteStore.open(process.argv[2]!);
const sessions = Array.from({ length: 8 }, (_, i) => key(`s${i}`));
const heads: ChainHead[] = await Promise.all(sessions.map(async (k) => (await store.head(k)) ?? GENESIS));
say('ready');
const turnOf = async (s: number, turn: number): Promise<void> => {
  const records = group(heads[s]!, 1 + ((turn + s) % 5));
  store.append(sessions[s]!, heads[s]!.seq, records);
  heads[s] = records.at(-1)!;
  await store.flush(LEVELS[turn % LEVELS.length]!, sessions[s]!);
  say(`${s} ${heads[s]!.seq}`);
};
const lanes = sessions.map((_, s) => s);
if (isAlone) {
  for (let turn = 0; ; turn++) for (const s of lanes) await turnOf(s, turn);
}
await Promise.all(
  lanes.map(async (s) => {
    for (let turn = 0; ; turn++) await turnOf(s, turn);
  }),
);
