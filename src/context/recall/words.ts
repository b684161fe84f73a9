// A passage as words that can be looked for: case and accents folded, lightly stemmed, identifiers whole and in parts,
// scripts without gaps as pairs of signs. What is indexed and what is asked go the same way. Pure.

/** Longer words are no words; digests of 64 digits still are. */
const LONGEST = 64;
/** Words of a query that are looked for. */
const MOST_ASKED = 24;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const PLAIN = /^[\x20-\x7e\s]*$/;
const HUMPS = /\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+(?!\p{Ll})/gu;
const GAPLESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Words that a question is made of and that tell nothing of what it asks for. */
const FUNCTION_WORDS = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have he her him his how i if in is it its me my no not of on ' +
    'or our she so than that the their them then there these they this those to us was we were what when where which who whom why will with ' +
    'would you your'
  )
    .split(' ')
    .map(stem),
);

/** Every word as often as it stands there, in order. */
export function wordsIn(text: string): string[] {
  const out: string[] = [];
  const folded = PLAIN.test(text) ? text : text.normalize('NFKC');
  for (const [word] of folded.matchAll(WORD)) {
    if (word.length > LONGEST) continue;
    const lower = word.toLowerCase();
    if (!PLAIN.test(lower)) {
      foreign(lower, out);
      continue;
    }
    out.push(stem(lower));
    // Most words have no hump: the search for parts is for those that do.
    if (lower !== word && hasHump(word))
      for (const [part] of word.matchAll(HUMPS)) if (part.length > 2) out.push(stem(part.toLowerCase()));
  }
  return out;
}

/** What a question looks for: each word once, those that tell nothing left out where others tell something. */
export function wordsAsked(text: string): string[] {
  const words = [...new Set(wordsIn(text))];
  const telling = words.filter((w) => !FUNCTION_WORDS.has(w));
  return (telling.length > 0 ? telling : words).slice(0, MOST_ASKED);
}

function hasHump(word: string): boolean {
  for (let i = 1; i < word.length; i += 1) {
    const c = word.charCodeAt(i);
    const before = word.charCodeAt(i - 1);
    if (c >= 65 && c <= 90 && ((before >= 97 && before <= 122) || (before >= 48 && before <= 57)))
      return true;
  }
  return false;
}

function foreign(word: string, out: string[]): void {
  if (!GAPLESS.test(word)) {
    out.push(word.normalize('NFD').replace(LATIN_MARKS, '').normalize('NFC'));
    return;
  }
  const signs = [...word];
  if (signs.length === 1) out.push(word);
  for (let i = 1; i < signs.length; i += 1) out.push(signs[i - 1]! + signs[i]!);
}

/** Accents of Latin, Greek and Cyrillic letters; marks of other scripts are part of their words. */
const LATIN_MARKS = /[\u0300-\u036f]/g;

/** Endings of English that do not change what a word is about. */
function stem(word: string): string {
  const n = word.length;
  if (n > 5 && word.endsWith('ing')) return single(word.slice(0, -3));
  if (n > 4 && (word.endsWith('ied') || word.endsWith('ies'))) return `${word.slice(0, -3)}y`;
  if (n > 4 && word.endsWith('ed')) return single(word.slice(0, -2));
  if (n > 4 && word.endsWith('es')) return word.slice(0, -2);
  if (n > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  if (n > 3 && word.endsWith('e')) return word.slice(0, -1);
  return word;
}

/** Without the letter that an ending doubled: stopped, running. */
function single(word: string): string {
  const last = word.length - 1;
  return last > 2 && word[last] === word[last - 1] && !'aeioulsz'.includes(word[last]!)
    ? word.slice(0, last)
    : word;
}
