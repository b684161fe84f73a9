// Who is asked besides in sessions about code when few shifts are wanted and nearly all of them right: a few numbers, weighed
// for those sessions above all, where the net alone is surest of itself when it is wrong; elsewhere the net does better without.
// Pure. How the weights are found: eval/learn.ts.

import { END_FEATURES } from './features.js';
import { logOdds, type Net, product, sigmoid } from './net.js';
import type { Topic } from './topic.js';
import type { Utterance } from './utterance.js';

export interface Gate {
  readonly names: readonly string[];
  readonly weights: readonly number[];
  /** Likelihood from which on both together say yes. */
  readonly threshold: number;
}

/** What it looks at of the numbers known at the turn's end. More of them learn the sessions by heart: there are few to learn from. */
const OF_END = [
  'bias',
  'rWordsLastReply',
  'pairCos',
  'rWordsTopicNear',
  'rCosTopic',
  'rdCosTopic',
  'noveltyLong',
  'ackFirst',
  'connectFirst',
  'connectSecond',
  'anaphors',
  'requestFirst',
  'lastReplyAsks',
  'logTurns',
  'closed',
  'content',
] as const;
const AT = OF_END.map((name) => END_FEATURES.indexOf(name));

export const GATE_FEATURES: readonly string[] = [...OF_END, 'namedShare', 'namedNew'];

/**
 * From this share of exchanges with a file, flag or identifier in them on, a session is about code. Of the marked dialogues and
 * chats none is above it in the end, each coding session has nearly twice as much.
 */
const CODE_SHARE = 0.4;

/** @param coded exchanges of a session that name something of code, of so many in all */
export function isAboutCode(coded: number, exchanges: number): boolean {
  return coded >= CODE_SHARE * exchanges;
}

/** Share of files, flags and identifiers known to the topic where there are none. */
const UNKNOWN = 0.3;
/** The gate's word counts so often beside the net's. */
const GATE_SHARE = 2;

export interface GateScene {
  topic: Topic;
  input: Utterance;
  reply: Utterance;
  /** Stems said in the session so far. */
  sessionWords: ReadonlyMap<number, number>;
}

/**
 * Fills `out`.
 * @param end the numbers at the turn's end
 * @returns how many
 */
export function gateFeatures(scene: GateScene, end: ArrayLike<number>, out: Float64Array): number {
  const { topic, sessionWords } = scene;
  const mine = scene.input.telling.named;
  let all = 0;
  let known = 0;
  let fresh = 0;
  const count = (stem: number): void => {
    all += 1;
    if (topic.user.has(stem) || topic.assistant.has(stem)) known += 1;
    else if (!sessionWords.has(stem)) fresh += 1;
  };
  for (const stem of mine) count(stem);
  for (const stem of scene.reply.telling.named) if (!mine.has(stem)) count(stem);
  let k = 0;
  for (const at of AT) out[k++] = end[at]!;
  out[k++] = all > 0 ? known / all : UNKNOWN;
  out[k++] = Math.log1p(fresh);
  return k;
}

/** Likelihood of a shift by net and gate together: the mean of their log-odds. */
export function together(
  net: Pick<Net, 'weights' | 'units'>,
  gate: Pick<Gate, 'weights'>,
  end: ArrayLike<number>,
  x: ArrayLike<number>,
): number {
  const said = product(gate.weights, 0, x, gate.weights.length);
  return sigmoid((logOdds(net, end) + GATE_SHARE * said) / (1 + GATE_SHARE));
}
