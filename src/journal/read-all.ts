// Reads a whole journal in order, page by page, chain verified from record to record and up to the head.
import { type ChainHead, GENESIS, type JournalRecord, quarantined } from './record.js';
import type { SessionKey, Store } from './store.js';

/** Records of one page: large enough to pay for the way to the store's thread, small enough for writes to get in between. */
const PAGE = 1024;

export interface ReadOptions {
  /** First seq that is wanted; 1 by default. */
  readonly fromSeq?: number;
  /** Last seq that is wanted; the head's by default. */
  readonly toSeq?: number;
  /** The record before `fromSeq`, when the caller knows it: then the chain is checked across that point. */
  readonly after?: ChainHead;
}

/**
 * Each page was verified by its store against the hash before it; here the pages are joined to each other and to the head as it
 * was at the start. A missing record is an error (STORAGE, `detail.quarantined`), never an early end. The next page is fetched
 * while this one is consumed.
 */
export async function* readAll(
  store: Store,
  key: SessionKey,
  options: ReadOptions = {},
): AsyncGenerator<JournalRecord, void, undefined> {
  const fromSeq = options.fromSeq ?? 1;
  let last: ChainHead | undefined = options.after ?? (fromSeq === 1 ? GENESIS : undefined);
  let page = store.read(key, fromSeq, PAGE);
  // A later page may fail before it is awaited.
  page.catch(() => undefined);
  const head = await store.head(key);
  if (head === undefined) return;
  const toSeq = Math.min(options.toSeq ?? head.seq, head.seq);
  let next = fromSeq;
  while (next <= toSeq) {
    const records = await page;
    if (records.length === 0) throw quarantined(key.session, next, 'is missing');
    const following = next + records.length;
    if (following <= toSeq) {
      page = store.read(key, following, PAGE);
      page.catch(() => undefined);
    }
    for (const record of records) {
      if (record.seq > toSeq) return;
      if (record.seq !== next || (last !== undefined && record.prev !== last.hash)) {
        throw quarantined(key.session, record.seq, 'does not follow the one before it');
      }
      yield record;
      last = record;
      next++;
    }
  }
  if (toSeq === head.seq && last !== undefined && last.hash !== head.hash) {
    throw quarantined(key.session, head.seq, 'is not the one the session ended with');
  }
}
