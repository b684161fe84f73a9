// The default classifier: is the newest input the start of another topic? Asked twice, at the input and when the reply is
// known. Guards first, then a small trained rule over cheap features. Pure.

import { together } from './gate.js';
import { HASHED } from './hashed.js';
import { probability } from './net.js';
import type { Rule } from './rule.js';
import type { Match, Tracker } from './tracker.js';
import type { Utterance } from './utterance.js';
import { WEIGHTS } from './weights.js';

export type Sensitivity = 'balanced' | 'precise';

export interface Verdict {
  shift: boolean;
  /** Of a shift; 0 where a guard answered. */
  probability: number;
  /** The probability that was asked for. */
  threshold: number;
  /** Cosine of the input (and its reply) with the topic by the default embedder. */
  similarity: number;
  /** A pack's phrase said so. */
  phrase: boolean;
  /** Start of the closed topic that goes on. */
  returned?: Match;
}

const x = new Float64Array(256);
const g = new Float64Array(64);

/** Says nothing of its own: yes, no, proceed, thanks, in any language known. Never a shift. */
export function isContentless(said: Utterance): boolean {
  const { words, cues, content, mass } = said;
  return words.n === 0 || cues.empty >= words.n || (content === 0 && mass < 0.6);
}

export class TopicModel {
  readonly #rule: Rule;

  constructor(rule: Rule = WEIGHTS) {
    this.#rule = rule;
  }

  /** At the input, before the model has answered. */
  provisional(tracker: Tracker, sensitivity: Sensitivity = 'balanced'): Verdict {
    const guarded = this.#guard(tracker);
    if (guarded !== undefined) return guarded;
    const { input, precise } = this.#rule;
    tracker.atInput(x);
    const threshold = sensitivity === 'precise' ? precise.input : input.threshold;
    return this.#verdict(tracker, probability(input, x), threshold);
  }

  /** At the turn's end, with the reply's words. Without a reply it says what it said at the input. */
  final(tracker: Tracker, sensitivity: Sensitivity = 'balanced'): Verdict {
    if (!tracker.answered) return this.provisional(tracker, sensitivity);
    const guarded = this.#guard(tracker);
    if (guarded !== undefined) return guarded;
    const { end, precise } = this.#rule;
    tracker.atEnd(x);
    if (sensitivity !== 'precise') return this.#verdict(tracker, probability(end, x), end.threshold);
    if (!tracker.aboutCode) return this.#verdict(tracker, probability(end, x), precise.end);
    tracker.atGate(x, g);
    return this.#verdict(tracker, together(end, precise.gate, x, g), precise.gate.threshold);
  }

  #guard(tracker: Tracker): Verdict | undefined {
    const none = { probability: 0, threshold: 0, similarity: 0, phrase: false };
    if (isContentless(tracker.input)) return { ...none, shift: false };
    if (tracker.input.cues.shiftAt >= 0) return { ...none, shift: true, phrase: true };
    if (tracker.fresh) return { ...none, shift: false };
    return undefined;
  }

  #verdict(tracker: Tracker, p: number, threshold: number): Verdict {
    const shift = p >= threshold;
    const returned = shift ? returnOf(tracker) : undefined;
    return {
      shift,
      probability: p,
      threshold,
      similarity: tracker.similarity,
      phrase: false,
      ...(returned === undefined ? {} : { returned }),
    };
  }
}

/** The closed topic that the open exchange goes back to, if one is near enough and nearer than the running one. */
export function returnOf(tracker: Tracker): Match | undefined {
  const best = tracker.matches()[0];
  if (best === undefined || best.score < HASHED.returnThreshold) return undefined;
  return best.score > tracker.likeness ? best : undefined;
}
