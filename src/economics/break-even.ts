// One clear weighed (COSTS 3, 4, 7). All in units: tokens x price relative to one uncached input token. Pure.

/** M = (w - r) / r: how many requests a rewritten token weighs against a read one. */
export function leverage(r: number, w: number): number {
  if (w <= r) return 0;
  return r > 0 ? (w - r) / r : Number.POSITIVE_INFINITY;
}

/** What clearing saves over n requests, this one included: n k r - S (w - r). */
export function delta(n: number, k: number, s: number, r: number, w: number): number {
  return n * k * r - s * Math.max(0, w - r);
}

/** n*: clearing saves from the request after this many on; 0 when it is free, infinite when it frees nothing. */
export function breakEven(k: number, s: number, r: number, w: number): number {
  if (k <= 0) return Number.POSITIVE_INFINITY;
  return s <= 0 || w <= r ? 0 : (leverage(r, w) * s) / k;
}

/** The same when the cache is gone anyway: the suffix is rewritten with and without the clear. */
export function coldDelta(n: number, k: number, r: number, w: number): number {
  return n * k * r + k * Math.max(0, w - r);
}

export interface Recall {
  /** Tokens of the block that comes back. */
  block: number;
  /** Size of the prompt. */
  prompt: number;
  /** Output tokens of the extra turn. */
  output: number;
}

/** Units that one recall costs: the block written, one more pass over the prompt, an extra turn, the block read ever after. */
export function recallCost(c: Recall, remaining: number, r: number, w: number, o: number): number {
  return c.block * w + c.prompt * r + c.output * o + remaining * c.block * r;
}

/** rho*: the recall probability up to which a clear stays profitable, with the recall half way through n requests. */
export function recallLimit(c: Recall, n: number, r: number, w: number, o: number): number {
  return (n * c.block * r) / recallCost(c, n / 2, r, w, o);
}
