// Letters: which signs make words, which are words of their own, which are one and the same letter. Pure.

export const FNV = 0x811c9dc5 | 0;
export const PRIME = 0x01000193;

/** Base letters of U+00C0 to U+017F, lower-cased: `é` and `e` are one letter to a cue and to a topic. */
const LATIN =
  'aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuytyaaaaaaccccccccddddeeeeeeeeeegggg' +
  'gggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs';

/** Han, kana, Hangul, Thai and the like: a letter is a word of its own. */
export function isGlyph(c: number): boolean {
  return (
    (c >= 0x3040 && c <= 0x30ff) ||
    (c >= 0x3400 && c <= 0x9fff) ||
    (c >= 0xac00 && c <= 0xd7af) ||
    (c >= 0x0e00 && c <= 0x0e7f) ||
    (c >= 0xd840 && c <= 0xd87f)
  );
}

/** Letters and digits outside ASCII, glyphs aside. Punctuation, symbols and emoji separate. */
export function isOtherLetter(c: number): boolean {
  if (c < 0xc0) return c === 0xaa || c === 0xb5 || c === 0xba;
  if (c === 0xd7 || c === 0xf7) return false;
  if (c < 0x2000) return c !== 0x37e && c !== 0x60c && c !== 0x61b && c !== 0x61f && c !== 0x964;
  return (c >= 0x2c00 && c < 0x2e00) || (c >= 0xa640 && c < 0xd800) || (c >= 0xf900 && c < 0xfe00);
}

/** The base letter of a lower-cased one. */
export function fold(c: number): number {
  if (c >= 0xc0 && c <= 0x17f) return LATIN.charCodeAt(c - 0xc0);
  if (c === 0x451) return 0x435;
  return c;
}

/** Hash of a lower-cased word: FNV-1a over its folded letters. */
export function hashWord(word: string): number {
  let h = FNV;
  for (let i = 0; i < word.length; i += 1) {
    const c = word.charCodeAt(i);
    h = Math.imul(h ^ (c === 0x2019 || c === 0x02bc ? 39 : c >= 0xaa && !isGlyph(c) ? fold(c) : c), PRIME);
  }
  return h;
}
