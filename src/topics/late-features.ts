// What the rule looks at when the reply is known, besides: words one by one against those said before, names and identifiers
// that come again, and how long topics last here. Too dear to ask at each input. Pure.

import { findWords } from './telling.js';
import type { Topic } from './topic.js';
import type { Said, Utterance } from './utterance.js';

/** How the session was parted so far. */
export interface Spans {
  exchanges: number;
  shifts: number;
  /** Exchanges of a closed topic, in the middle of the newest; undefined when none is closed. */
  usualSpan: number | undefined;
}

export interface LateScene extends Spans {
  topic: Topic;
  input: Utterance;
  reply: Utterance;
  lastInput: Said;
  lastReply: Said;
}

export const LATE = [
  'wordsLastReply',
  'wordsLastInput',
  'wordsTopic',
  'wordsTopicBest',
  'wordsTopicNear',
  'wordsLastReplyTail',
  'wordsHead',
  'rare',
  'rareShared',
  'rareShare',
  'shiftRate',
  'span',
  'logExchanges',
  'spanRatio',
  'closed',
  'rWordsLastReply',
  'rWordsTopic',
  'rWordsTopicBest',
  'rWordsTopicNear',
  'rWordsHead',
  'rWordsInput',
  'rRare',
  'rRareShared',
  'rRareShare',
  'pairRareShare',
] as const;

/** Words looked up: of an input, of a reply; and words they are looked up in. */
const INPUT = 16;
const REPLY = 24;
const ALL = 64;
/** Shifts an exchange, and exchanges a topic, before the session has shown its own. */
const RATE = { shifts: 1.2, exchanges: 4 } as const;
const SPAN = 4;
const SPAN_MOST = 8;
/** Share of rare words known to the topic where there are none. */
const UNKNOWN = 0.3;

/** Fills `x`; returns how many. */
export function lateFeatures(scene: LateScene, x: Float64Array): number {
  const { topic, lastInput, lastReply, exchanges, shifts, usualSpan } = scene;
  const input = scene.input.telling;
  const reply = scene.reply.telling;
  const known = (stems: ReadonlySet<number>): number => {
    let n = 0;
    for (const stem of stems) if (topic.user.has(stem) || topic.assistant.has(stem)) n += 1;
    return n;
  };
  const share = (shared: number, all: number) => (all > 0 ? shared / all : UNKNOWN);
  let k = 0;

  const inTopic = findWords(input.first, INPUT, topic.newest, ALL, input.headed);
  x[k++] = findWords(input.first, INPUT, lastReply.top, ALL).mean;
  x[k++] = findWords(input.first, INPUT, lastInput.first, ALL).mean;
  x[k++] = inTopic.mean;
  x[k++] = inTopic.best;
  x[k++] = Math.log1p(inTopic.near);
  x[k++] = findWords(input.first, INPUT, lastReply.tail, ALL).mean;
  x[k++] = inTopic.headed;
  const shared = known(input.rare);
  x[k++] = Math.log1p(input.rare.size);
  x[k++] = Math.log1p(shared);
  x[k++] = share(shared, input.rare.size);
  x[k++] = (shifts + RATE.shifts) / (exchanges + RATE.exchanges);
  x[k++] = Math.min(topic.inputs, SPAN_MOST) / SPAN_MOST;
  x[k++] = Math.log1p(exchanges);
  x[k++] = Math.log((topic.inputs + 1) / ((usualSpan ?? SPAN) + 1));
  x[k++] = usualSpan === undefined ? 0 : 1;

  const replyInTopic = findWords(reply.top, REPLY, topic.newest, ALL);
  x[k++] = findWords(reply.top, REPLY, lastReply.top, ALL).mean;
  x[k++] = replyInTopic.mean;
  x[k++] = replyInTopic.best;
  x[k++] = Math.log1p(replyInTopic.near);
  x[k++] = findWords(reply.head, REPLY, topic.newest, ALL).mean;
  x[k++] = findWords(reply.top, REPLY, input.first, INPUT).mean;
  const replyShared = known(reply.rare);
  x[k++] = Math.log1p(reply.rare.size);
  x[k++] = Math.log1p(replyShared);
  x[k++] = share(replyShared, reply.rare.size);
  let both = reply.rare.size;
  let bothShared = replyShared;
  for (const stem of input.rare) {
    if (reply.rare.has(stem)) continue;
    both += 1;
    if (topic.user.has(stem) || topic.assistant.has(stem)) bothShared += 1;
  }
  x[k++] = share(bothShared, both);
  return k;
}
