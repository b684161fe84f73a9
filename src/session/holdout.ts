// Which sessions stay uncurated so that there is something to compare with: drawn by the session's own name, so that the
// same one is drawn again after a restart and no agent can tell beforehand. Pure.

import { sha256 } from '../hash.js';

/** @param share 0: none, 1: all */
export function isHeldOut(key: { tenant: string; session: string }, share: number): boolean {
  if (share <= 0) return false;
  const digest = sha256(`holdout\0${key.tenant}\0${key.session}`);
  return Number.parseInt(digest.slice(0, 8), 16) / 2 ** 32 < share;
}
