// Tool calls and their results, paired by position: hosts reuse ids, so an id alone says nothing. Facts only; what may
// be cleared is decided in curation/.

import type { Part } from '../providers/types.js';
import { headCount } from '../sorted.js';
import type { CallMeaning } from './tool-semantics.js';

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
  /** seq of the decision that shortened its arguments. */
  cut?: number;
  /** Tool and canonical arguments, once somebody has asked; and what they say that the call does. */
  identity?: string;
  meaning?: CallMeaning;
}

/** A decision that shortened a result, and what stands since. */
export interface Cut {
  seq: number;
  /** Tokens of the body after it. */
  tokens: number;
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
  /** seq of the decision that cleared it as a whole. */
  cleared?: number;
  /** Decisions that shortened it, clearing included, oldest first. */
  cuts?: Cut[];
  /** Handle of the original bytes, once given out. */
  handle?: string;
  /** How often what stood in it was fetched again after it had been cleared. */
  rereads?: number;
}

/** Tokens of what stands in the request for a result. */
export function standing(result: ResultRecord): number {
  return result.cuts?.at(-1)?.tokens ?? result.tokens;
}

/** Index of the first record at or behind part `part` of message `at`: records stand in that order. */
function firstFrom(list: readonly { at: number; part: number }[], at: number, part: number): number {
  return headCount(list.length, (i) => {
    const record = list[i]!;
    return record.at < at || (record.at === at && record.part < part);
  });
}

/** The record of a message whose part stands at a JSON pointer, or around it. */
function find<T extends { at: number; part: number }>(
  list: readonly T[],
  at: number,
  path: string,
  pointerOf: (part: number) => string,
): T | undefined {
  // Parts mostly stand in the order of the list that the pointer goes into: that one first, then all of the message.
  const guess = list[firstFrom(list, at, Number(/^\/[^/]*\/([0-9]+)/.exec(path)?.[1] ?? 0))];
  if (guess?.at === at && within(path, pointerOf(guess.part))) return guess;
  for (let i = firstFrom(list, at, 0); i < list.length && list[i]!.at === at; i += 1)
    if (within(path, pointerOf(list[i]!.part))) return list[i];
  return undefined;
}

function within(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}

/** An index as JSON; arguments are not in it, since they stand in the messages. */
export interface CallsForm {
  calls: Omit<CallRecord, 'args' | 'identity' | 'meaning'>[];
  results: ResultRecord[];
  generation: number;
  resultTokens: number;
  clearedTokens: number;
  clearedOf: [string, { results: number; tokens: number }][];
}

export class CallIndex {
  readonly calls: CallRecord[] = [];
  readonly results: ResultRecord[] = [];
  /** Grows when records leave: indexes that were remembered before are void then. */
  generation = 0;
  /** Tokens of all results that ever came. */
  resultTokens = 0;
  /** Tokens that decisions took out of results and call inputs which requests had carried. */
  clearedTokens = 0;
  /** Clearings of each tool's results, and the tokens of their bodies. */
  readonly clearedOf = new Map<string, { results: number; tokens: number }>();
  /** Calls without a result, by id, oldest first. */
  readonly #open = new Map<string, number[]>();

  form(): CallsForm {
    return {
      calls: this.calls.map(({ args: _, identity: __, meaning: ___, ...rest }) => rest),
      results: this.results,
      generation: this.generation,
      resultTokens: this.resultTokens,
      clearedTokens: this.clearedTokens,
      clearedOf: [...this.clearedOf],
    };
  }

  /** Takes the form's records as its own. @param argsOf arguments of the call in a part of a stored message */
  static of(form: CallsForm, argsOf: (at: number, part: number) => unknown): CallIndex {
    const index = new CallIndex();
    for (const call of form.calls as CallRecord[]) {
      call.args = argsOf(call.at, call.part);
      index.calls.push(call);
    }
    for (const result of form.results) index.results.push(result);
    index.generation = form.generation;
    index.resultTokens = form.resultTokens;
    index.clearedTokens = form.clearedTokens;
    for (const [tool, sum] of form.clearedOf) index.clearedOf.set(tool, sum);
    index.#findOpen();
    return index;
  }

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
    this.#findOpen();
  }

  #findOpen(): void {
    this.#open.clear();
    this.calls.forEach((call, i) => {
      if (call.result !== undefined) return;
      const list = this.#open.get(call.id);
      if (list === undefined) this.#open.set(call.id, [i]);
      else list.push(i);
    });
  }

  /** Takes down that a decision shortened a result by `delta` tokens; `whole`: nothing of its body is left. */
  shorten(result: ResultRecord, seq: number, delta: number, whole: boolean): void {
    const cut = { seq, tokens: Math.max(0, standing(result) + delta) };
    if (result.cuts === undefined) result.cuts = [cut];
    else result.cuts.push(cut);
    if (!whole) return;
    result.cleared = seq;
    this.clearedTokens -= delta;
    const of = this.clearedOf.get(result.tool) ?? { results: 0, tokens: 0 };
    this.clearedOf.set(result.tool, { results: of.results + 1, tokens: of.tokens + result.tokens });
  }

  /** Forgets what decisions did that are gone. */
  uncleared(seqs: ReadonlySet<number>): void {
    if (seqs.size === 0) return;
    for (const r of this.results) {
      if (r.cleared !== undefined && seqs.has(r.cleared)) delete r.cleared;
      if (r.cuts?.some((c) => seqs.has(c.seq))) r.cuts = r.cuts.filter((c) => !seqs.has(c.seq));
    }
    for (const call of this.calls) if (call.cut !== undefined && seqs.has(call.cut)) delete call.cut;
  }

  /** The result that stands at a JSON pointer of a stored message, or around it. */
  resultAt(at: number, path: string, pointerOf: (part: number) => string): ResultRecord | undefined {
    return find(this.results, at, path, pointerOf);
  }

  /** The call of a message's part. */
  callOf(at: number, part: number): CallRecord | undefined {
    const call = this.calls[firstFrom(this.calls, at, part)];
    return call?.at === at && call.part === part ? call : undefined;
  }

  /** The result in a message's part. */
  resultOf(at: number, part: number): ResultRecord | undefined {
    const result = this.results[firstFrom(this.results, at, part)];
    return result?.at === at && result.part === part ? result : undefined;
  }

  /** As `resultAt`, for calls. */
  callAt(at: number, path: string, pointerOf: (part: number) => string): CallRecord | undefined {
    return find(this.calls, at, path, pointerOf);
  }
}
