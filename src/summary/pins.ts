// Lines of a summary that no shortening may drop: what was decided in the first turn holds for all that follows, however
// little room there is. Pure.

import { framed, wellFormed } from './escape.js';
import { clip, keySentences } from './sentences.js';
import type { Said } from './source.js';

const HEADING = 'Decided at the start:';
/** A line that has so many of a sentence's words says it. */
const SAYS = 0.8;

/**
 * Decisions among the first turn's messages, the earliest first, as many as the budget takes. The first one is there
 * whatever the budget, cut to it.
 * @param budget tokens of all of them
 */
export function firstDecisions(
  messages: readonly Said[],
  budget: number,
  count: (text: string) => number,
): string[] {
  const found: string[] = [];
  let left = budget;
  for (const { kind, text } of keySentences(messages)) {
    if (kind !== 'decision') continue;
    const line = wellFormed(framed(text));
    const cost = count(line) + 2;
    if (cost <= left) {
      found.push(line);
      left -= cost;
    } else if (found.length === 0) {
      const share = Math.max(24, Math.floor((line.length * Math.max(1, left - 2)) / cost));
      return [wellFormed(clip(line, share))];
    }
  }
  return found;
}

/** A text that says all of `wanted`, and the lines of it that do. What it says in words of its own is not said twice. */
export function pinned(text: string, wanted: readonly string[]): { text: string; pins: string[] } {
  const lines = text.split('\n');
  const pins: string[] = [];
  const missing: string[] = [];
  for (const sentence of wanted) {
    const line = lines.find((l) => l.includes(sentence)) ?? lines.find((l) => says(l, sentence));
    if (line !== undefined) pins.push(line.trim());
    else missing.push(`- ${sentence}`);
  }
  if (missing.length === 0) return { text, pins };
  return { text: `${HEADING}\n${missing.join('\n')}\n\n${text}`, pins: [...missing, ...pins] };
}

function says(line: string, sentence: string): boolean {
  const words = wordsOf(sentence);
  if (words.size < 3) return false;
  const there = wordsOf(line);
  let n = 0;
  for (const word of words) if (there.has(word)) n += 1;
  return n >= SAYS * words.size;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []);
}
