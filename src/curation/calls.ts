// Tool calls and their results, paired by position: hosts reuse ids, so an id alone says nothing. Facts only; what may
// be cleared is decided in curation/.

import type { Part } from '../providers/types.js';

export interface CallRecord {
  /** Stored message and part of the call. */
  at: number;
  part: number;
  id: string;
  tool: string;
  args: unknown;
  turn: number;
  round: number;
  /** Index into `results`, once answered. */
  result?: number;
}

export interface ResultRecord {
  /** Stored message and part of the result. */
  at: number;
  part: number;
  id: string;
  /** Name of the called tool; the id when the call was never seen (L1-9). */
  tool: string;
  /** Turn and round of the call; of the result itself when the call was never seen. */
  turn: number;
  round: number;
  /** UTF-8 bytes of the body as it came. */
  bytes: number;
  /** Tokens of the body, images included. */
  tokens: number;
  error: boolean;
  /** Index into `calls`; undefined when the call was never seen. */
  call?: number;
  /** seq of the decision that cleared it. */
  cleared?: number;
  /** Handle of the original bytes, once given out. */
  handle?: string;
}

export class CallIndex {
  readonly calls: CallRecord[] = [];
  readonly results: ResultRecord[] = [];
  /** Grows when records leave: indexes that were remembered before are void then. */
  generation = 0;
  /** Tokens of all results that ever came. */
  resultTokens = 0;
  /** Calls without a result, by id, oldest first. */
  readonly #open = new Map<string, number[]>();

  /** Ids of calls that wait for their result, in call order. */
  pending(): string[] {
    return [...this.#open.values()]
      .flat()
      .sort((a, b) => a - b)
      .map((i) => this.calls[i]!.id);
  }

  get openCount(): number {
    return this.#open.size;
  }

  addCall(at: number, index: number, part: Part, turn: number, round: number): CallRecord {
    const call: CallRecord = {
      at,
      part: index,
      id: part.callId ?? '',
      tool: part.tool ?? '',
      args: part.args,
      turn,
      round,
    };
    this.calls.push(call);
    const list = this.#open.get(call.id);
    if (list === undefined) this.#open.set(call.id, [this.calls.length - 1]);
    else list.push(this.calls.length - 1);
    return call;
  }

  addResult(
    at: number,
    index: number,
    part: Part,
    tokens: number,
    turn: number,
    round: number,
  ): ResultRecord {
    const id = part.callId ?? '';
    const waiting = this.#open.get(id);
    const callIndex = waiting?.shift();
    if (waiting !== undefined && waiting.length === 0) this.#open.delete(id);
    const call = callIndex === undefined ? undefined : this.calls[callIndex];
    const result: ResultRecord = {
      at,
      part: index,
      id,
      tool: call?.tool || part.tool || id,
      turn: call?.turn ?? turn,
      round: call?.round ?? round,
      bytes: part.bodyBytes ?? 0,
      tokens,
      error: part.isError === true,
    };
    if (callIndex !== undefined) {
      result.call = callIndex;
      call!.result = this.results.length;
    }
    this.results.push(result);
    this.resultTokens += tokens;
    return result;
  }

  /** Forgets what belongs to messages at or behind `index` (divergence); L1-17. */
  truncate(index: number): void {
    this.generation += 1;
    while (this.results.length > 0 && this.results[this.results.length - 1]!.at >= index) {
      const gone = this.results.pop()!;
      if (gone.call !== undefined && this.calls[gone.call] !== undefined)
        delete this.calls[gone.call]!.result;
    }
    while (this.calls.length > 0 && this.calls[this.calls.length - 1]!.at >= index) this.calls.pop();
    this.#open.clear();
    this.calls.forEach((call, i) => {
      if (call.result !== undefined) return;
      const list = this.#open.get(call.id);
      if (list === undefined) this.#open.set(call.id, [i]);
      else list.push(i);
    });
  }

  /** Forgets clearings whose decision is gone. */
  uncleared(seqs: ReadonlySet<number>): void {
    for (const r of this.results) if (r.cleared !== undefined && seqs.has(r.cleared)) delete r.cleared;
  }
}
