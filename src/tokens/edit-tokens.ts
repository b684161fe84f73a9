// What an edit changes in the tokens of the message it stands in, counted as the message itself was: by what a reading of
// the edited text has and the reading before had not. Pure; knows readings and a counter, no ledger.

import type { ImageRule, Reading } from '../providers/types.js';
import { measureMessage } from './request-count.js';

/**
 * Tokens of `after` less those of `before`, exact: only texts that differ are counted.
 * @param count tokens of one text
 */
export function tokensChanged(
  before: Reading,
  after: Reading,
  rule: ImageRule,
  count: (text: string) => number,
): number {
  const old = measureMessage(before, rule);
  const now = measureMessage(after, rule);
  let delta = now.flat - old.flat;
  for (const part of now.parts) delta += part.flat;
  for (const part of old.parts) delta -= part.flat;
  const left = new Map<string, number>();
  for (const text of old.texts) left.set(text, (left.get(text) ?? 0) + 1);
  for (const text of now.texts) {
    const same = left.get(text) ?? 0;
    if (same > 0) left.set(text, same - 1);
    else delta += count(text);
  }
  for (const [text, times] of left) if (times > 0) delta -= times * count(text);
  return delta;
}
