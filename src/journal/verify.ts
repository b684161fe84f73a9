// Reads a whole journal with its texts and says whether all of it is there and as it was written.
import { CuratedError } from '../errors.js';
import { references } from './blobs.js';
import { readAll } from './read-all.js';
import type { SessionKey, Store } from './store.js';

export interface Verified {
  /** Records whose chain holds, from the first on. */
  readonly events: number;
  /** Texts that they name and that are what their names say. */
  readonly texts: number;
  /** The first thing that is wrong; nothing behind it was looked at. */
  readonly fault?: { readonly seq: number; readonly reason: string };
}

/** Hashes that are asked for at once. */
const TEXTS = 256;

/** Never throws for damage; UNKNOWN_SESSION where there is no journal. */
export async function verifySession(store: Store, key: SessionKey): Promise<Verified> {
  let events = 0;
  const seen = new Set<string>();
  const wanted: { seq: number; hash: string }[] = [];
  try {
    if ((await store.head(key)) === undefined)
      throw new CuratedError('UNKNOWN_SESSION', `there is no session ${JSON.stringify(key.session)}`);
    for await (const record of readAll(store, key)) {
      for (const hash of references(record.payload)) {
        if (seen.has(hash)) continue;
        seen.add(hash);
        wanted.push({ seq: record.seq, hash });
      }
      if (wanted.length >= TEXTS) await texts(store, key, wanted.splice(0));
      events = record.seq;
    }
    await texts(store, key, wanted);
    return { events, texts: seen.size };
  } catch (e) {
    if (!(e instanceof CuratedError) || e.kind !== 'STORAGE') throw e;
    const { seq } = (e.detail ?? {}) as { seq?: number };
    const gone = wanted.length;
    return { events, texts: seen.size - gone, fault: { seq: seq ?? events + 1, reason: e.message } };
  }
}

async function texts(
  store: Store,
  key: SessionKey,
  wanted: readonly { seq: number; hash: string }[],
): Promise<void> {
  if (wanted.length === 0) return;
  const found = await store.blobs(
    key,
    wanted.map((w) => w.hash),
  );
  const missing = wanted.find((w) => !found.has(w.hash));
  if (missing === undefined) return;
  throw new CuratedError(
    'STORAGE',
    `the text ${missing.hash} of record ${missing.seq} is not in the journal`,
    {
      detail: { quarantined: true, seq: missing.seq },
    },
  );
}
