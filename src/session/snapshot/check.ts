// Is a snapshot what its events give? Where it is not, the events win: another is made from them in its place.

import type { SessionKey, Store } from '../../journal/index.js';
import { foldState } from '../load.js';
import { bodyOf, stateHash } from './body.js';
import { packed } from './container.js';
import { stateFromSnapshot } from './resume.js';

export interface SnapshotCheck {
  /** False where there is none, or none that this build would read. */
  checked: boolean;
  /** It was not what the events give, and is now. */
  differed?: { seq: number; reason: string };
}

/** Folds the journal up to the snapshot: call it for a journal that is sound. */
export async function checkSnapshot(store: Store, key: SessionKey): Promise<SnapshotCheck> {
  const found = await stateFromSnapshot(store, key, Number.POSITIVE_INFINITY);
  if (found === undefined) return { checked: false };
  // Of another version: it is folded over when it is met, and replaced.
  if ('refused' in found && (found.refused === 'format' || found.refused === 'build'))
    return { checked: false };
  const stored = await store.loadSnapshot(key);
  if (stored === undefined) return { checked: false };
  const whole = await foldState(store, key, stored.seq);
  if ('state' in found && stateHash(found.state) === stateHash(whole)) return { checked: true };
  store.saveSnapshot(key, whole.seq, whole.hash, await packed(bodyOf(whole)));
  await store.flush('os', key);
  const reason = 'refused' in found ? `it cannot be read (${found.refused})` : 'it is another state';
  return { checked: true, differed: { seq: stored.seq, reason } };
}
