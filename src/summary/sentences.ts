// Sentences that carry a decision, a reason, an error or a next step: found by cue words, in order of appearance. Pure.

import type { Said } from './source.js';

export type Kind = 'decision' | 'rationale' | 'error' | 'next_step';

export interface Sentence {
  kind: Kind;
  text: string;
  at: number;
  weight: number;
}

const CUES: readonly [Kind, RegExp, number][] = [
  [
    'decision',
    /\b(decid\w+|decision|chose|choose|opt(?:ed)? for|instead of|rather than|rejected?|ruled out|won't|do not|don't|never|must|prefer\w*|settled on|going with|let's (?:use|keep|go)|we(?:'ll| will) (?:use|keep|go)|agreed|approved)\b|决定|选择|而不是|不要|必须/i,
    3,
  ],
  [
    'rationale',
    /\b(because|since|so that|the reason|root cause|turns out|due to|the (?:problem|issue|bug|cause) (?:is|was)|that's why|explains)\b|因为|原因/i,
    2,
  ],
  [
    'error',
    /\b(fix(?:ed|es)?|fail(?:s|ed|ing|ure)?|error|broke|broken|bug|regress\w*)\b|错误|失败|修复/i,
    1.5,
  ],
  [
    'next_step',
    /\b(next(?: step)?s?|todo|remaining|still (?:need|have) to|blocked|then (?:we|i)|now (?:let me|i'll|i will|i need)|let me|will (?:add|fix|update|run|check))\b|下一步|接下来/i,
    1,
  ],
];

/** Characters of a sentence that are kept. */
const LONGEST = 280;

/** Sentences of the assistant's and the user's own text; the first cue that holds names the kind. */
export function keySentences(messages: readonly Said[]): Sentence[] {
  const found: Sentence[] = [];
  const known = new Set<string>();
  messages.forEach((m, i) => {
    if (m.role !== 'assistant' && m.role !== 'user') return;
    const age = (messages.length - i) / Math.max(1, messages.length);
    for (const text of sentencesOf(m.text)) {
      const cue = CUES.find(([, re]) => re.test(text));
      if (cue === undefined) continue;
      const key = text.toLowerCase().replace(/\W+/g, ' ').trim();
      if (key.length < 12 || known.has(key)) continue;
      known.add(key);
      // What was decided holds until it is decided anew: its age says nothing.
      const fresh = cue[0] === 'decision' ? 1 : 1.5 - age;
      found.push({ kind: cue[0], text: clip(text), at: m.at, weight: cue[2] * fresh });
    }
  });
  return found;
}

/** Lines and sentences of a text, code blocks left out. */
export function sentencesOf(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?(?:```|$)/g, '\n');
  return prose
    .split(/\n+|(?<=[.!?。！？])\s+/)
    .map((s) => s.replace(/^[\s>#*\-•\d.)]+/, '').trim())
    .filter((s) => s.length >= 8);
}

export function clip(text: string, max = LONGEST): string {
  if (text.length <= max) return text;
  const end = (text.charCodeAt(max - 2) & 0xfc00) === 0xd800 ? max - 2 : max - 1;
  return `${text.slice(0, end)}…`;
}
