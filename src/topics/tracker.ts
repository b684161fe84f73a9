// The topics of one conversation: takes in what is said, gives numbers about the newest input, and moves on when it is told
// whether that was a shift. It decides nothing. Pure; costs per call what came new.

import { endFeatures, inputFeatures, nearness, type Scene, USUAL_INPUT, USUAL_REPLY } from './features.js';
import { gateFeatures, isAboutCode } from './gate.js';
import { dot } from './hashed.js';
import { lateFeatures, type Spans } from './late-features.js';
import { MEANING_DIMS } from './meaning.js';
import { Topic } from './topic.js';
import { Usual } from './usual.js';
import { copy, hush, type Said, silence, Utterance } from './utterance.js';

/** UTF-16 units that are read of an input and of all replies of a turn. */
export const INPUT_CHARS = 1600;
export const REPLY_CHARS = 2400;
/** Closed topics that are kept whole; a return to an older one starts from its centroid alone. */
const KEPT = 16;
/** Closed topics that a return is looked for in: an input is compared with so many, however long the session is. */
const PAST_MOST = 256;
/** What likeness of meaning adds to likeness of spelling when topics are compared. */
const MEANING_SHARE = 0.3;
/** Words of a session that are counted; what comes later is rare. */
const SESSION_WORDS = 8000;

export interface PastTopic {
  /** Turn and stored message with which it began. */
  start: number;
  message: number;
  /** Exchanges in it. */
  exchanges: number;
  hashed: Float32Array;
  meaning: Float32Array;
  topic: Topic | undefined;
}

export interface Match {
  past: PastTopic;
  /** Likeness, about 0 to 1: spelling and meaning together. */
  score: number;
}

/** What stays of an utterance once it is part of a topic. */
interface Past {
  said: Said;
  stems: Set<number>;
}

/**
 * Words of the open exchange are read into these; a tracker that finds another's words there reads its own text again. So a
 * session holds no word lists of its own.
 */
const scratch = {
  input: new Utterance(),
  reply: new Utterance(),
  inputOf: undefined as Tracker | undefined,
  replyOf: undefined as Tracker | undefined,
};

const near = new Float64Array(4);

export class Tracker {
  topic = new Topic(0, 0, MEANING_DIMS);
  readonly past: PastTopic[] = [];
  readonly #session = new Map<number, number>();
  #texts = 0;
  #exchanges = 0;
  /** Exchanges in which something of code was named. */
  #coded = 0;
  #shifts = 0;
  #inputText = '';
  #replyText = '';
  /** Utterances that somebody else has read and keeps. */
  #givenInput: Utterance | undefined;
  #givenReply: Utterance | undefined;
  #inputWords = new Set<number>();
  readonly #lastInput: Past = { said: silence(), stems: new Set() };
  readonly #lastReply: Past = { said: silence(), stems: new Set() };
  readonly #usual = new Usual(USUAL_INPUT);
  readonly #usualReply = new Usual(USUAL_REPLY);
  #open = false;
  #turn = 0;
  #message = 0;

  /** An input waits for `fold`. */
  get open(): boolean {
    return this.#open;
  }

  /** The open input. */
  get input(): Utterance {
    if (this.#givenInput !== undefined) return this.#givenInput;
    if (scratch.inputOf !== this) {
      scratch.input.read(this.#inputText, INPUT_CHARS);
      scratch.inputOf = this;
    }
    return scratch.input;
  }

  get #reply(): Utterance {
    if (this.#givenReply !== undefined) return this.#givenReply;
    if (scratch.replyOf !== this) {
      scratch.reply.read(this.#replyText, REPLY_CHARS);
      scratch.replyOf = this;
    }
    return scratch.reply;
  }

  /** Nothing was said before the open input. */
  get fresh(): boolean {
    return this.topic.inputs === 0 && this.past.length === 0;
  }

  /** A new input of the user. The one before must be folded. */
  read(said: string | Utterance, turn: number, message: number): void {
    this.#givenInput = typeof said === 'string' ? undefined : said;
    this.#inputText = typeof said === 'string' ? said.slice(0, INPUT_CHARS) : '';
    this.#givenReply = undefined;
    this.#replyText = '';
    if (scratch.inputOf === this) scratch.inputOf = undefined;
    if (scratch.replyOf === this) scratch.replyOf = undefined;
    this.#open = true;
    this.#turn = turn;
    this.#message = message;
  }

  /** As `answer`, with all of the turn's words read already. */
  answerRead(said: Utterance): void {
    this.#givenReply = said;
  }

  /** Words of the assistant in answer to the open input. */
  answer(text: string): void {
    if (this.#replyText.length >= REPLY_CHARS) return;
    this.#replyText += (this.#replyText === '' ? '' : '\n') + text.slice(0, REPLY_CHARS);
    if (scratch.replyOf === this) scratch.replyOf = undefined;
  }

  get answered(): boolean {
    return this.#replyText !== '' || this.#givenReply !== undefined;
  }

  /** Numbers about the open input. @returns how many */
  atInput(x: Float64Array): number {
    return inputFeatures(this.#scene(this.input), x);
  }

  /** Numbers about the open input and its reply. @returns how many */
  atEnd(x: Float64Array): number {
    const reply = this.#reply;
    stems(this.input, this.#inputWords);
    const scene = { ...this.#scene(reply), reply, inputWords: this.#inputWords };
    const n = endFeatures(scene, x);
    return n + lateFeatures({ ...scene, reply, ...this.#spans() }, x.subarray(n));
  }

  /**
   * Numbers that the gate asks for about the open input and its reply.
   * @param end filled by `atEnd`
   * @returns how many
   */
  atGate(end: ArrayLike<number>, x: Float64Array): number {
    const { topic, input } = this;
    return gateFeatures({ topic, input, reply: this.#reply, sessionWords: this.#session }, end, x);
  }

  /** The session is about code, the open exchange included. */
  get aboutCode(): boolean {
    return isAboutCode(this.#coded + (this.#names ? 1 : 0), this.#exchanges + 1);
  }

  /** The open exchange names something of code. */
  get #names(): boolean {
    return this.input.telling.named.size > 0 || (this.answered && this.#reply.telling.named.size > 0);
  }

  /** Cosine of the open input with the running topic, by the default embedder. */
  get similarity(): number {
    return this.topic.centroid.cosine(this.input.hashed);
  }

  /** Closed topics by their likeness to the open input and, once there is one, its reply. */
  matches(): Match[] {
    const withReply = this.answered;
    return this.past
      .map((past) => ({ past, score: this.#likeness(past.hashed, past.meaning, withReply) }))
      .sort((a, b) => b.score - a.score);
  }

  /** Likeness of the open exchange to the running topic, on the scale of `matches`. */
  get likeness(): number {
    return this.#likeness(this.topic.centroid.unit(), this.topic.meaning.unit(), this.answered);
  }

  #likeness(hashed: Float32Array, meaning: Float32Array, withReply: boolean): number {
    const a = dot(hashed, this.input.hashed) + MEANING_SHARE * dot(meaning, this.input.meaning);
    if (!withReply) return a;
    return (
      0.7 * a + 0.3 * (dot(hashed, this.#reply.hashed) + MEANING_SHARE * dot(meaning, this.#reply.meaning))
    );
  }

  /**
   * Takes the open exchange into its topic.
   * @param shift it begins another topic
   * @param returnedTo the closed topic that goes on
   */
  fold(shift: boolean, returnedTo?: PastTopic): void {
    if (!this.#open) return;
    const input = this.input;
    const reply = this.answered ? this.#reply : undefined;
    if (!shift && this.topic.inputs > 0) {
      const scene = this.#scene(input);
      if (input.embedded) this.#usual.add(nearness(scene, input, near));
      if (reply?.embedded) this.#usualReply.add(nearness(scene, reply, near));
    }
    this.#exchanges += 1;
    if (this.#names) this.#coded += 1;
    if (shift && this.topic.inputs > 0) {
      this.#shifts += 1;
      this.#close();
      this.topic = this.#begin(returnedTo);
    }
    const { topic } = this;
    topic.inputs += 1;
    topic.take(input.words, topic.user);
    if (input.embedded) {
      topic.inputsCentroid.add(input.hashed);
      topic.centroid.add(input.hashed);
      topic.meaning.add(input.meaning);
    }
    if (reply !== undefined) topic.take(reply.words, topic.assistant);
    topic.tell(input.telling.first, reply?.telling.top);
    if (reply?.embedded) {
      topic.centroid.add(reply.hashed);
      topic.meaning.add(reply.meaning);
    }
    this.#keep(this.#lastInput, input);
    this.#keep(this.#lastReply, reply);
    this.#open = false;
    this.#inputText = '';
    this.#replyText = '';
    this.#givenInput = undefined;
    this.#givenReply = undefined;
  }

  #keep(last: Past, said: Utterance | undefined): void {
    if (said === undefined) {
      hush(last.said);
      last.stems.clear();
      return;
    }
    copy(said, last.said);
    stems(said, last.stems);
    if (said.words.n === 0) return;
    this.#texts += 1;
    for (const stem of last.stems) {
      const n = this.#session.get(stem) ?? 0;
      if (n > 0 || this.#session.size < SESSION_WORDS) this.#session.set(stem, n + 1);
    }
  }

  #close(): void {
    const { topic, past } = this;
    past.push({
      start: topic.start,
      message: topic.message,
      exchanges: topic.inputs,
      hashed: topic.centroid.unit(),
      meaning: topic.meaning.unit(),
      topic,
    });
    const old = past[past.length - 1 - KEPT];
    if (old !== undefined) old.topic = undefined;
    if (past.length > PAST_MOST) past.shift();
  }

  #begin(returnedTo: PastTopic | undefined): Topic {
    const topic = new Topic(this.#turn, this.#message, MEANING_DIMS);
    if (returnedTo?.topic === undefined) return topic;
    for (const [stem, n] of returnedTo.topic.user) topic.user.set(stem, n);
    for (const [stem, n] of returnedTo.topic.assistant) topic.assistant.set(stem, n);
    topic.centroid.add(returnedTo.hashed);
    topic.inputsCentroid.add(returnedTo.topic.inputsCentroid.unit());
    topic.meaning.add(returnedTo.meaning);
    topic.newest.copy(returnedTo.topic.newest);
    return topic;
  }

  #spans(): Spans {
    const closed = this.past.slice(-KEPT).map((p) => p.exchanges);
    const usualSpan = closed.sort((a, b) => a - b)[closed.length >> 1];
    return { exchanges: this.#exchanges, shifts: this.#shifts, usualSpan };
  }

  #scene(newest: Utterance): Scene {
    let past = 0;
    const from = Math.max(0, this.past.length - KEPT);
    for (let i = from; i < this.past.length; i += 1)
      past = Math.max(past, dot(this.past[i]!.hashed, newest.hashed));
    return {
      topic: this.topic,
      input: this.input,
      lastInput: this.#lastInput.said,
      lastReply: this.#lastReply.said,
      lastInputWords: this.#lastInput.stems,
      lastReplyWords: this.#lastReply.stems,
      sessionWords: this.#session,
      sessionTexts: this.#texts,
      past,
      usual: this.#usual,
      usualReply: this.#usualReply,
    };
  }
}

function stems(said: Utterance, into: Set<number>): Set<number> {
  into.clear();
  const { words } = said;
  for (let i = 0; i < words.n; i += 1) if (words.weight[i]! >= 0.06) into.add(words.stem[i]!);
  return into;
}
