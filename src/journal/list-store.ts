// A store that keeps the records of sessions as they were given, in this process and for as long as it: no texts, no chain, no
// queue. For sessions that are played to see what would be decided; what a journal is for besides is refused.
import { CuratedError } from '../errors.js';
import type { JournalRecord } from './record.js';
import {
  type CheckReport,
  type Health,
  keyText,
  type RewindResult,
  type SessionHead,
  type SessionKey,
  type Snapshot,
  type Store,
  type StoreStats,
  type SweepResult,
} from './store.js';

const GREEN: Health = { state: 'green', notices: [] };
const DONE = Promise.resolve();

interface Listed {
  readonly key: SessionKey;
  readonly records: JournalRecord[];
}

export class ListStore implements Store {
  readonly #sessions = new Map<string, Listed>();
  /** The one that was added to last. */
  #last: Listed | undefined;
  readonly #onAppend: ((key: SessionKey, records: readonly JournalRecord[]) => void) | undefined;

  /** @param onAppend is told of each group, once it is kept */
  constructor(onAppend?: (key: SessionKey, records: readonly JournalRecord[]) => void) {
    this.#onAppend = onAppend;
  }

  append(key: SessionKey, expectedSeq: number, records: readonly JournalRecord[]): void {
    const known = this.#recordsOf(key);
    if (known.records.length !== expectedSeq)
      throw new CuratedError('STORAGE', `records after ${expectedSeq} cannot follow ${known.records.length}`);
    for (const r of records) known.records.push(r);
    this.#onAppend?.(key, records);
  }

  /** A session's key is one object as long as the session lives. */
  #recordsOf(key: SessionKey): Listed {
    if (this.#last?.key === key) return this.#last;
    const name = keyText(key);
    this.#last = this.#sessions.get(name) ?? { key, records: [] };
    this.#sessions.set(name, this.#last);
    return this.#last;
  }

  flush(): Promise<void> {
    return DONE;
  }

  room(): undefined {}

  async read(key: SessionKey, fromSeq: number, limit: number): Promise<JournalRecord[]> {
    const from = Math.max(0, fromSeq - 1);
    return this.#sessions.get(keyText(key))?.records.slice(from, from + limit) ?? [];
  }

  async blob(): Promise<undefined> {}

  async blobs(): Promise<Map<string, Uint8Array>> {
    return new Map();
  }

  async head(key: SessionKey): Promise<SessionHead | undefined> {
    const known = this.#sessions.get(keyText(key));
    return known === undefined ? undefined : headOf(known);
  }

  async heads(tenant?: string): Promise<SessionHead[]> {
    const all = [...this.#sessions.values()];
    return all.filter(({ key }) => tenant === undefined || key.tenant === tenant).map(headOf);
  }

  setMeta(): void {}

  saveSnapshot(): void {}

  async loadSnapshot(): Promise<Snapshot | undefined> {
    return undefined;
  }

  copy(): Promise<void> {
    return unsupported();
  }

  rewind(): Promise<RewindResult> {
    return unsupported();
  }

  restore(): Promise<SessionHead> {
    return unsupported();
  }

  async archives(): Promise<string[]> {
    return [];
  }

  async erase(key: SessionKey): Promise<void> {
    this.#sessions.delete(keyText(key));
    this.#last = undefined;
  }

  sweep(): Promise<SweepResult> {
    return unsupported();
  }

  backup(): Promise<void> {
    return unsupported();
  }

  check(): Promise<CheckReport> {
    return unsupported();
  }

  stats(): Promise<StoreStats> {
    return unsupported();
  }

  health(): Health {
    return GREEN;
  }

  onHealth(): () => void {
    return () => {};
  }

  onCommit(): void {}

  onChange(): void {}

  async close(): Promise<void> {
    this.#sessions.clear();
    this.#last = undefined;
  }
}

function headOf({ key, records }: Listed): SessionHead {
  const last = records.at(-1);
  return {
    key,
    seq: records.length,
    hash: last?.hash ?? '',
    createdAt: records[0]?.ts ?? 0,
    updatedAt: last?.ts ?? 0,
    meta: {},
  };
}

function unsupported(): Promise<never> {
  return Promise.reject(new CuratedError('UNSUPPORTED', 'these records are kept in a list alone'));
}
