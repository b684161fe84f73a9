// Calls that wait for a shard: two lines, one bound. Knows calls, no threads.
//
// Short counts wait in one line, everything that may take long in the other: long texts, tasks, and calls that a worker
// did not survive. So a shard can be kept free of what would hold up everyone's short counts.
import type { Call } from './call.js';

export interface QueueLimits {
  maxCalls: number;
  /** UTF-16 units (or bytes) of text. One larger call is taken while nothing waits. */
  maxUnits: number;
  /** Units of text in one batch. */
  batchUnits: number;
  /** Counts of more units are long. */
  longUnits: number;
}

/** Tasks in one batch: their answers come together, so the first waits for the last. */
const TASK_BATCH = 16;

interface Waiting {
  call: Call;
  units: number;
  order: number;
}

/** First in, first out, without moving what stays. */
class Line {
  #items: Waiting[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get first(): Waiting | undefined {
    return this.#items[this.#head];
  }

  push(item: Waiting): void {
    this.#items.push(item);
  }

  unshift(items: Waiting[]): void {
    this.#items = [...items, ...this.#items.slice(this.#head)];
    this.#head = 0;
  }

  shift(): Waiting {
    const item = this.#items[this.#head++]!;
    if (this.#head === this.#items.length || this.#head > 1024) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

export class CallQueue {
  readonly #limits: QueueLimits;
  readonly #short = new Line();
  readonly #long = new Line();
  #units = 0;
  #order = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#short.length + this.#long.length;
  }

  get units(): number {
    return this.#units;
  }

  /** False when the queue is full and the call was not taken. */
  push(call: Call, units: number): boolean {
    const waiting = this.length;
    if (waiting >= this.#limits.maxCalls) return false;
    if (units > 0 && waiting > 0 && this.#units + units > this.#limits.maxUnits) return false;
    const long = call.type === 'task' || units > this.#limits.longUnits;
    (long ? this.#long : this.#short).push({ call, units, order: this.#order++ });
    this.#units += units;
    return true;
  }

  /** Calls whose worker died, in front of the long ones. They were admitted before: the bound does not hold for them. */
  again(calls: readonly Call[]): void {
    this.#long.unshift(calls.map((call) => ({ call, units: 0, order: -1 })));
  }

  /**
   * The calls of one batch: short counts together, tasks of one kind together, a long text or a retried call alone. `lane`: `short` never gives
   * a long one, `long` prefers them, `any` goes by age.
   */
  take(lane: 'short' | 'long' | 'any'): Call[] {
    const short = this.#short.first;
    const long = lane === 'short' ? undefined : this.#long.first;
    if (long !== undefined && (lane === 'long' || short === undefined || long.order < short.order)) {
      this.#long.shift();
      this.#units -= long.units;
      return [long.call, ...this.#like(long.call)];
    }
    const calls: Call[] = [];
    let units = 0;
    for (let next = short; next !== undefined; next = this.#short.first) {
      if (calls.length > 0 && units + next.units > this.#limits.batchUnits) break;
      this.#short.shift();
      calls.push(next.call);
      units += next.units;
    }
    this.#units -= units;
    return calls;
  }

  /** The tasks directly behind one of their kind, while none of them has failed before. */
  #like(call: Call): Call[] {
    const more: Call[] = [];
    if (call.type !== 'task' || call.failures > 0) return more;
    for (let next = this.#long.first; next !== undefined; next = this.#long.first) {
      const same = next.call.type === 'task' && next.call.kind === call.kind && next.call.failures === 0;
      if (!same || more.length === TASK_BATCH - 1) break;
      more.push(this.#long.shift().call);
    }
    return more;
  }

  /** Empties the queue. */
  drain(): Call[] {
    const calls: Call[] = [];
    while (this.length > 0) calls.push(...this.take('any'));
    return calls;
  }
}
