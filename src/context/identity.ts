// L0: what this project is, in about 100 tokens (R-1, M-1): the project's own words and its counts.

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readWhole } from './map-file.js';
import { oneLine } from './one-line.js';
import { isInside } from './open-folders.js';

/** M-1: L0 has at most so many tokens, heading included. */
const IDENTITY_TOKENS = 100;
const SOURCES = ['CLAUDE.md', 'AGENTS.md', 'README.md', 'README', 'readme.md', 'README.rst', 'README.txt'];
const HEADING = '## L0 — IDENTITY';
/** What is read of a project file; its first words are what is wanted. */
const HEAD_CHARS = 8192;

/** What was counted at the last refresh. */
export interface Counts {
  files: number;
  /** Files by what they are (`ts`, `md`), most first. */
  kinds: readonly (readonly [kind: string, files: number])[];
  topics: number;
}

/**
 * The project's own words: title and first sentences of the first file there is. '' when there is none or it says nothing.
 * Unreadable files are passed over: a wake-up never fails for one.
 */
export function identitySource(root: string): string {
  for (const name of SOURCES) {
    try {
      const path = join(root, name);
      // CLAUDE.md may be a link to AGENTS.md, but not to a file of somebody else's.
      const file = isInside(root, realpathSync(path)) ? readWhole(path) : undefined;
      const words = file === undefined ? '' : plainWords(file.text.slice(0, HEAD_CHARS));
      if (words !== '') return words;
    } catch {}
  }
  return '';
}

/** Markdown without what is no prose: badges, pictures, code, HTML, rules, front matter. */
function plainWords(text: string): string {
  const lines = text
    .replace(/^\ufeff?---\n[\s\S]*?\n---\n/, '')
    .replace(/```[\s\S]*?(```|$)/g, '')
    .replace(/<!--[\s\S]*?(-->|$)/g, '')
    .replace(/<[^>]+>/g, '')
    .replace(/\[?!\[[^\]]*\]\([^)]*\)(\]\([^)]*\))?/g, '')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .split('\n')
    .map((line) => line.replace(/^[\s>*+-]*#*\s*/, '').trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
  const [title, ...rest] = lines;
  if (title === undefined) return '';
  return oneLine(rest.length === 0 ? title : `${title.replace(/[.:]$/, '')}: ${rest.join(' ')}`);
}

/** The layer's text; '' is never given: a project without a word about itself gets a hint (M-1). */
export function identity(
  name: string,
  words: string,
  counts: Counts | undefined,
  count: (text: string) => number,
  maxTokens = IDENTITY_TOKENS,
): string {
  const facts = counts === undefined ? '' : factsLine(name, counts);
  const hint = `${oneLine(name)}: no CLAUDE.md, AGENTS.md or README says what it is.`;
  const write = (head: string) => [HEADING, head, ...(facts === '' ? [] : [facts])].join('\n');
  if (words === '') {
    for (const text of [write(hint), write(oneLine(name).slice(0, 40)), HEADING])
      if (count(text) <= maxTokens) return text;
    return '';
  }
  const parts = words.split(' ');
  let low = 0;
  let high = Math.min(parts.length, maxTokens);
  const shown = (n: number) => (n === parts.length ? words : `${parts.slice(0, n).join(' ')}…`);
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (count(write(shown(mid))) <= maxTokens) low = mid;
    else high = mid - 1;
  }
  if (low > 0) return write(shown(low));
  return identity(name, '', counts, count, maxTokens);
}

function factsLine(name: string, c: Counts): string {
  const kinds = c.kinds.slice(0, 4).map(([kind, n]) => `${n} ${oneLine(kind).slice(0, 12)}`);
  const which = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  return `${oneLine(name).slice(0, 40)}: ${c.files} files${which}, ${c.topics} topics`;
}
