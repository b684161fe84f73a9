// The window gate's one decision (L5-1, L5-5, L5-6, NS-9, NS-17): what is to be done with a request of this size after
// what has been tried. Each answer uses something up, so that a chain of them ends. Pure.

export interface GateFacts {
  /** Exact tokens of the view, and the bound that 95 of 100 requests of this kind stay below. */
  tokens: number;
  p95: number;
  /** B; the window less the reserve; what the provider refuses for certain. Infinity where the window is unknown. */
  threshold: number;
  limit: number;
  ceiling: number;
  /** A cycle failed or nothing could be done, and nothing reducible has come since. */
  blocked: boolean;
  /** Cycles of this call so far, and at most. */
  cycles: number;
  maxCycles: number;
  /** This call has compacted. */
  compacted: boolean;
  /** The last cycle of this call failed; `refused`: people said no. */
  failed: 'no' | 'failed' | 'refused';
  /** What is there to be done, and has not been tried in this call. */
  canCompact: boolean;
  canClear: boolean;
  canShrink: boolean;
  canShorten: boolean;
  canSqueeze: boolean;
  canFallBack: boolean;
}

export type GateStep =
  /** It fits. */
  | 'pass'
  /** It is over B but will be taken; the cycle failed: say so. */
  | 'warn'
  /** One summary in place of the older part. */
  | 'compact'
  /** The same by the built-in summariser, where the model's failed. */
  | 'fall_back'
  /** Every result that may be cleared. */
  | 'clear'
  /** Head and tail of over-long blocks. */
  | 'shrink'
  /** A compaction that keeps less of the tail. */
  | 'shorten'
  /** Less than head and tail of the results that no request has carried: the provider would refuse more. */
  | 'squeeze'
  /** As small as it gets, and the provider will take it. */
  | 'irreducible'
  | 'fail';

export function gateStep(f: GateFacts): GateStep {
  const hard = f.p95 > f.limit;
  if (!hard && f.tokens <= f.threshold) return 'pass';
  if (!hard && f.blocked && !f.compacted) return 'pass';
  if (!hard && f.failed !== 'no') return 'warn';
  const cycle = f.cycles < f.maxCycles;
  if (cycle && f.canCompact && !f.blocked) return 'compact';
  // A request that the provider takes is not cut to pieces because nothing could be summarised.
  if (hard || f.compacted) {
    if (cycle && f.canFallBack && f.failed === 'failed') return 'fall_back';
    if (f.canClear) return 'clear';
    if (f.canShrink) return 'shrink';
    if (cycle && f.canShorten) return 'shorten';
    if (hard && f.canSqueeze) return 'squeeze';
  }
  return hard && f.p95 > f.ceiling ? 'fail' : 'irreducible';
}
