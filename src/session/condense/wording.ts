// The text of a summary within its bounds: how much of the user's own words and of the blocks it holds.

import { bounded, type SummaryBlock } from '../../summary/blocks.js';
import { type Composition, chooseWords, compose, type UserWords } from '../../summary/compose.js';
import type { Session } from '../session.js';
import { summaryBound, wordsBound } from './request.js';

/** Tokens that blocks keep in any case, and words. */
const LEAST = 16;

export interface Wording {
  text: string;
  tokens: number;
  /** As far as they stand in the text. */
  blocks: SummaryBlock[];
}

/**
 * @param all blocks, oldest first
 * @param words what the user said in the range
 * @param frees tokens that leave the view for it
 */
export function wordingOf(
  session: Session,
  frame: Omit<Composition, 'users' | 'omitted' | 'blocks'>,
  all: readonly SummaryBlock[],
  words: readonly UserWords[],
  frees: number,
): Wording {
  const count = (text: string) => session.countShort(text);
  const made = (forBlocks: number, forWords: number): Wording => {
    const blocks = bounded(all, forBlocks, count);
    const text = compose({ ...frame, ...chooseWords(words, forWords, count), blocks });
    return { text, tokens: count(text), blocks };
  };
  const most = session.settings.curated.summary.maxTokens;
  let forBlocks = summaryBound(session);
  let forWords = wordsBound(session);
  let best = made(forBlocks, forWords);
  // Where the user said most of what goes, their words alone make a summary that is no smaller (L4-13): then fewer of them
  // stand in it, until it is half. The handle has them all.
  if (best.tokens >= frees) {
    let fewer = best;
    for (let left = Math.min(forWords, best.tokens); left > LEAST && fewer.tokens > frees / 2; ) {
      left = Math.max(LEAST, Math.floor(left / 2));
      fewer = made(forBlocks, left);
      if (fewer.tokens < best.tokens) [best, forWords] = [fewer, left];
    }
  }
  if (most === undefined) return best;
  // Headings and frames count too: first the blocks give way, then the words, at last small blocks are joined.
  for (let tries = 0; best.tokens > most && tries < 12; tries += 1) {
    const over = best.tokens - most;
    const own = best.blocks.reduce((sum, b) => sum + count(b.text), 0);
    // What blocks keep in any case may be more than that: then asking them again brings nothing.
    if (own > LEAST && forBlocks > LEAST) forBlocks = Math.max(LEAST, Math.min(forBlocks, own) - over);
    else if (forWords > LEAST) forWords = Math.max(LEAST, Math.floor(Math.min(forWords, most) / 2));
    else if (best.blocks.length > 1)
      forBlocks = Math.max(1, own - 1); // each has a frame of its own: fewer of them
    else break;
    best = made(forBlocks, forWords);
  }
  return best;
}
