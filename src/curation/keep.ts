// Which results a keep rule protects: the newest by uses, turns, messages or tokens. Pure.

import type { KeepSettings } from '../settings/types.js';
import type { Survey } from './survey.js';

export interface KeepLine {
  /** True when the session has keep rules of its own; then they, not age and size, say what is old. */
  ruled: boolean;
  /** Results from this index on are kept. */
  results: number;
  /** Messages from this position on are kept. */
  messages: number;
}

/** Messages at the head that are the system's. */
export function systemEnd(messages: Survey['messages']): number {
  let end = 0;
  while (end < messages.length && messages[end]!.reading.role === 'system') end += 1;
  return end;
}

/** The first result and message that the keep rules protect. O(kept), not O(history). */
export function keepLine(survey: Pick<Survey, 'messages' | 'calls'>, keep: KeepSettings): KeepLine {
  const { messages, calls } = survey;
  const line: KeepLine = { ruled: false, results: calls.results.length, messages: messages.length };
  if (keep.toolUses !== undefined) {
    line.ruled = true;
    line.results = Math.max(0, calls.results.length - keep.toolUses);
  }
  if (keep.messages !== undefined) {
    line.ruled = true;
    line.messages = Math.min(line.messages, Math.max(0, messages.length - keep.messages));
  }
  if (keep.turns !== undefined) {
    line.ruled = true;
    let turns = 0;
    let at = messages.length;
    while (at > 0 && turns < keep.turns) {
      at -= 1;
      const m = messages[at]!;
      if (m.reading.role === 'user' && m.reading.ownText !== '') turns += 1;
    }
    line.messages = Math.min(line.messages, turns < keep.turns ? 0 : at);
  }
  if (keep.tokens !== undefined) {
    line.ruled = true;
    let tokens = 0;
    let at = messages.length;
    while (at > 0 && tokens + messages[at - 1]!.tokens <= keep.tokens) {
      at -= 1;
      tokens += messages[at]!.tokens;
    }
    line.messages = Math.min(line.messages, at);
  }
  return line;
}
