// A long text as head and tail, with the lines between them that the task speaks of. Cuts fall between characters as
// people see them, at line ends where one is near. Pure.

/** Characters that a cut may move to find a line end. */
const LINE_REACH = 160;
/** Text around a cut that is looked at for the bounds of its characters; the longest emoji sequences are far shorter. */
const WINDOW = 64;
const MATCHES_SHOWN = 40;
const MATCH_LENGTH = 240;

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** The largest bound of a character at or before `index`. */
function boundaryBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  let start = Math.max(0, index - WINDOW);
  const code = text.charCodeAt(start);
  if (start > 0 && code >= 0xdc00 && code <= 0xdfff) start += 1;
  const window = text.slice(start, Math.min(text.length, index + WINDOW));
  let best = start;
  for (const { index: at } of segmenter.segment(window)) {
    if (start + at > index) break;
    best = start + at;
  }
  // A window full of one character's joiners says nothing: then the code point decides.
  return best > start || start === 0 ? best : codePointBefore(text, index);
}

function codePointBefore(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

/** About `chars` characters from the start. */
export function headCut(text: string, chars: number): number {
  const cut = Math.min(text.length, Math.max(0, chars));
  const line = text.lastIndexOf('\n', cut - 1) + 1;
  if (line > 0 && cut - line <= LINE_REACH) return line;
  return boundaryBefore(text, cut);
}

/** Where about the last `chars` characters start. */
export function tailCut(text: string, chars: number): number {
  const cut = Math.max(0, text.length - Math.max(0, chars));
  const line = text.indexOf('\n', cut);
  if (line >= 0 && line - cut <= LINE_REACH && line + 1 < text.length) return line + 1;
  const at = boundaryBefore(text, cut);
  // Not a character more than asked for: the next bound after the cut.
  return at === cut ? at : nextBoundary(text, at);
}

function nextBoundary(text: string, from: number): number {
  const [first] = segmenter.segment(text.slice(from, from + WINDOW));
  return first === undefined ? text.length : from + first.segment.length;
}

/** Lines between two positions that hold one of the words, in order, each cut to a sane length. */
export function matchingLines(
  text: string,
  from: number,
  to: number,
  words: readonly string[],
  chars: number,
): string[] {
  if (words.length === 0 || chars <= 0) return [];
  const lowered = words.map((w) => w.toLowerCase());
  const found: string[] = [];
  let left = chars;
  let at = from;
  while (at < to && found.length < MATCHES_SHOWN) {
    const end = text.indexOf('\n', at);
    const stop = end < 0 || end > to ? to : end;
    const line = text.slice(at, Math.min(stop, at + 4 * MATCH_LENGTH));
    const lower = line.toLowerCase();
    if (lowered.some((w) => lower.includes(w))) {
      const shown = line.slice(0, boundaryBefore(line, Math.min(line.length, MATCH_LENGTH))).trim();
      if (shown.length + 1 > left) break;
      if (shown !== '') {
        found.push(shown);
        left -= shown.length + 1;
      }
    }
    at = stop + 1;
  }
  return found;
}

const STOP = new Set(
  'about above after again against also because been before being below between could does doing down during each from further have having here into itself just more most only other over please same should some such than that their them then there these they this those through under until very want were what when where which while will with would your file files read show list find'.split(
    ' ',
  ),
);

/** Words of a task worth looking for, the longest first. */
export function taskWords(task: string, most = 12): string[] {
  const words = new Set<string>();
  for (const m of task.slice(0, 4_000).matchAll(/[\p{L}\p{N}_./-]{4,60}/gu)) {
    const word = m[0].replace(/^[./-]+|[./-]+$/g, '');
    if (word.length >= 4 && !STOP.has(word.toLowerCase())) words.add(word);
  }
  return [...words].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, most);
}
