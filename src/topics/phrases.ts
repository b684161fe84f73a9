// The cues of the configuration: which phrase an input holds, and how strong that is (REQUIREMENTS L3-2, L3-11). Pure.

export interface PhraseRule {
  /** Lower-cased, in the order they are tried. */
  phrases: readonly string[];
  leadAnchor: 'strict' | 'any';
  match: 'word' | 'substring';
}

export interface PhraseMatch {
  phrase: string;
  signal: 'user_explicit' | 'phrase';
}

/** The input as phrases are sought in it: trimmed, case-folded, one kind of apostrophe. */
export function foldInput(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[’ʼ‘`´]/g, "'");
}

/** @param text as the user typed it */
export function matchPhrase(text: string, rule: PhraseRule): PhraseMatch | undefined {
  if (rule.match === 'substring') return inFolded(text.trim().toLowerCase(), rule, (t, p) => t.indexOf(p));
  const folded = foldInput(text);
  if (folded === '') return undefined;
  let quotes: readonly [number, number][] | undefined;
  return inFolded(folded, { ...rule, phrases: rule.phrases }, (t, phrase) => {
    const sought = phrase.replace(/[’ʼ‘`´]/g, "'");
    const anchored = isLead(sought);
    for (let at = t.indexOf(sought); at >= 0; at = t.indexOf(sought, at + 1)) {
      if (!bounded(t, at, sought.length)) continue;
      if (anchored && !opensSentence(t, at)) continue;
      quotes ??= quoted(t);
      if (quotes.some(([from, to]) => at > from && at < to)) continue;
      return at;
    }
    return -1;
  });
}

function inFolded(
  folded: string,
  rule: PhraseRule,
  find: (text: string, phrase: string) => number,
): PhraseMatch | undefined {
  if (folded === '') return undefined;
  for (const phrase of rule.phrases) {
    const at = find(folded, phrase);
    if (at < 0) continue;
    const explicit = at === 0 && (rule.leadAnchor === 'any' || isLead(phrase));
    return { phrase, signal: explicit ? 'user_explicit' : 'phrase' };
  }
  return undefined;
}

function isLead(phrase: string): boolean {
  return phrase.endsWith(':') || phrase.endsWith(',');
}

const LETTER = /[\p{L}\p{N}_]/u;

/** Whole words: no letter runs on at either end that the phrase itself begins or ends with a letter. */
function bounded(text: string, at: number, length: number): boolean {
  const before = at > 0 ? text[at - 1]! : '';
  const after = text[at + length] ?? '';
  const first = text[at]!;
  const last = text[at + length - 1]!;
  if (before !== '' && LETTER.test(first) && LETTER.test(before)) return false;
  return !(after !== '' && LETTER.test(last) && LETTER.test(after));
}

/** Is this the start of the text, of a sentence or of a line? */
export function opensSentence(text: string, at: number): boolean {
  for (let i = at - 1; i >= 0; i -= 1) {
    const c = text[i]!;
    if ('\n\r.!?…。！？'.includes(c)) return true;
    if (!' \t\u3000-*#¿¡>'.includes(c)) return false;
  }
  return true;
}

const PAIRS: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '„': '“',
  '«': '»',
  '「': '」',
  '『': '』',
  '`': '`',
};

/** Stretches between quotation marks: what stands there is mentioned, not said. */
function quoted(text: string): [number, number][] {
  const out: [number, number][] = [];
  for (let i = 0; i < text.length; i += 1) {
    const open = text[i]!;
    // A single quote opens only before a word and behind a gap; else it is an apostrophe.
    const single = open === "'" && (i === 0 || /[\s([]/.test(text[i - 1]!));
    const close = single ? "'" : PAIRS[open];
    if (close === undefined) continue;
    let end = text.indexOf(close, i + 1);
    while (single && end >= 0 && LETTER.test(text[end + 1] ?? '')) end = text.indexOf(close, end + 1);
    if (end < 0) continue;
    out.push([i, end]);
    i = end;
  }
  return out;
}
