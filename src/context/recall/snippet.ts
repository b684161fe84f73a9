// The part of a passage that shows why it was found. Pure.

const CHARS = 260;
/** Places of one word that are weighed. */
const PLACES = 8;

/**
 * About CHARS characters around most of the words (stems, which most words of a text begin with), cut at word ends, with an
 * ellipsis where something is left out; the beginning where none of them stands.
 */
export function snippetOf(text: string, stems: readonly string[]): string {
  if (text.length <= CHARS) return text;
  const lower = text.toLowerCase();
  const found: { at: number; word: number }[] = [];
  stems.forEach((stem, word) => {
    let at = lower.indexOf(stem);
    for (let n = 0; at >= 0 && n < PLACES; n += 1) {
      found.push({ at, word });
      at = lower.indexOf(stem, at + stem.length);
    }
  });
  found.sort((a, b) => a.at - b.at);
  let best = 0;
  let most = 0;
  for (let i = 0; i < found.length; i += 1) {
    const words = new Set<number>();
    for (let k = i; k < found.length && found[k]!.at < found[i]!.at + CHARS * 0.8; k += 1)
      words.add(found[k]!.word);
    if (words.size > most) {
      most = words.size;
      best = found[i]!.at;
    }
  }
  return cut(text, Math.max(0, best - CHARS * 0.2));
}

function cut(text: string, from: number): string {
  let start = Math.min(Math.floor(from), text.length - CHARS);
  if (start > 0) {
    const gap = text.slice(start, start + 30).search(/\s/);
    start += gap < 0 ? 0 : gap + 1;
  }
  let end = Math.min(text.length, start + CHARS);
  if (end < text.length) {
    const gap = text.slice(end - 30, end).search(/\s\S*$/);
    if (gap >= 0) end -= 30 - gap;
  }
  // No half of a character at either end.
  if (isLow(text.charCodeAt(start))) start += 1;
  if (end < text.length && isLow(text.charCodeAt(end))) end -= 1;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function isLow(c: number): boolean {
  return c >= 0xdc00 && c <= 0xdfff;
}
