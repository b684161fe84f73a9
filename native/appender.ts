// Counting a text that grows: everything before the last certain piece border is settled, only the rest is counted
// again. So an append costs what it adds and one piece, not the text so far. (One unbroken run of megabytes is one piece.)
import type { Core } from './core.js';

/** Running total of a text that only grows. */
export interface Appending {
  /** Tokens of all text so far, this part included. */
  append(text: string): number;
  /** Tokens of all text so far. */
  readonly tokens: number;
}

const encoder = new TextEncoder();

export class Appender implements Appending {
  /** Tokens before the last certain border. */
  private settled = 0;
  /** UTF-8 behind it. */
  private tail = new Uint8Array(256);
  private tailBytes = 0;
  /** A high surrogate at the end so far: its other half may come. */
  private half = '';
  private total = 0;

  constructor(
    private readonly core: () => Core,
    private readonly encoding: number,
    private readonly guard: <T>(call: () => T) => T,
    /** Tokens of a text of any length. */
    private readonly countAll: (text: Uint8Array) => number,
    /** Tokens and bytes of a text of any length up to its last certain border. */
    private readonly countOpen: (text: Uint8Array) => { tokens: number; bytes: number },
  ) {}

  get tokens(): number {
    return this.total;
  }

  append(text: string): number {
    let from = 0;
    do {
      // A part that surely fits behind the tail; behind a tail that has outgrown half the buffer all of it.
      const free = this.core().bytes.length - this.tailBytes;
      const room = free > this.tailBytes ? Math.floor(free / 3) - 8 : text.length;
      let to = Math.min(text.length, from + room);
      if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to--;
      this.part(text.slice(from, to), to >= text.length);
      from = to;
    } while (from < text.length);
    return this.total;
  }

  private part(text: string, last: boolean): void {
    let joined = this.half + text;
    this.half = '';
    const end = joined.charCodeAt(joined.length - 1);
    if ((end & 0xfc00) === 0xd800) {
      this.half = joined.slice(-1);
      joined = joined.slice(0, -1);
    }
    const need = this.tailBytes + joined.length * 3 + 4;
    const core = this.core();
    if (need > core.bytes.length) {
      this.outgrown(joined, last);
      return;
    }
    core.bytes.set(this.tail.subarray(0, this.tailBytes));
    let have = this.tailBytes + encoder.encodeInto(joined, core.bytes.subarray(this.tailBytes)).written;
    const { encoding } = this;
    this.settled += this.guard(() => core.fn.run(encoding, core.buffer, have, 0, 0xfffffffe) >>> 0);
    const consumed = core.fn.consumed() >>> 0;
    this.keep(core.bytes.subarray(consumed, have));
    if (!last) return;
    if (this.half !== '') {
      core.bytes.set([0xef, 0xbf, 0xbd], have);
      have += 3;
    }
    const length = have - consumed;
    this.total =
      this.settled +
      this.guard(() => core.fn.run(encoding, core.buffer + consumed, length, 1, 0xfffffffe) >>> 0);
  }

  private keep(bytes: Uint8Array): void {
    if (this.tail.length < bytes.length) this.tail = new Uint8Array(bytes.length * 2);
    this.tail.set(bytes);
    this.tailBytes = bytes.length;
  }

  /** The unsettled piece and the part do not fit the buffer: they are counted as a text, and what is certain is settled. */
  private outgrown(text: string, last: boolean): void {
    const grown = new Uint8Array(this.tailBytes + text.length * 3);
    grown.set(this.tail.subarray(0, this.tailBytes));
    const have = this.tailBytes + encoder.encodeInto(text, grown.subarray(this.tailBytes)).written;
    const open = this.countOpen(grown.subarray(0, have));
    this.settled += open.tokens;
    this.keep(grown.subarray(open.bytes, have));
    if (!last) return;
    const rest = new Uint8Array(this.tailBytes + 3);
    rest.set(this.tail.subarray(0, this.tailBytes));
    rest.set([0xef, 0xbf, 0xbd], this.tailBytes);
    this.total = this.settled + this.countAll(rest.subarray(0, this.tailBytes + (this.half === '' ? 0 : 3)));
  }
}
