// Which tool results layer 1 clears, planned over columns. Pure; knows no message, no text and no clock.

/**
 * One row per tool result of a session, oldest first, as columns of length >= `n` (only the first `n` rows count).
 * Columns over a SharedArrayBuffer cross without a copy; they must not change until the answer is there.
 */
export interface ClearColumns {
  n: number;
  /** The present turn. */
  now: number;
  /** L1-2: turns a result must have aged, inclusive. */
  ageTurns: number;
  /** L1-2: least UTF-8 bytes of the body, inclusive. */
  sizeThreshold: number;
  /** Turn of the result's call. */
  callTurn: Int32Array;
  /** UTF-8 bytes of the body as it stands in the request. */
  bytes: Uint32Array;
  /** Tokens of that body. */
  bodyTokens: Uint32Array;
  /** Tokens its marker would have (L1-1); without it the caller compares before it applies the plan. */
  markerTokens?: Uint32Array;
  /** Bits: see CLEAR_FLAG. */
  flags: Uint8Array;
}

/** Bits of `ClearColumns.flags`. */
export const CLEAR_FLAG = {
  /** The result's kind is preserved (L1-5). */
  preserved: 1,
  /** It is cleared already (L1-11). */
  cleared: 2,
  /** It may not be touched in this pass (no call id, a provider rule, the current topic ...). */
  protected: 4,
  /** The same tool was called with equal arguments at a strictly later turn, with a good result (L1-3, L1-15). */
  superseded: 8,
} as const;

/** Why a result is cleared; values of `ClearPlan.reasons`. */
export const CLEAR_REASON = { subsequentCall: 1, age: 2 } as const;

/** Rows to clear in row order, and for each its CLEAR_REASON. */
export interface ClearPlan {
  rows: Uint32Array;
  reasons: Uint8Array;
}

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
