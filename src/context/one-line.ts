// Text of others on one line of ours: no control characters, no line breaks, cut at a code point. Pure.

/** Whitespace and control characters become single spaces; a lone surrogate becomes U+FFFD. */
export function oneLine(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g, ' ')
    .trim();
}

/** At most `max` code points, the last of them `mark` when something was cut. */
export function cut(text: string, max: number, mark = '…'): string {
  if (text.length <= max) return text;
  const points: string[] = [];
  for (const point of text) {
    points.push(point);
    if (points.length > max) break;
  }
  if (points.length <= max) return text;
  return (
    points
      .slice(0, Math.max(0, max - [...mark].length))
      .join('')
      .trimEnd() + mark
  );
}
