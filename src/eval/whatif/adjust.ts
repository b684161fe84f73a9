// What a request would have used with its history edited: the recorded classes, less what was cleared, with the rewrite
// behind the first edit. What the provider did otherwise (pauses, other breaks) stays as it was. Pure.
import { promptTokens, type TokenClasses } from '../../economics/index.js';
import type { Baseline } from './baseline.js';

/** How the request differs from the recorded one; tokens of ours. */
export interface Change {
  /** All that is gone. */
  freed: number;
  /** What is gone of the first `tokens` of the recorded request. */
  freedWithin(tokens: number): number;
  /** Leading tokens of the edited request that are as in the edited request before; undefined: it only grew. */
  stable?: number;
}

export interface Adjusted {
  classes: TokenClasses;
  /** Provider's tokens that were cached and are written again for the edit. */
  rewritten: number;
}

export function adjust(classes: TokenClasses, b: Baseline, change: Change): Adjusted {
  const prompt = promptTokens(classes);
  if (prompt === 0 || (change.freed <= 0 && change.stable === undefined)) return { classes, rewritten: 0 };
  const freed = clamp(Math.round(b.scale * change.freed), prompt);
  const left = prompt - freed;
  const within = Math.max(0, (classes.read - b.overhead) / b.scale);
  const readFreed = clamp(Math.round(b.scale * change.freedWithin(within)), Math.min(freed, classes.read));
  const warm = Math.min(classes.read - readFreed, left);
  const stands =
    change.stable === undefined ? warm : Math.min(warm, Math.round(b.overhead + b.scale * change.stable));
  const read = stands < b.rules.minTokens ? 0 : stands;
  const rest = left - read;
  const uncached = b.caches && b.rules.writeFee ? Math.min(classes.uncached, rest) : rest;
  const written = rest - uncached;
  const wrote = classes.write5m + classes.write1h;
  const write1h = Math.round(written * (wrote > 0 ? classes.write1h / wrote : b.hour ? 1 : 0));
  return {
    classes: { uncached, read, write5m: written - write1h, write1h, output: classes.output },
    rewritten: warm - read,
  };
}

const clamp = (v: number, most: number): number => Math.min(Math.max(0, v), most);
