// Chance that repeats: the same seed gives the same numbers on every machine (mulberry32). Not for secrets. Pure.

/**
 * @param seed any integer; its low 32 bits count
 * @returns the next number in [0, 1)
 */
export function seeded(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
