// Journals read whole and compared: every hash, every text, archives too, and the snapshots with what the events give.

import { type SessionKey, type Store, verifySession } from '../journal/index.js';
import { checkSnapshot } from './snapshot/check.js';

export interface Verdict {
  sessions: number;
  /** Journals that rewinds put aside. */
  archives: number;
  events: number;
  texts: number;
  /** Snapshots that were compared. */
  snapshots: number;
  broken: { session: string; archive?: string | undefined; seq: number; reason: string }[];
  /** Snapshots that were not what the events give; they have been made anew from these. */
  differing: { session: string; seq: number; reason: string }[];
}

/**
 * Never throws for damage; UNKNOWN_SESSION where there is no journal.
 * @param mended a snapshot was another state: who holds one that came of it, folds anew
 */
export async function verifyJournals(
  store: Store,
  keys: readonly SessionKey[],
  mended: (key: SessionKey) => Promise<unknown> = async () => {},
): Promise<Verdict> {
  const verdict: Verdict = {
    sessions: keys.length,
    archives: 0,
    events: 0,
    texts: 0,
    snapshots: 0,
    broken: [],
    differing: [],
  };
  for (const key of keys) {
    if (await isWhole(store, key, verdict)) {
      const { checked, differed } = await checkSnapshot(store, key);
      if (checked) verdict.snapshots += 1;
      if (differed !== undefined) {
        verdict.differing.push({ session: key.session, ...differed });
        await mended(key);
      }
    }
    for (const archive of await store.archives(key)) {
      verdict.archives += 1;
      await isWhole(store, { ...key, archive }, verdict);
    }
  }
  return verdict;
}

async function isWhole(store: Store, key: SessionKey, verdict: Verdict): Promise<boolean> {
  const found = await verifySession(store, key);
  verdict.events += found.events;
  verdict.texts += found.texts;
  if (found.fault === undefined) return true;
  const { session, archive } = key;
  verdict.broken.push({ session, ...(archive === undefined ? {} : { archive }), ...found.fault });
  return false;
}
