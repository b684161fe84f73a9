// Which tool results layer 1 clears, planned over columns. Pure; knows no message, no text and no clock.
import { CLEAR_FLAG, CLEAR_REASON, type ClearColumns, type ClearPlan } from '../pool/contract.js';

/**
 * L1-1 to L1-3: a row is cleared iff it is not cleared, protected or preserved already, and it is superseded by a
 * later equal call, or old and large enough; and never when its marker has no fewer tokens than its body.
 * One pass, O(n), no allocation but the answer.
 */
export function planClearing(columns: ClearColumns): ClearPlan {
  const { n, now, ageTurns, sizeThreshold, callTurn, bytes, bodyTokens, markerTokens, flags } = columns;
  const kept = CLEAR_FLAG.preserved | CLEAR_FLAG.cleared | CLEAR_FLAG.protected;
  const rows = new Uint32Array(n);
  const reasons = new Uint8Array(n);
  let found = 0;
  for (let i = 0; i < n; i++) {
    const flag = flags[i]!;
    if ((flag & kept) !== 0) continue;
    let reason: number;
    if ((flag & CLEAR_FLAG.superseded) !== 0) reason = CLEAR_REASON.subsequentCall;
    else if (now - callTurn[i]! >= ageTurns && bytes[i]! >= sizeThreshold) reason = CLEAR_REASON.age;
    else continue;
    if (markerTokens !== undefined && markerTokens[i]! >= bodyTokens[i]!) continue;
    rows[found] = i;
    reasons[found++] = reason;
  }
  return { rows: rows.slice(0, found), reasons: reasons.slice(0, found) };
}
