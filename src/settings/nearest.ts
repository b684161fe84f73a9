// Which known name was probably meant: edit distance with transpositions. Pure.

/** Optimal-string-alignment distance of two names. O(a x b), cut to 64 characters a side. */
export function distance(a: string, b: string): number {
  const s = a.slice(0, 64);
  const t = b.slice(0, 64);
  let before: number[] = [];
  let last = Array.from({ length: t.length + 1 }, (_, j) => j);
  for (let i = 1; i <= s.length; i++) {
    const row = [i];
    for (let j = 1; j <= t.length; j++) {
      const same = s[i - 1] === t[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && s[i - 1] === t[j - 2] && s[i - 2] === t[j - 1]) {
        best = Math.min(best, before[j - 2]! + 1);
      }
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[t.length]!;
}

/** The candidate with the smallest distance; the first of equals; undefined only for an empty list. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const c of candidates) {
    const d = distance(name.toLowerCase(), c);
    if (d < least) {
      least = d;
      best = c;
    }
  }
  return best;
}
