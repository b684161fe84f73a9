// Dialogues through the tracker, exchange by exchange, the way a session does it. Texts are read once and kept, for those
// who go over them often.

import { isContentless } from '../model.js';
import { MAX_WORDS } from '../scan.js';
import { INPUT_CHARS, REPLY_CHARS, Tracker } from '../tracker.js';
import { Utterance } from '../utterance.js';
import type { Dialogue, Exchange } from './data.js';

export interface Step {
  at: number;
  /** The guards answered: the rule was not asked. */
  guarded: boolean;
  /** A phrase of a pack stands at a sentence's start. */
  phrase: boolean;
  /** Features at the input, at the end and of the gate; views, valid until the next step. */
  input: Float64Array;
  end: Float64Array;
  gate: Float64Array;
  /** The session is about code, this exchange included. */
  aboutCode: boolean;
  tracker: Tracker;
}

const read = new WeakMap<Exchange, [Utterance, Utterance]>();

function said(e: Exchange): [Utterance, Utterance] {
  let known = read.get(e);
  if (known === undefined) {
    const room = (text: string) => Math.min(MAX_WORDS, text.length + 1);
    known = [
      new Utterance(room(e.input)).read(e.input, INPUT_CHARS),
      new Utterance(room(e.reply)).read(e.reply, REPLY_CHARS),
    ];
    read.set(e, known);
  }
  return known;
}

const buffer = new Float64Array(512);

/** @param decide says for each exchange but the first whether it starts a topic */
export function roll(dialogue: Dialogue, decide: (step: Step) => boolean): void {
  const tracker = new Tracker();
  for (const [at, e] of dialogue.exchanges.entries()) {
    const [input, reply] = said(e);
    tracker.read(input, at, at);
    if (at === 0) {
      if (e.reply !== '') tracker.answerRead(reply);
      tracker.fold(false);
      continue;
    }
    const n = tracker.atInput(buffer);
    if (e.reply !== '') tracker.answerRead(reply);
    const m = tracker.atEnd(buffer.subarray(n));
    const end = buffer.subarray(n, n + m);
    const gate = buffer.subarray(n + m);
    const shift = decide({
      at,
      guarded: isContentless(input) || input.cues.shiftAt >= 0,
      phrase: !isContentless(input) && input.cues.shiftAt >= 0,
      input: buffer.subarray(0, n),
      end,
      gate: gate.subarray(0, tracker.atGate(end, gate)),
      aboutCode: tracker.aboutCode,
      tracker,
    });
    tracker.fold(shift);
  }
}
