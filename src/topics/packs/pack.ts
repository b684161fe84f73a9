// What a language says when topics change, go on or come back. Type only.

export interface Pack {
  /** ISO 639-1. */
  language: string;
  /** "Let's change the subject": decisive at the start of an input, a sentence or a line. */
  shift: readonly string[];
  /** "Back to": an older topic is meant. */
  back: readonly string[];
  /** Answers without content: yes, no, proceed, thanks. */
  ack: readonly string[];
  /** A matter ends: that's all, goodbye. */
  close: readonly string[];
  /** Goes on with what was said: and, also, what about. */
  connect: readonly string[];
  /** Asks for something, as first sentences of a matter do. */
  request: readonly string[];
  /** Points at what was said: it, that one, the same. */
  anaphor: readonly string[];
  /** Words that tell nothing. */
  stop: readonly string[];
}

/** A list from one string: items between bars. */
export function items(text: string): string[] {
  return text
    .split('|')
    .map((s) => s.trim())
    .filter((s) => s !== '');
}
