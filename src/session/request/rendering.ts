// The request for the model, rendered from the state: stored messages with the ledger's edits applied. Kept between
// calls, so that a turn renders what it added; a fresh one over the same state gives the same bytes, which is replay.

import { createHash, type Hash } from 'node:crypto';
import {
  applyEdits,
  canonicalize,
  canonicalText,
  pointer,
  type TextEdit,
  withValue,
} from '../../json/index.js';
import { Native } from '../../json/native.js';
import { inBlocks, withBreakpoint } from '../../providers/blocks.js';
import type { Native as AnyNative, Reading, RuleWalk, Violation } from '../../providers/types.js';
import { noFeatures, PER_MESSAGE } from '../../tokens/features.js';
import { readHinted } from '../intake/hints.js';
import { OUR_MARK, type PlacedMark } from '../marks/placed-mark.js';
import type { SessionState } from '../state/state.js';
import { RuleCheck } from '../validity/rule-check.js';
import { type AnsweredPiece, LastAnswer } from './last-answer.js';
import { StaticForm, SYSTEM } from './static-form.js';

/** One message of the request. */
export interface Piece {
  /** Exact JSON text. */
  text: string;
  /** The same, parsed at most once. */
  native: AnyNative;
  /** Stored position, or -1 for a message of ours (summary, system). */
  at: number;
  tokens: number;
  /** Tokens of ours in it. */
  own: number;
  reading: Reading;
  features: readonly number[];
}

/** Messages between two kept states of the running hash near the end: what an edit there has to hash again at most. */
const CHECKPOINT_EVERY = 16;
/** Kept states; with more of them every other old one goes, so that they lie wider where an edit hashes much in any case. */
const CHECKPOINTS_MOST = 64;
const CHECKPOINTS_DENSE = 16;
export class Rendering {
  /** True: with what was only observed, that is what the request would have been. */
  readonly projected: boolean;
  readonly pieces: Piece[] = [];
  readonly statics = new StaticForm();
  /** Tokens of all pieces. */
  tokens = 0;
  /** Sum of the pieces' features: what an estimate of the view is made from. */
  readonly features: number[] = noFeatures();
  /** Tokens of what is ours: the session section. */
  insertedTokens = 0;
  /** Of system messages that the host has among its messages. */
  systemTokens = 0;
  /** First piece of each stored position, its inserts included. */
  readonly #first: number[] = [];
  /** Pieces that carry cache marks. */
  readonly #marked: number[] = [];
  /** Tokens before each piece. */
  readonly #sums: number[] = [];
  /** Stored messages that are rendered. */
  #rendered = 0;
  /** Highest position before which what is ours has been rendered; the end of the history counts as one. */
  #insertsTo = -1;
  #revision = 0;
  #head: string | undefined;
  /** Our own cache marks, by piece: the piece's text with them. */
  #overlay = new Map<number, { key: string; text: string }>();
  #placed: readonly PlacedMark[] = [];
  #hash: Hash = createHash('sha256').update('{"messages":[');
  #hashed = 0;
  #checkpoints: { pieces: number; hash: Hash }[] = [];
  /** What is hashed behind the messages: it stays the same from call to call, and tools are long. */
  #tail: Tail = { system: undefined, tools: undefined, text: canonicalTail(undefined, undefined) };
  #rules = new RuleCheck();
  #answer: LastAnswer | undefined;
  readonly #answered = (index: number): AnsweredPiece => {
    return { at: this.pieces[index]!.at, text: this.textOf(index) };
  };

  constructor(projected = false) {
    this.projected = projected;
  }

  /**
   * Brings the rendering up to the state.
   * @returns index of the first piece that differs from what an earlier call rendered; undefined when it only grew
   */
  sync(state: SessionState): number | undefined {
    const before = this.pieces.length;
    let changed: number | undefined;
    const head = headMessage(state);
    if (head !== this.#head) {
      this.#cut(0);
      if (before > 0) changed = 0;
      this.#head = head;
      if (head !== undefined) this.#push(pieceOfHead(state, head));
    }
    const replaced = this.#rendered === 0 ? undefined : this.#replaceTouched(state);
    if (replaced !== undefined) changed = changed === undefined ? replaced : Math.min(changed, replaced);
    const touched =
      replaced === undefined ? state.ledger.touchedSince(this.#revision) : Number.POSITIVE_INFINITY;
    this.#revision = state.ledger.revision;
    const end = Math.min(touched, state.messages.length);
    if (end < this.#rendered || touched <= this.#insertsTo) {
      const at = this.#first[Math.min(end, touched)]!;
      this.#cut(at);
      // Where nothing of what stands before it goes out, all was cut, and is rendered anew from the start.
      if (at > 0) {
        this.#first.length = end;
        this.#rendered = Math.min(this.#rendered, end);
        this.#insertsTo = end - 1;
      }
      if (changed === undefined && at < before) changed = at;
    }
    for (let at = this.#rendered; at <= state.messages.length; at += 1) {
      this.#renderInserts(state, at);
      if (at < state.messages.length) this.#render(state, at);
    }
    this.#rendered = state.messages.length;
    return changed;
  }

  #replaceTouched(state: SessionState): number | undefined {
    const { ledger } = state;
    if (ledger.revision === this.#revision || ledger.turnedAt > this.#revision) return undefined;
    const touches = ledger.touchesSince(this.#revision);
    return touches === undefined ? undefined : this.#replace(state, touches);
  }

  /** Index in the request of the first piece of a stored position. */
  indexOf(at: number): number {
    return this.#first[at] ?? this.pieces.length;
  }

  /** Cache marks in the messages, in order. Kept as pieces come and go: costs what has marks. */
  *marks(): Generator<{ index: number; path: string; text: string }> {
    for (const index of this.#marked) {
      const piece = this.pieces[index]!;
      for (const path of piece.reading.marks) yield { index, path: pointer(path), text: piece.text };
    }
  }

  /** The newest piece before index `end` that carries a cache mark. O(marks behind it). */
  lastMarked(end: number): Piece | undefined {
    for (let i = this.#marked.length - 1; i >= 0; i -= 1) {
      if (this.#marked[i]! < end) return this.pieces[this.#marked[i]!];
    }
    return undefined;
  }

  /** Text of a piece as it goes out, our marks included. */
  textOf(index: number): string {
    return this.#overlay.get(index)?.text ?? this.pieces[index]!.text;
  }

  nativeOf(index: number): AnyNative {
    return this.pieces[index]!.native;
  }

  /** Our marks in the request, in order. */
  get placed(): readonly PlacedMark[] {
    return this.#placed;
  }

  /** Puts our cache marks in place of those of the request before. Costs what changed, and what stands behind it. */
  place(marks: readonly PlacedMark[]): void {
    const next = new Map<number, { key: string; text: string }>();
    this.statics.place(marks.filter((m) => m.at < 0));
    for (const mark of marks) {
      if (mark.at < 0) continue;
      const index = this.ownIndexOf(mark.at);
      const key = pointer(mark.path);
      const piece = this.pieces[index]!;
      const known = this.#overlay.get(index);
      const edit: TextEdit = { op: 'set', path: [...mark.path, 'cache_control'], json: OUR_MARK };
      next.set(index, known?.key === key ? known : { key, text: applyEdits(piece.text, [edit]) });
    }
    const changed = [...next, ...this.#overlay].filter(([i]) => next.get(i) !== this.#overlay.get(i));
    const from = Math.min(...changed.map(([i]) => i));
    this.#answer?.cut(from, this.#answered);
    this.#overlay = next;
    this.#placed = marks.filter((m) => m.at >= 0);
    this.#unhash(from);
  }

  /** The newest main answer and what has changed since; undefined before the first one. */
  get lastAnswer(): LastAnswer | undefined {
    return this.#answer;
  }

  /** The request as it stands is the answer to a main request: the base of the next patch. */
  answered(hash: string, system: string | undefined, tools: string | undefined): void {
    this.#answer = new LastAnswer(hash, this.pieces.length, system, tools);
  }

  /** Tokens of the pieces behind stored message `at`, up to (not including) stored message `end`. */
  tokensBetween(at: number, end: number): number {
    const from = at + 1 < this.#rendered ? this.#sums[this.indexOf(at + 1)]! : this.tokens;
    const to = end < this.#rendered ? this.#sums[this.indexOf(end)]! : this.tokens;
    return Math.max(0, to - from);
  }

  /** Index of the stored message itself, behind what stands before it. */
  ownIndexOf(at: number): number {
    let index = this.indexOf(at);
    while (index < this.pieces.length && this.pieces[index]!.at < 0) index += 1;
    return index;
  }

  /** `sha256:` hex over the canonical JSON of {messages, system, tools} (RFC 8785 order). */
  digest(system: string | undefined, tools: string | undefined): string {
    while (this.#hashed < this.pieces.length) {
      const marked = this.#overlay.get(this.#hashed);
      // Our marks move from call to call: what stands before one is not hashed again for it.
      if (this.#hashed > 0 && (marked !== undefined || this.#hashed % CHECKPOINT_EVERY === 0)) {
        this.#checkpoints.push({ pieces: this.#hashed, hash: this.#hash.copy() });
        if (this.#checkpoints.length > CHECKPOINTS_MOST) {
          const dense = this.#checkpoints.length - CHECKPOINTS_DENSE;
          this.#checkpoints = this.#checkpoints.filter((_, i) => i >= dense || i % 2 === 0);
        }
      }
      const text = canonicalText(this.textOf(this.#hashed));
      this.#hash.update(this.#hashed === 0 ? text : `,${text}`);
      this.#hashed += 1;
    }
    if (this.#tail.system !== system || this.#tail.tools !== tools) {
      this.#tail = { system, tools, text: canonicalTail(system, tools) };
    }
    return `sha256:${this.#hash.copy().update(this.#tail.text).digest('hex')}`;
  }

  /** The rules are others now (another model): look at everything again. */
  forgetRules(): void {
    this.#rules = new RuleCheck();
  }

  /** Provider rules that the request breaks; only what is new or was edited is looked at. */
  violations(state: SessionState, walk: () => RuleWalk, declared?: ReadonlySet<string>): Violation[] {
    return this.#rules.run(this.pieces, state.spec, walk, declared);
  }

  #renderInserts(state: SessionState, at: number): void {
    if (at <= this.#insertsTo) return;
    this.#insertsTo = at;
    this.#first[at] = this.pieces.length;
    for (const insert of state.ledger.insertsBefore(at, this.projected)) {
      if (insert.op !== 'insert') continue;
      const native = new Native(insert.json);
      this.#push({
        text: insert.json,
        native,
        at: -1,
        tokens: insert.delta ?? 0,
        own: insert.delta ?? 0,
        reading: state.spec.read(native),
        features: prose(insert.delta ?? 0),
      });
    }
  }

  #render(state: SessionState, at: number): void {
    const piece = this.#pieceOf(state, at);
    if (piece !== undefined) this.#push(piece);
  }

  /** A stored message as it goes out; undefined when it does not. */
  #pieceOf(state: SessionState, at: number): Piece | undefined {
    const stored = state.messages[at]!;
    const edits = state.ledger.editsOf(at, this.projected);
    const marked = state.inBlocks.length > 0 && state.inBlocks.includes(at);
    if (edits.length === 0 && !marked) {
      const { native, tokens, reading, features } = stored;
      return { text: native.text, native, at, tokens, own: 0, reading, features };
    }
    if (edits.some((e) => e.op === 'drop')) return undefined;
    const edited =
      edits.length === 0 ? stored.native.text : withEdits(stored.native.text, edits as readonly TextEdit[]);
    const text = marked ? inForm(state, edited) : edited;
    const tokens = edits.reduce((sum, e) => sum + (e.delta ?? 0), stored.tokens);
    const own = edits.reduce((sum, e) => sum + (e.own ? (e.delta ?? 0) : 0), 0);
    const native = new Native(text);
    return {
      text,
      native,
      at,
      tokens,
      own,
      reading: readHinted(state.spec, native, stored.hint?.media),
      features: featuresAfter(stored.features, (tokens - own) / Math.max(1, stored.tokens), own),
    };
  }

  /**
   * Renders edited messages where they stand, if that is all that has changed: what is behind them stays.
   * @returns index of the first; undefined where messages came, went or moved
   */
  #replace(state: SessionState, touched: readonly number[]): number | undefined {
    const next = new Map<number, Piece>();
    for (const at of touched) {
      const index = this.#first[at];
      if (at >= this.#rendered || index === undefined || at > this.#insertsTo) return undefined;
      const piece = this.pieces[index];
      const alone = (this.#first[at + 1] ?? this.pieces.length) === index + 1 && piece?.at === at;
      if (!alone || state.ledger.insertsBefore(at, this.projected).length > 0) return undefined;
      const edited = next.has(index) ? undefined : this.#pieceOf(state, at);
      if (edited === undefined && !next.has(index)) return undefined;
      if (edited === undefined) continue;
      if (edited.reading.marks.length > 0 || piece.reading.marks.length > 0) return undefined;
      next.set(index, edited);
    }
    if (next.size === 0) return undefined;
    const from = Math.min(...next.keys());
    this.#answer?.cut(from, this.#answered);
    for (const [index, piece] of next) {
      this.#count(this.pieces[index]!, -1);
      this.#count(piece, 1);
      this.pieces[index] = piece;
      this.#overlay.delete(index);
      this.#rules.touch(index);
    }
    for (let i = from + 1; i < this.pieces.length; i += 1) {
      this.#sums[i] = this.#sums[i - 1]! + this.pieces[i - 1]!.tokens;
    }
    this.#unhash(from);
    return from;
  }

  #count(piece: Piece, sign: 1 | -1): void {
    this.tokens += sign * piece.tokens;
    this.insertedTokens += sign * piece.own;
    if (piece.at >= 0 && piece.reading.role === 'system')
      this.systemTokens += sign * (piece.tokens - piece.own);
    const { features } = piece;
    for (let i = 0; i < this.features.length; i += 1) this.features[i]! += sign * (features[i] ?? 0);
  }

  #push(piece: Piece): void {
    this.#sums[this.pieces.length] = this.tokens;
    if (piece.reading.marks.length > 0) this.#marked.push(this.pieces.length);
    this.pieces.push(piece);
    this.#count(piece, 1);
  }

  #cut(length: number): void {
    this.#answer?.cut(length, this.#answered);
    // The sums of what stays, or of what goes: whichever is less to add up. A summary takes nearly everything out.
    if (length < this.pieces.length >> 1) {
      this.pieces.length = length;
      this.tokens = 0;
      this.insertedTokens = 0;
      this.systemTokens = 0;
      this.features.fill(0);
      for (const piece of this.pieces) this.#count(piece, 1);
    } else {
      for (let i = length; i < this.pieces.length; i += 1) this.#count(this.pieces[i]!, -1);
      this.pieces.length = length;
    }
    while (this.#marked.length > 0 && this.#marked.at(-1)! >= length) this.#marked.pop();
    if (length === 0) {
      this.#first.length = 0;
      this.#rendered = 0;
      this.#insertsTo = -1;
    }
    this.#rules.touch(length);
    for (const index of this.#overlay.keys()) if (index >= length) this.#overlay.delete(index);
    this.#unhash(length);
  }

  /** Pieces from `length` on have to be hashed again. */
  #unhash(length: number): void {
    if (this.#hashed <= length) return;
    while (this.#checkpoints.length > 0 && this.#checkpoints.at(-1)!.pieces > length) this.#checkpoints.pop();
    const kept = this.#checkpoints.at(-1);
    this.#hash = kept?.hash.copy() ?? createHash('sha256').update('{"messages":[');
    this.#hashed = kept?.pieces ?? 0;
  }
}

interface Tail {
  system: string | undefined;
  tools: string | undefined;
  text: string;
}

function canonicalTail(system: string | undefined, tools: string | undefined): string {
  const head = system === undefined ? ']' : `],"system":${canonicalize(system)}`;
  return tools === undefined ? `${head}}` : `${head},"tools":${canonicalize(tools)}}`;
}

/** With openai-chat a system given at open is the first message of the request (PROTOCOL 3). */
function headMessage(state: SessionState): string | undefined {
  if (state.format !== 'openai-chat' || state.system === undefined) return undefined;
  const text = `{"role":"system","content":${state.system.native.text}}`;
  return state.inBlocks.includes(SYSTEM) ? inForm(state, text) : text;
}

/** A message that goes out in blocks; with OpenAI it carries a breakpoint too, which stays with it. */
function inForm({ format }: SessionState, text: string): string {
  const blocks = inBlocks(format, text, JSON.parse(text));
  return format === 'anthropic' ? blocks : withBreakpoint(blocks);
}

function pieceOfHead(state: SessionState, text: string): Piece {
  const native = new Native(text);
  return { text, native, at: -1, tokens: 0, own: 0, reading: state.spec.read(native), features: [] };
}

/** Mostly one value was put in place of another. */
function withEdits(text: string, edits: readonly TextEdit[]): string {
  const [first] = edits;
  const simple =
    edits.length === 1 && first?.op === 'set' ? withValue(text, first.path, first.json) : undefined;
  return simple ?? applyEdits(text, edits);
}

/** Features of a message of ours: plain text of so many tokens. */
function prose(tokens: number): number[] {
  const features = noFeatures();
  features[0] = 1;
  features[2] = Math.max(0, tokens - PER_MESSAGE);
  return features;
}

/**
 * Features of an edited message: its counts stay, its own text shrinks in proportion. What we have put into it is plain text of
 * so many tokens, however short the message is.
 */
function featuresAfter(features: readonly number[], share: number, own: number): number[] {
  const after = features.map((v, i) => (i < 2 ? v : v * share));
  after[2]! += own;
  return after;
}
