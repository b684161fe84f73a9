// The token counter over one core: strings and bytes in, exact counts out. Long texts pass the core's buffer in
// parts that end at certain piece borders; one unbroken piece longer than the buffer gets a larger core for that call.
import { CuratedError, fail } from '../src/errors.js';
import { Appender, type Appending } from './appender.js';
import { type ClassCounts, CONTENT_CLASSES } from './content.js';
import { BUFFER_BYTES, type Core, sharedCore } from './core.js';
import { type Encoding, encodingIndex } from './encodings.js';
import { passThrough, STOP, type Text } from './passage.js';
import type { SharedTables } from './tables.js';

export interface Truncated {
  text: string;
  /** Exact count of `text`. */
  tokens: number;
}

/**
 * Counts are exactly those of the reference's ordinary encoding: literals of special tokens are plain text, lone
 * surrogates count as U+FFFD, and bytes that are not UTF-8 as what a lossy decoder makes of them.
 * One thread only; calls are synchronous; time is linear in the text, whatever it holds. Texts: up to 512 MiB.
 */
export interface Tokenizer {
  count(text: Text, encoding: Encoding): number;
  /** One count a text, in order. Far cheaper a text than `count` for short ones. */
  countMany(texts: readonly Text[], encoding: Encoding): Uint32Array;
  /** Text i is bytes[offsets[i], offsets[i + 1]) as UTF-8; `bytes` may lie in shared memory. n = offsets.length - 1. */
  countManyAt(bytes: Uint8Array, offsets: Uint32Array, encoding: Encoding): Uint32Array;
  /** The count, or `limit + 1` as soon as it is known to exceed `limit`. */
  countUpTo(text: Text, limit: number, encoding: Encoding): number;
  /** The longest prefix cut after whole tokens, then back to a code point, that counts at most `maxTokens`. */
  truncate(text: string, maxTokens: number, encoding: Encoding): Truncated;
  appender(encoding: Encoding): Appending;
  /** Bytes and tokens by content class; the tokens sum to `count`. For estimates: prose, code and JSON are guessed by stretch. */
  classes(text: Text, encoding: Encoding): ClassCounts;
  /** Gives the region back; later calls fail. */
  dispose(): void;
}

/** No limit: counts stay below it, since a text holds at most 2^29 bytes. */
const NO_LIMIT = 0xfffffffe;
const MALFORMED = 0xffffffff;
/** Texts of one batched call, whose ends stand behind them in the buffer. */
const BATCH = 1024;
const BATCH_BYTES = BUFFER_BYTES - BATCH * 4;

const encoder = new TextEncoder();
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** Where a text stands while it passes a buffer. */
interface Passage {
  tokens: number;
  /** Bytes of the text that are counted. */
  bytes: number;
}

export class CoreTokenizer implements Tokenizer {
  private core: Core | undefined;

  /** @param only the one encoding of the tables, where they are not the built-in ones */
  constructor(
    private readonly tables: SharedTables,
    private readonly only?: string,
  ) {
    this.core = sharedCore(tables);
  }

  count(text: Text, encoding: Encoding): number {
    const e = this.index(encoding);
    const core = this.live();
    let length: number;
    if (typeof text === 'string') {
      if (text.length * 3 > BUFFER_BYTES) return this.pass(text, e, NO_LIMIT).tokens;
      length = encoder.encodeInto(text, core.bytes).written;
    } else {
      if (text.length > BUFFER_BYTES) return this.pass(text, e, NO_LIMIT).tokens;
      core.bytes.set(text);
      length = text.length;
    }
    const n = this.guard(() => core.fn.count(e, length) >>> 0);
    return n === MALFORMED ? this.count(decode(text as Uint8Array), encoding) : n;
  }

  countUpTo(text: Text, limit: number, encoding: Encoding): number {
    const max = Math.max(0, Math.min(Math.floor(limit), NO_LIMIT - 1));
    return Math.min(this.pass(text, this.index(encoding), max).tokens, max + 1);
  }

  countMany(texts: readonly Text[], encoding: Encoding): Uint32Array {
    const e = this.index(encoding);
    const out = new Uint32Array(texts.length);
    for (let i = 0; i < texts.length; ) {
      let chars = 0;
      let to = i;
      for (; to < texts.length && to - i < BATCH; to++) {
        const t = texts[to]!;
        if (typeof t !== 'string' || chars + t.length > BATCH_BYTES / 3) break;
        chars += t.length;
      }
      if (to - i < 2 || !this.batch(texts.slice(i, to) as string[], chars, e, out, i)) {
        to = Math.max(to, i + 1);
        for (let k = i; k < to; k++) out[k] = this.count(texts[k]!, encoding);
      }
      i = to;
    }
    return out;
  }

  /** Counts strings in one call; false when surrogates at a seam made the joined bytes another text. */
  private batch(texts: string[], chars: number, e: number, out: Uint32Array, at: number): boolean {
    const core = this.live();
    // By far the cheapest way to one flat string; BATCH bounds the arguments.
    const { written } = encoder.encodeInto(''.concat(...texts), core.bytes);
    const ends = core.words.subarray(BATCH_BYTES >> 2);
    const endsAt = core.buffer + BATCH_BYTES;
    if (written === chars) {
      for (let i = 0, end = 0; i < texts.length; i++) ends[i] = end += texts[i]!.length;
    } else {
      for (let i = 0; i < texts.length; i++) ends[i] = texts[i]!.length;
      if (core.fn.unitsToEnds(core.buffer, written, endsAt, texts.length) === 0) return false;
    }
    this.guard(() => core.fn.countMany(e, core.buffer, endsAt, texts.length));
    out.set(ends.subarray(0, texts.length), at);
    return true;
  }

  countManyAt(bytes: Uint8Array, offsets: Uint32Array, encoding: Encoding): Uint32Array {
    const e = this.index(encoding);
    const core = this.live();
    const n = Math.max(0, offsets.length - 1);
    const out = new Uint32Array(n);
    const ends = core.words.subarray(BATCH_BYTES >> 2);
    for (let i = 0; i < n; ) {
      const base = offsets[i]!;
      let to = i;
      while (to < n && to - i < BATCH && offsets[to + 1]! - base <= BATCH_BYTES) {
        if (offsets[to + 1]! < offsets[to]!)
          fail('BAD_TYPE', 'text offsets must not fall', { detail: { index: to } });
        to++;
      }
      if (to === i) {
        if (offsets[i + 1]! < base) fail('BAD_TYPE', 'text offsets must not fall', { detail: { index: i } });
        out[i] = this.count(bytes.subarray(base, offsets[i + 1]!), encoding);
        i++;
        continue;
      }
      if (offsets[to]! > bytes.length) fail('BAD_TYPE', 'a text offset lies outside the bytes');
      core.bytes.set(bytes.subarray(base, offsets[to]!));
      for (let k = i; k < to; k++) ends[k - i] = offsets[k + 1]! - base;
      const bad = this.guard(() => core.fn.countMany(e, core.buffer, core.buffer + BATCH_BYTES, to - i));
      out.set(ends.subarray(0, to - i), i);
      if (bad > 0) {
        for (let k = i; k < to; k++) {
          if (out[k] === MALFORMED)
            out[k] = this.count(decode(bytes.subarray(offsets[k]!, offsets[k + 1]!)), encoding);
        }
      }
      i = to;
    }
    return out;
  }

  truncate(text: string, maxTokens: number, encoding: Encoding): Truncated {
    const e = this.index(encoding);
    const max = Math.max(0, Math.min(Math.floor(maxTokens), NO_LIMIT - 1));
    const whole = this.pass(text, e, max);
    if (whole.tokens <= max) return { text, tokens: whole.tokens };
    // A cut can change how the last piece splits ("don't" to "don'"), so the prefix is counted again; it seldom takes a second round.
    for (let want = max; want > 0; want--) {
      const cut = text.slice(0, unitsOf(text, this.pass(text, e, max, want).bytes));
      const tokens = this.pass(cut, e, NO_LIMIT).tokens;
      if (tokens <= max) return { text: cut, tokens };
    }
    return { text: '', tokens: 0 };
  }

  appender(encoding: Encoding): Appending {
    const e = this.index(encoding);
    return new Appender(
      () => this.live(),
      e,
      (call) => this.guard(call),
      (text) => this.pass(text, e, NO_LIMIT).tokens,
      (text) => {
        const done: Passage = { tokens: 0, bytes: 0 };
        passThrough(this.tables, this.live(), text, (core, have) => {
          done.tokens += this.guard(() => core.fn.run(e, core.buffer, have, 0, NO_LIMIT) >>> 0);
          const consumed = core.fn.consumed() >>> 0;
          done.bytes += consumed;
          return consumed;
        });
        return done;
      },
    );
  }

  classes(text: Text, encoding: Encoding): ClassCounts {
    const e = this.index(encoding);
    const sums = new Float64Array(CONTENT_CLASSES.length * 2);
    let malformed = false;
    passThrough(this.tables, this.live(), text, (core, have, final) => {
      core.scratch.fill(0);
      const out = core.scratch.byteOffset;
      const consumed = this.guard(() => core.fn.classify(e, core.buffer, have, final ? 1 : 0, out) >>> 0);
      malformed = typeof text !== 'string' && core.fn.isMalformed() !== 0;
      if (malformed) return STOP;
      for (let i = 0; i < sums.length; i++) sums[i]! += core.scratch[i]!;
      return consumed;
    });
    if (malformed) return this.classes(decode(text as Uint8Array), encoding);
    const counts = CONTENT_CLASSES.map((name, i) => [
      name,
      { bytes: sums[i * 2]!, tokens: sums[i * 2 + 1]! },
    ]);
    return Object.fromEntries(counts) as ClassCounts;
  }

  dispose(): void {
    this.core?.release();
    this.core = undefined;
  }

  /**
   * Counts `text` until its end or until more than `max` tokens are found. With `cutAt` the answer is the byte behind
   * token number `cutAt` (cutAt <= max) when the text has more than `max`.
   */
  private pass(text: Text, e: number, max: number, cutAt?: number): Passage {
    const done: Passage = { tokens: 0, bytes: 0 };
    let malformed = false;
    passThrough(this.tables, this.live(), text, (core, have, final) => {
      const left = max - done.tokens;
      const n = this.guard(() => core.fn.run(e, core.buffer, have, final ? 1 : 0, left) >>> 0);
      malformed = typeof text !== 'string' && core.fn.isMalformed() !== 0;
      if (malformed) return STOP;
      if (cutAt !== undefined && done.tokens + n > cutAt) {
        done.bytes += this.guard(() => core.fn.prefixBytes(e, core.buffer, have, cutAt - done.tokens) >>> 0);
        done.tokens = cutAt;
        return STOP;
      }
      const consumed = core.fn.consumed() >>> 0;
      done.tokens += n;
      done.bytes += consumed;
      return done.tokens > max ? STOP : consumed;
    });
    return malformed ? this.pass(decode(text as Uint8Array), e, max, cutAt) : done;
  }

  private index(encoding: string): number {
    const e = this.only === undefined ? encodingIndex(encoding) : encoding === this.only ? 0 : -1;
    return e >= 0 ? e : fail('UNSUPPORTED', `no exact counter for the encoding ${encoding}`);
  }

  private live(): Core {
    return this.core ?? fail('INTERNAL', 'the tokenizer is disposed');
  }

  /** A trap leaves an instance whose region cannot be trusted: give it up, attach afresh, report. */
  private guard<T>(call: () => T): T {
    try {
      return call();
    } catch (cause) {
      if (cause instanceof CuratedError) throw cause;
      this.dispose();
      this.core = sharedCore(this.tables);
      return fail('INTERNAL', 'the token core trapped and was attached afresh', { cause });
    }
  }
}

function decode(bytes: Uint8Array): string {
  // A decoder refuses shared memory; a copy is private.
  return lossy.decode(bytes.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes);
}

/** UTF-16 units of `text` whose UTF-8 fits in the first `bytes` bytes, cut back to a code point. */
function unitsOf(text: string, bytes: number): number {
  let left = bytes;
  for (let i = 0; i < text.length; i++) {
    const u = text.charCodeAt(i);
    const pair = (u & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    left -= u < 0x80 ? 1 : u < 0x800 ? 2 : pair ? 4 : 3;
    if (left < 0) return i;
    if (pair) i++;
  }
  return text.length;
}
