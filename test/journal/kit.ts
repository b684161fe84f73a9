// What the journal's tests share: keys, groups of records, and an oracle of what was appended.
import {
  type ChainHead,
  chain,
  GENESIS,
  type JournalRecord,
  type Payload,
  type SessionKey,
  type Store,
} from '../../src/journal/index.js';

export const key = (session: string, tenant = 't'): SessionKey => ({ tenant, session });

/** `count` records after `head`, with payloads that differ. */
export function group(
  head: ChainHead,
  count: number,
  payload: (seq: number) => Payload = plain,
): JournalRecord[] {
  const out: JournalRecord[] = [];
  let prev = head;
  for (let i = 0; i < count; i++) {
    const seq = prev.seq + 1;
    const record = chain(prev, {
      seq,
      ts: 1_700_000_000_000 + seq,
      type: 'tool.result',
      turn: seq >> 2,
      payload: payload(seq),
    });
    out.push(record);
    prev = record;
  }
  return out;
}

const plain = (seq: number): Payload => ({ n: seq, text: `record ${seq} é` });

/** A writer that keeps its own head. */
export class Writer {
  head: ChainHead = GENESIS;
  readonly records: JournalRecord[] = [];

  next(count: number, payload?: (seq: number) => Payload): JournalRecord[] {
    const records = group(this.head, count, payload);
    this.head = records.at(-1) ?? this.head;
    this.records.push(...records);
    return records;
  }
}

/** Waits until the store takes writes again; the probe's timer alone does not keep the process. */
export async function green(store: Store): Promise<void> {
  const hold = setInterval(() => undefined, 50);
  await new Promise<void>((resolve) => {
    if (store.health().state === 'green') resolve();
    else store.onHealth((h) => h.state === 'green' && resolve());
  });
  clearInterval(hold);
}
