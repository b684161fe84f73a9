// Which cues of which kind stand where in a text: one walk over its words through a tree of all packs. Pure.

import { PACKS } from './packs/index.js';
import { scan, Words } from './scan.js';

export const CUE = {
  shift: 1,
  back: 2,
  ack: 4,
  close: 8,
  connect: 16,
  request: 32,
  anaphor: 64,
  offer: 128,
  greet: 256,
  refuse: 512,
} as const;

/** What an assistant says when a matter is settled, and when it asks. */
const OFFER = [
  'anything else',
  "you're welcome",
  'you are welcome',
  'welcome',
  'have a great',
  'have a good',
  'have a nice',
  'enjoy',
  'goodbye',
  'good bye',
  'glad i could help',
  'glad to help',
  'happy to help',
  'glad to be of',
  'my pleasure',
  'take care',
  'no problem',
  'further assistance',
  'something else',
  'other questions',
  'reference number',
  'successfully booked',
  'booking was successful',
  'has been booked',
  'thank you for',
  'thanks for',
  'all done',
  'let me know if',
  'setting navigation',
  'navigating to',
  'on your way',
  'drive carefully',
  'be safe',
  'safe travels',
];
const GREET = [
  'hi',
  'hello',
  'hey',
  'good morning',
  'good afternoon',
  'good evening',
  'hallo',
  'bonjour',
  'salut',
  'hola',
  'buenos dias',
  'ola',
  'bom dia',
  'ciao',
  'buongiorno',
  '你好',
  '您好',
  'こんにちは',
  '안녕하세요',
  'привет',
  'здравствуйте',
];
const REFUSE = [
  "that doesn't",
  "that's not",
  'that is not',
  'are you sure',
  "i don't think",
  'i disagree',
  'no that',
  "that's wrong",
  'incorrect',
  'you made a mistake',
  "that can't",
  'but i',
  "it's not",
  "it doesn't",
  "doesn't work",
  'still not',
  'wrong',
];

interface Node {
  next: Map<number, Node> | undefined;
  kinds: number;
}

const root: Node = { next: new Map(), kinds: 0 };
const scratch = new Words();

function plant(cue: string, kind: number): void {
  scan(cue, scratch, 200);
  let node = root;
  for (let i = 0; i < scratch.n; i += 1) {
    node.next ??= new Map();
    const word = scratch.spelling[i]!;
    let child = node.next.get(word);
    if (child === undefined) {
      child = { next: undefined, kinds: 0 };
      node.next.set(word, child);
    }
    node = child;
  }
  node.kinds |= kind;
}

for (const pack of PACKS) {
  for (const cue of pack.shift) plant(cue, CUE.shift);
  for (const cue of pack.back) plant(cue, CUE.back);
  for (const cue of pack.ack) plant(cue, CUE.ack);
  for (const cue of pack.close) plant(cue, CUE.close);
  for (const cue of pack.connect) plant(cue, CUE.connect);
  for (const cue of pack.request) plant(cue, CUE.request);
  for (const cue of pack.anaphor) plant(cue, CUE.anaphor);
}
for (const cue of OFFER) plant(cue, CUE.offer);
for (const cue of GREET) plant(cue, CUE.greet);
for (const cue of REFUSE) plant(cue, CUE.refuse);

export interface Cues {
  /** Kinds at the very first word. */
  first: number;
  /** Kinds anywhere among the words looked at. */
  any: number;
  /** Number of words that stand in an acknowledgement, a closing or a greeting. */
  empty: number;
  /** Words at the start that stand in acknowledgements; what the input says begins behind them. */
  lead: number;
  /** Kinds at the first word behind `lead`. */
  second: number;
  /** A change of topic announced at the start of the text, a sentence or a line; -1 none, else the word. */
  shiftAt: number;
  backAt: number;
  anaphors: number;
}

/** Words at the start and at the end of a text that are searched. */
const HEAD = 60;
const TAIL = 24;

/** @param text the text of the words, for the starts of sentences */
export function cuesOf(words: Words, text: string, into: Cues = emptyCues()): Cues {
  into.first = 0;
  into.any = 0;
  into.empty = 0;
  into.lead = 0;
  into.second = 0;
  into.shiftAt = -1;
  into.backAt = -1;
  into.anaphors = 0;
  let covered = 0;
  let leading = true;
  for (let i = 0; i < words.n; i += 1) {
    if (i === HEAD && words.n > HEAD + TAIL) i = words.n - TAIL;
    let node: Node | undefined = root;
    let kinds = 0;
    let j = i;
    while (j < words.n && node?.next !== undefined) {
      node = node.next.get(words.spelling[j]!);
      if (node === undefined) break;
      j += 1;
      if (node.kinds === 0) continue;
      kinds |= node.kinds;
      if ((node.kinds & (CUE.ack | CUE.close | CUE.greet)) !== 0) covered = Math.max(covered, j);
      const decisive = node.kinds & (CUE.shift | CUE.back);
      if (decisive !== 0 && (i <= into.lead || opens(words, text, i))) {
        if ((decisive & CUE.shift) !== 0 && into.shiftAt < 0) into.shiftAt = i;
        if ((decisive & CUE.back) !== 0 && into.backAt < 0) into.backAt = i;
      }
    }
    if (i === 0) into.first = kinds;
    if (leading) {
      if (covered > i) into.lead = covered;
      else {
        leading = false;
        into.second = kinds;
      }
    }
    into.any |= kinds;
    if ((kinds & CUE.anaphor) !== 0) into.anaphors += 1;
    if (covered > i) into.empty += 1;
  }
  return into;
}

export function emptyCues(): Cues {
  return { first: 0, any: 0, empty: 0, lead: 0, second: 0, shiftAt: -1, backAt: -1, anaphors: 0 };
}

/** Does a sentence or a line start at this word? Quoted words don't count: somebody else says them. */
export function opens(words: Words, text: string, at: number): boolean {
  const end = words.start[at]!;
  for (let i = end - 1; i >= 0; i -= 1) {
    const c = text.charCodeAt(i);
    if (c === 10 || c === 13) return true;
    if (c === 46 || c === 33 || c === 63 || c === 0x3002 || c === 0xff01 || c === 0xff1f || c === 0x2026)
      return true;
    // Blanks and list marks may stand between a sentence's start and its first word.
    if (c === 32 || c === 9 || c === 0x3000 || c === 45 || c === 42 || c === 35 || c === 0xbf || c === 0xa1)
      continue;
    return false;
  }
  return true;
}
