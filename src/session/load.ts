// A session from its journal: records read, texts fetched, events folded, from a snapshot on where there is one.

import { CuratedError } from '../errors.js';
import { attach, type JournalRecord, references, type SessionKey, type Store } from '../journal/index.js';
import type { Refusal } from './snapshot/container.js';
import { stateFromSnapshot } from './snapshot/resume.js';
import { upcast } from './state/event-types.js';
import type { EventType, Payloads, SessionEvent } from './state/events.js';
import { evolve } from './state/evolve.js';
import { freshState } from './state/fresh.js';
import type { SessionState } from './state/state.js';

/** Records that are read at once: bounds memory, and lets other sessions' reads in between. */
const PAGE = 512;

/** Events of a journal from `fromSeq` on, long texts in place. */
export async function* events(
  store: Store,
  key: SessionKey,
  fromSeq = 1,
  toSeq = Number.POSITIVE_INFINITY,
): AsyncGenerator<{ event: SessionEvent; record: JournalRecord }> {
  const read = (from: number) => store.read(key, from, Math.min(PAGE, toSeq - from + 1));
  if (fromSeq > toSeq) return;
  let coming: Promise<JournalRecord[]> | undefined = read(fromSeq);
  while (coming !== undefined) {
    const page: JournalRecord[] = await coming;
    coming = undefined;
    if (page.length === 0) return;
    // One fetch of texts a page: a round trip for each would be most of a resume.
    const hashes = [...new Set(page.flatMap((record) => references(record.payload)))];
    const texts = hashes.length === 0 ? undefined : store.blobs(key, hashes);
    texts?.catch(() => undefined);
    // The store's thread reads on while this one folds. A page that is not full was the last.
    const next = page[page.length - 1]!.seq + 1;
    if (page.length >= PAGE && next <= toSeq) {
      coming = read(next);
      coming.catch(() => undefined);
    }
    const known = (await texts) ?? NO_TEXTS;
    for (const record of page) yield { event: eventOf(known, upcast(record)), record };
  }
}

const NO_TEXTS: ReadonlyMap<string, Uint8Array> = new Map();

function eventOf(texts: ReadonlyMap<string, Uint8Array>, record: JournalRecord): SessionEvent {
  const payload = attach(record.payload, (hash) => texts.get(hash));
  return {
    type: record.type as EventType,
    payload: payload as unknown as Payloads[EventType],
    seq: record.seq,
    ts: record.ts,
    turn: record.turn,
    ...(record.observed === undefined ? {} : { observed: record.observed }),
  } as SessionEvent;
}

export interface Loaded {
  state: SessionState;
  /** seq of the snapshot that it rests on; 0: the whole journal was folded. */
  snapshot: number;
  /** Why the snapshot that there is was not taken. */
  refused?: Refusal;
}

/** The state after the record with seq `toSeq`: from the newest snapshot before it and what came after, or from all of it. */
export async function resume(
  store: Store,
  key: SessionKey,
  toSeq = Number.POSITIVE_INFINITY,
): Promise<Loaded> {
  const found = await stateFromSnapshot(store, key, toSeq);
  if (found !== undefined && 'state' in found) {
    const { state } = found;
    const { seq: snapshot, hash } = state;
    if (await fold(store, key, state, toSeq, hash)) return { state, snapshot };
  }
  const state = freshState();
  await fold(store, key, state, toSeq);
  if (found === undefined) return { state, snapshot: 0 };
  return { state, snapshot: 0, refused: 'refused' in found ? found.refused : 'place' };
}

/** As `resume`, the state alone. */
export async function loadState(store: Store, key: SessionKey, toSeq?: number): Promise<SessionState> {
  return (await resume(store, key, toSeq)).state;
}

/** The state by the journal alone. */
export async function foldState(store: Store, key: SessionKey, toSeq?: number): Promise<SessionState> {
  const state = freshState();
  await fold(store, key, state, toSeq ?? Number.POSITIVE_INFINITY);
  return state;
}

/** @param prev hash that the first record must follow, where it is known @returns false when it follows another */
async function fold(
  store: Store,
  key: SessionKey,
  state: SessionState,
  toSeq: number,
  prev?: string,
): Promise<boolean> {
  let first = prev !== undefined;
  for await (const { event, record } of events(store, key, state.seq + 1, toSeq)) {
    if (first && record.prev !== prev) return false;
    first = false;
    foldOne(key, state, event);
    state.hash = record.hash;
  }
  return true;
}

/**
 * The next event of a journal. A record that is whole, and yet not what its type says (another build wrote it, or a hand), is
 * STORAGE with `detail.quarantined`: such a session is not served.
 */
export function foldOne({ session }: SessionKey, state: SessionState, event: SessionEvent): void {
  try {
    evolve(state, event);
  } catch (cause) {
    if (cause instanceof CuratedError) throw cause;
    const { seq, type } = event;
    const message = `session ${session} is quarantined: record ${seq} is no ${type} that this build can read`;
    throw new CuratedError('STORAGE', message, { detail: { quarantined: true, session, seq }, cause });
  }
}
