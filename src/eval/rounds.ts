// What an agent does between two answers of the model, read off a recorded part: what came back from tools, what the user
// said, and which kind of turn end lies there. Pure.
import type { Native } from '../json/native.js';
import { specOf } from '../providers/spec.js';
import type { Format } from '../providers/types.js';
import type { RecordedUsage } from './conversation.js';
import type { Part } from './parts.js';

/** One request: what is new before it, and the answer that was recorded. */
export interface Round {
  /** Messages that only carry results of the calls before: appended before the turn or round ends. */
  results: Native[];
  /** The rest of what is new: goes into `llm.prepare`. */
  news: Native[];
  /** A user's own words are among the news: the turn before them ended. */
  userTurn: boolean;
  answer: Native;
  usage: RecordedUsage | undefined;
}

/** Messages after the last answer belong to no request and are left out. */
export function roundsOf(part: Part, format: Format): Round[] {
  const spec = specOf(format);
  const rounds: Round[] = [];
  let results: Native[] = [];
  let news: Native[] = [];
  let userTurn = false;
  for (const { native, usage } of part.messages) {
    const reading = spec.read(native);
    if (reading.role === 'assistant') {
      rounds.push({ results, news, userTurn, answer: native, usage });
      results = [];
      news = [];
      userTurn = false;
      continue;
    }
    const onlyResults = reading.parts.length > 0 && reading.parts.every((p) => p.kind === 'tool_result');
    if (onlyResults && news.length === 0) results.push(native);
    else news.push(native);
    if (reading.role === 'user' && reading.ownText.trim() !== '') userTurn = true;
  }
  return rounds;
}
