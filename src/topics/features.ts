// What the rule looks at: numbers about an input (and, at the turn's end, the reply) against the topic so far. Pure.

import { CUE } from './cues.js';
import { dot } from './hashed.js';
import { LATE } from './late-features.js';
import type { Topic } from './topic.js';
import type { Usual } from './usual.js';
import type { Said, Utterance } from './utterance.js';

/** Everything known at the moment of a decision. `reply` is set at the turn's end alone. */
export interface Scene {
  topic: Topic;
  input: Utterance;
  lastInput: Said;
  lastReply: Said;
  /** Stems of the last input and the last reply. */
  lastInputWords: ReadonlySet<number>;
  lastReplyWords: ReadonlySet<number>;
  /** In how many inputs and replies of the session a stem was said, and how many there were. */
  sessionWords: ReadonlyMap<number, number>;
  sessionTexts: number;
  /** What is usual here, in the order of `nearness`. */
  usual: Usual;
  usualReply: Usual;
  /** Best cosine with a closed topic. */
  past: number;
  reply?: Utterance;
  /** Stems of the input, when `reply` is set. */
  inputWords?: ReadonlySet<number>;
}

const AT_INPUT = [
  'bias',
  'overlap',
  'overlapUser',
  'overlapReply',
  'overlapLastInput',
  'bestMatch',
  'bestNew',
  'matches0',
  'matches1',
  'matches3',
  'cosTopic',
  'cosInputs',
  'cosLastReply',
  'cosLastInput',
  'meanTopic',
  'meanLastReply',
  'meanLastInput',
  'meanKnown',
  'none',
  'few',
  'content',
  'words',
  'long',
  'veryLong',
  'ackFirst',
  'ackLead',
  'emptyShare',
  'connectFirst',
  'connectSecond',
  'anaphors',
  'anaphorShare',
  'requestFirst',
  'requestSecond',
  'greetFirst',
  'greet',
  'closeNow',
  'refuse',
  'shiftCue',
  'backCue',
  'question',
  'lastReplyAsks',
  'lastReplyAsksShort',
  'lastReplyOffers',
  'lastInputCloses',
  'lastInputThanks',
  'turn1',
  'turn2',
  'turn3',
  'logTurns',
  'code',
  'past',
  'pastOver',
  'noveltyRequest',
  'noveltyLong',
  'noOverlapContent',
  'lastReplyLong',
  'lengthRatio',
  'sessionKnown',
  'offerAndRequest',
  'asksAndNoRequest',
  'dOverlap',
  'dCosTopic',
  'dCosLastReply',
  'dMeanTopic',
] as const;

const AT_END = [
  'rOverlap',
  'rOverlapUser',
  'rOverlapBoth',
  'rOverlapLastReply',
  'rBestMatch',
  'rCosTopic',
  'rCosInputs',
  'rCosLastReply',
  'rMeanTopic',
  'rMeanLastReply',
  'rCosInput',
  'rMeanInput',
  'rAsks',
  'rOffers',
  'rContent',
  'rLong',
  'rFew',
  'rSessionKnown',
  'rPast',
  'rMatches',
  'rRefuse',
  'rAckFirst',
  'rLengthRatio',
  'rNewOverlap',
  'rdOverlap',
  'rdCosTopic',
  'rdCosLastReply',
  'rdMeanTopic',
  'pairCos',
  'pairMean',
  'dPairCos',
] as const;

export const INPUT_FEATURES: readonly string[] = AT_INPUT;
export const END_FEATURES: readonly string[] = [...AT_INPUT, ...AT_END, ...LATE];

interface Overlap {
  share: number;
  user: number;
  both: number;
  best: number;
  bestNew: number;
  matches: number;
  session: number;
}

/** How a word's weight falls when all of the session uses it: what is said everywhere tells no topic. */
function local(scene: Scene, stem: number): number {
  const { sessionTexts } = scene;
  if (sessionTexts < 4) return 1;
  const seen = scene.sessionWords.get(stem) ?? 0;
  return Math.log((sessionTexts + 1) / (seen + 0.5)) / Math.log((sessionTexts + 1) / 0.5);
}

function overlap(scene: Scene, said: Utterance, without?: ReadonlySet<number>): Overlap {
  const { user, assistant } = scene.topic;
  const { words } = said;
  const o: Overlap = { share: 0, user: 0, both: 0, best: 0, bestNew: 0, matches: 0, session: 0 };
  let all = 0;
  for (let i = 0; i < words.n; i += 1) {
    const plain = words.weight[i]!;
    if (plain < 0.06) continue;
    const stem = words.stem[i]!;
    if (without?.has(stem)) continue;
    const weight = plain * plain * local(scene, stem);
    all += weight;
    const byUser = user.has(stem);
    const byAssistant = assistant.has(stem);
    if (scene.sessionWords.has(stem)) o.session += weight;
    if (byUser || byAssistant) {
      o.share += weight;
      if (byUser) o.user += weight;
      if (byUser && byAssistant) o.both += weight;
      if (weight > o.best) o.best = weight;
      if (plain >= 0.4) o.matches += 1;
    } else if (weight > o.bestNew) o.bestNew = weight;
  }
  if (all > 0) {
    o.share /= all;
    o.user /= all;
    o.both /= all;
    o.session /= all;
  }
  return o;
}

function shareIn(said: Utterance, set: ReadonlySet<number>): number {
  const { words } = said;
  let all = 0;
  let shared = 0;
  for (let i = 0; i < words.n; i += 1) {
    const weight = words.weight[i]!;
    if (weight < 0.06) continue;
    all += weight * weight;
    if (set.has(words.stem[i]!)) shared += weight * weight;
  }
  return all > 0 ? shared / all : 0;
}

const has = (kinds: number, kind: number): number => ((kinds & kind) !== 0 ? 1 : 0);

/** Averages of `nearness` over conversations at large, of inputs and of replies. */
export const USUAL_INPUT = [0.45, 0.25, 0.2, 0.45] as const;
export const USUAL_REPLY = [0.55, 0.35, 0.3, 0.6] as const;

/** How near something said comes to the topic: overlap, cosine with topic and last reply, likeness of meaning. */
export function nearness(scene: Scene, said: Utterance, out: Float64Array): Float64Array {
  out[0] = overlap(scene, said).share;
  out[1] = scene.topic.centroid.cosine(said.hashed);
  out[2] = dot(scene.lastReply.hashed, said.hashed);
  out[3] = scene.topic.meaning.cosine(said.meaning);
  return out;
}

/** Fills `x` with the features known at the input; returns how many. */
export function inputFeatures(scene: Scene, x: Float64Array): number {
  const { input, lastReply, lastInput, topic } = scene;
  const { cues, words } = input;
  const o = overlap(scene, input);
  const requestFirst = has(cues.first, CUE.request);
  const requestSecond = cues.lead > 0 ? has(cues.second, CUE.request) : 0;
  const request = Math.max(requestFirst, requestSecond);
  const cosTopic = topic.centroid.cosine(input.hashed);
  const asks = lastReply.endsInQuestion ? 1 : 0;
  const short = input.content <= 3 ? 1 : 0;
  const offers = has(lastReply.cues, CUE.offer);
  let k = 0;
  x[k++] = 1;
  x[k++] = o.share;
  x[k++] = o.user;
  x[k++] = shareIn(input, scene.lastReplyWords);
  x[k++] = shareIn(input, scene.lastInputWords);
  x[k++] = o.best;
  x[k++] = o.bestNew;
  x[k++] = o.matches === 0 ? 1 : 0;
  x[k++] = o.matches === 1 ? 1 : 0;
  x[k++] = o.matches >= 3 ? 1 : 0;
  x[k++] = cosTopic;
  x[k++] = topic.inputsCentroid.cosine(input.hashed);
  x[k++] = dot(lastReply.hashed, input.hashed);
  x[k++] = dot(lastInput.hashed, input.hashed);
  x[k++] = topic.meaning.cosine(input.meaning);
  x[k++] = dot(lastReply.meaning, input.meaning);
  x[k++] = dot(lastInput.meaning, input.meaning);
  x[k++] = input.known;
  x[k++] = input.content === 0 ? 1 : 0;
  x[k++] = short;
  x[k++] = Math.log1p(input.content);
  x[k++] = Math.log1p(words.n);
  x[k++] = words.n > 30 ? 1 : 0;
  x[k++] = words.n > 120 ? 1 : 0;
  x[k++] = has(cues.first, CUE.ack);
  x[k++] = cues.lead > 0 && words.n > cues.lead + 2 ? 1 : 0;
  x[k++] = words.n > 0 ? cues.empty / words.n : 1;
  x[k++] = has(cues.first, CUE.connect);
  x[k++] = cues.lead > 0 ? has(cues.second, CUE.connect) : 0;
  x[k++] = Math.min(cues.anaphors, 3);
  x[k++] = words.n > 0 ? cues.anaphors / words.n : 0;
  x[k++] = requestFirst;
  x[k++] = requestSecond;
  x[k++] = has(cues.first, CUE.greet);
  x[k++] = has(cues.any, CUE.greet);
  x[k++] = has(cues.any, CUE.close);
  x[k++] = has(cues.any, CUE.refuse);
  x[k++] = cues.shiftAt >= 0 ? 1 : 0;
  x[k++] = cues.backAt >= 0 ? 1 : 0;
  x[k++] = words.endsInQuestion ? 1 : 0;
  x[k++] = asks;
  x[k++] = asks * short;
  x[k++] = offers;
  x[k++] = has(lastInput.cues, CUE.close);
  x[k++] = lastInput.words > 0 && lastInput.empty / lastInput.words > 0.6 ? 1 : 0;
  x[k++] = topic.inputs <= 1 ? 1 : 0;
  x[k++] = topic.inputs === 2 ? 1 : 0;
  x[k++] = topic.inputs === 3 ? 1 : 0;
  x[k++] = Math.log1p(topic.inputs);
  x[k++] = words.code > 2 ? 1 : 0;
  x[k++] = scene.past;
  x[k++] = Math.max(0, scene.past - cosTopic);
  x[k++] = request * (1 - o.share);
  x[k++] = (1 - o.share) * Math.log1p(input.content);
  x[k++] = o.matches === 0 && input.content > 2 ? 1 : 0;
  x[k++] = Math.log1p(lastReply.words);
  x[k++] = Math.log((input.words.n + 4) / (lastInput.words + 4));
  x[k++] = o.session;
  x[k++] = offers * request;
  x[k++] = asks * (1 - request);
  x[k++] = o.share - scene.usual.at(0);
  x[k++] = cosTopic - scene.usual.at(1);
  x[k++] = dot(lastReply.hashed, input.hashed) - scene.usual.at(2);
  x[k++] = topic.meaning.cosine(input.meaning) - scene.usual.at(3);
  return k;
}

/** Fills `x` with the features known at the turn's end: those of the input, then those of the reply. */
export function endFeatures(scene: Scene, x: Float64Array): number {
  let k = inputFeatures(scene, x);
  const { topic, input, lastReply } = scene;
  const reply = scene.reply!;
  const o = overlap(scene, reply);
  const fresh = overlap(scene, reply, scene.inputWords);
  const rCosTopic = topic.centroid.cosine(reply.hashed);
  x[k++] = o.share;
  x[k++] = o.user;
  x[k++] = o.both;
  x[k++] = shareIn(reply, scene.lastReplyWords);
  x[k++] = o.best;
  x[k++] = rCosTopic;
  x[k++] = topic.inputsCentroid.cosine(reply.hashed);
  x[k++] = dot(lastReply.hashed, reply.hashed);
  x[k++] = topic.meaning.cosine(reply.meaning);
  x[k++] = dot(lastReply.meaning, reply.meaning);
  x[k++] = dot(input.hashed, reply.hashed);
  x[k++] = dot(input.meaning, reply.meaning);
  x[k++] = reply.words.endsInQuestion ? 1 : 0;
  x[k++] = has(reply.cues.any, CUE.offer);
  x[k++] = Math.log1p(reply.content);
  x[k++] = reply.words.n > 80 ? 1 : 0;
  x[k++] = reply.content <= 3 ? 1 : 0;
  x[k++] = o.session;
  x[k++] = scene.past;
  x[k++] = Math.log1p(o.matches);
  x[k++] = has(reply.cues.any, CUE.refuse);
  x[k++] = has(reply.cues.first, CUE.ack);
  x[k++] = Math.log((reply.words.n + 4) / (lastReply.words + 4));
  x[k++] = fresh.share;
  const cosInput = topic.centroid.cosine(input.hashed);
  x[k++] = o.share - scene.usualReply.at(0);
  x[k++] = rCosTopic - scene.usualReply.at(1);
  x[k++] = dot(lastReply.hashed, reply.hashed) - scene.usualReply.at(2);
  x[k++] = topic.meaning.cosine(reply.meaning) - scene.usualReply.at(3);
  x[k++] = Math.max(cosInput, rCosTopic);
  x[k++] = topic.meaning.cosine(input.meaning) + topic.meaning.cosine(reply.meaning);
  x[k++] = cosInput + rCosTopic - scene.usual.at(1) - scene.usualReply.at(1);
  return k;
}
