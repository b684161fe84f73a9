// Money: what a request costs at a row of the price table. A tier applies to the whole request (COSTS 2).

/** USD per million tokens. */
export interface PriceRow {
  input: number;
  write5m: number;
  write1h: number;
  read: number;
  output: number;
  /** Prompts above this reprice as a whole. */
  tierLimit?: number;
  tierInput?: number;
  tierOutput?: number;
}

export interface Spent {
  uncached: number;
  write5m: number;
  write1h: number;
  read: number;
  output: number;
}

export function promptOf(s: Spent): number {
  return s.uncached + s.write5m + s.write1h + s.read;
}

/** Cost in USD. */
export function bill(s: Spent, p: PriceRow): number {
  const above = p.tierLimit !== undefined && promptOf(s) > p.tierLimit;
  const input = above ? (p.tierInput ?? 1) : 1;
  const output = above ? (p.tierOutput ?? 1) : 1;
  const prompt = s.uncached * p.input + s.write5m * p.write5m + s.write1h * p.write1h + s.read * p.read;
  return (prompt * input + s.output * p.output * output) / 1_000_000;
}
