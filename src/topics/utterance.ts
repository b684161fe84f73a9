// One thing said, by the user or the assistant: its words, cues and vectors. Pure.

import { type Cues, cuesOf, emptyCues } from './cues.js';
import { embedHashed, HASHED_DIMS } from './hashed.js';
import { embedMeaning, MEANING_DIMS } from './meaning.js';
import { scan, Words } from './scan.js';
import { Telling, WordList } from './telling.js';

export class Utterance {
  readonly words: Words;
  readonly cues: Cues = emptyCues();
  readonly hashed = new Float32Array(HASHED_DIMS);
  readonly meaning = new Float32Array(MEANING_DIMS);
  embedded = false;
  /** Share of the weight that the table of meanings knows. */
  known = 0;
  /** Sum of the weights of distinct words, and their number. */
  mass = 0;
  content = 0;
  length = 0;
  readonly #telling = new Telling();
  /** Set until the words that tell are asked for. */
  #untold: string | undefined;

  constructor(capacity?: number) {
    this.words = new Words(capacity);
  }

  read(text: string, limit: number): this {
    scan(text, this.words, limit);
    cuesOf(this.words, text, this.cues);
    this.embedded = embedHashed(this.words, text, this.hashed);
    this.known = embedMeaning(this.words, this.meaning);
    this.length = text.length;
    this.mass = 0;
    this.content = 0;
    for (let i = 0; i < this.words.n; i += 1) {
      const weight = this.words.weight[i]!;
      this.mass += weight;
      if (weight >= 0.3) this.content += 1;
    }
    this.#untold = text;
    return this;
  }

  /** The words that tell, sought when they are first asked for. */
  get telling(): Telling {
    if (this.#untold !== undefined) {
      this.#telling.read(this.words, this.#untold);
      this.#untold = undefined;
    }
    return this.#telling;
  }
}

/** Words that later exchanges are compared with. */
const KEPT = 32;
const KEPT_FEW = 16;

/** What later exchanges want to know of an utterance. */
export interface Said {
  hashed: Float32Array;
  meaning: Float32Array;
  words: number;
  endsInQuestion: boolean;
  /** Kinds of cues in it, and how many of its words they cover that say nothing. */
  cues: number;
  empty: number;
  /** Its first words that tell, those that tell most, and those at its end. */
  first: WordList;
  top: WordList;
  tail: WordList;
}

export function silence(): Said {
  return {
    hashed: new Float32Array(HASHED_DIMS),
    meaning: new Float32Array(MEANING_DIMS),
    words: 0,
    endsInQuestion: false,
    cues: 0,
    empty: 0,
    first: new WordList(KEPT_FEW),
    top: new WordList(KEPT),
    tail: new WordList(KEPT_FEW),
  };
}

export function hush(said: Said): void {
  said.hashed.fill(0);
  said.meaning.fill(0);
  said.words = 0;
  said.endsInQuestion = false;
  said.cues = 0;
  said.empty = 0;
  said.first.n = 0;
  said.top.n = 0;
  said.tail.n = 0;
}

export function copy(from: Utterance, to: Said): void {
  to.hashed.set(from.hashed);
  to.meaning.set(from.meaning);
  to.words = from.words.n;
  to.endsInQuestion = from.words.endsInQuestion;
  to.cues = from.cues.any;
  to.empty = from.cues.empty;
  to.first.copy(from.telling.first);
  to.top.copy(from.telling.top);
  to.tail.copy(from.telling.tail);
}
