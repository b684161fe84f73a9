// A subscription on a new connection goes on behind the last event that was seen.
import { CuratedError } from '../errors.js';
import type { Connection } from './connection.js';

/**
 * @param lastSeq of the last event that was seen; undefined: none was, and what comes from now on is told
 * @returns where the journal ends, if that is before what was seen: its seqs come anew
 */
export async function subscribeFrom(
  connection: Connection,
  session: string,
  lastSeq: number | undefined,
): Promise<number | undefined> {
  try {
    const from = lastSeq === undefined ? {} : { from_seq: lastSeq + 1 };
    await connection.call('session.subscribe', { session, ...from });
    return undefined;
  } catch (e) {
    // Nothing is behind us to be told, and the daemon takes no seq beyond its end.
    if (!(e instanceof CuratedError) || e.kind !== 'SEQ_GAP') throw e;
    const { value } = await connection.call('session.subscribe', { session });
    return (value as { seq: number }).seq;
  }
}
