// The amnesia guard's memory (COSTS 7): what was cleared and has been fetched again, call by call, and how much longer a
// tool's results are kept for it. Rebuilt from the calls at any time; pure.

import { recallLimit } from '../economics/index.js';
import { callMeaning } from './call-meaning.js';
import type { CallIndex, CallRecord, ResultRecord } from './calls.js';
import { ratios, requestsLeft } from './price.js';
import { callIdentity } from './repeats.js';
import type { Survey } from './survey.js';
import { type CallMeaning, overlaps } from './tool-semantics.js';
import type { Vocabulary } from './vocabulary.js';

export interface Reread {
  /** Index of the cleared result. */
  result: number;
  /** The call that fetched it again. */
  call: CallRecord;
  how: 'same_call' | 'same_path' | 'identifier';
}

/** How many more of the newest results are kept for each fetch, and the most of them. */
const KEPT_PER_REREAD = 2;
const KEPT_MOST = 20;
/** Fetches from which on a rate means something. */
const REREADS_LEAST = 3;
/** Share of results that agents fetch again though they see them (recorded sessions), and how many results it weighs. */
const USUAL_RATE = 0.5;
const USUAL_WEIGHT = 4;
/** Output of the extra turn that a fetch takes, tokens. */
export const FETCH_OUTPUT = 250;
/** Reads of one place that are remembered. */
const READS_KEPT = 8;

interface Tool {
  results: number;
  /** Fetches of what had been cleared, and of what was still to be seen. */
  rereads: number;
  revisits: number;
}

export class Amnesia {
  readonly #vocabulary: Vocabulary;
  readonly #tools = new Map<string, Tool>();
  /** Newest result of a tool with the same arguments. */
  readonly #byCall = new Map<string, number>();
  readonly #byPath = new Map<string, { result: number; meaning: CallMeaning }[]>();
  #calls = 0;
  #results = 0;
  #history = 0;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Takes in what came since the last call: what of it had been cleared before. O(new). */
  sync(survey: Survey): Reread[] {
    this.#vocabulary.sync(survey);
    const { calls } = survey;
    if (this.#history !== survey.calls.generation) {
      this.#history = survey.calls.generation;
      this.#forget();
    }
    const found: Reread[] = [];
    for (; this.#calls < calls.calls.length; this.#calls += 1) {
      const again = this.#again(calls, calls.calls[this.#calls]!);
      if (again !== undefined) found.push(again);
      this.#takeResults(calls, calls.calls[this.#calls + 1]?.at ?? Number.POSITIVE_INFINITY);
    }
    this.#takeResults(calls, Number.POSITIVE_INFINITY);
    const uses = this.#vocabulary.takeUses();
    const told = uses.length === 0 ? undefined : new Set(found.map((f) => f.result));
    for (const use of uses) {
      const result = calls.results[use.result];
      if (result?.cleared === undefined || told?.has(use.result) === true || survey.shows(result.at, use.run))
        continue;
      const call = calls.callOf(use.at, use.part);
      if (call === undefined) continue;
      told?.add(use.result);
      found.push({ result: use.result, call, how: 'identifier' });
    }
    // Calls that a request has carried were looked at before it; after a restart they come by once more.
    return found.length === 0 ? found : found.filter((f) => f.call.at >= survey.sent);
  }

  #forget(): void {
    this.#tools.clear();
    this.#byCall.clear();
    this.#byPath.clear();
    this.#calls = 0;
    this.#results = 0;
  }

  /** The result that a call fetches once more, if it was cleared; one that still stands is only counted. */
  #again(calls: CallIndex, call: CallRecord): Reread | undefined {
    const same = this.#byCall.get(callIdentity(call));
    const meaning = same === undefined ? callMeaning(call) : undefined;
    const place =
      meaning?.kind === 'read' && meaning.path !== undefined
        ? this.#byPath.get(meaning.path)?.findLast((p) => overlaps(p.meaning, meaning))
        : undefined;
    const index = same ?? place?.result;
    const result = index === undefined ? undefined : calls.results[index];
    if (index === undefined || result === undefined) return undefined;
    if (result.cleared !== undefined) {
      return { result: index, call, how: same === undefined ? 'same_path' : 'same_call' };
    }
    const tool = this.#tools.get(result.tool);
    if (tool !== undefined) tool.revisits += 1;
    return undefined;
  }

  #takeResults(calls: CallIndex, before: number): void {
    for (; this.#results < calls.results.length; this.#results += 1) {
      const result = calls.results[this.#results]!;
      if (result.at >= before) return;
      const tool = this.#tools.get(result.tool) ?? { results: 0, rereads: 0, revisits: 0 };
      this.#tools.set(result.tool, tool);
      tool.results += 1;
      tool.rereads += result.rereads ?? 0;
      this.#place(calls, result);
    }
  }

  #place(calls: CallIndex, result: ResultRecord): void {
    if (result.call === undefined || result.error) return;
    const call = calls.calls[result.call]!;
    this.#byCall.set(callIdentity(call), this.#results);
    const meaning = callMeaning(call);
    if (meaning.kind !== 'read' || meaning.path === undefined) return;
    const list = this.#byPath.get(meaning.path) ?? [];
    list.push({ result: this.#results, meaning });
    if (list.length > READS_KEPT) list.shift();
    this.#byPath.set(meaning.path, list);
  }

  /** A fetch of what was cleared, of this tool. */
  charge(tool: string): void {
    const known = this.#tools.get(tool);
    if (known !== undefined) known.rereads += 1;
  }

  /**
   * Is a result kept longer, because what was cleared of its tool was needed again too often? Agents fetch again what
   * they still see as well: only what goes beyond that rate by half of what clearing can bear is laid to the clearing.
   */
  keeps(survey: Survey, index: number): boolean {
    const name = survey.calls.results[index]!.tool;
    const tool = this.#tools.get(name);
    if (tool === undefined || tool.rereads < REREADS_LEAST) return false;
    const cleared = survey.calls.clearedOf.get(name);
    if (cleared === undefined) return false;
    const { r, w, o } = ratios(survey);
    const block = {
      block: cleared.tokens / cleared.results,
      prompt: survey.viewTokens,
      output: FETCH_OUTPUT,
    };
    const bearable = recallLimit(block, requestsLeft(survey), r, w, o);
    const usual = (tool.revisits + USUAL_RATE * USUAL_WEIGHT) / (tool.results + USUAL_WEIGHT);
    if (tool.rereads / cleared.results < usual + bearable / 2) return false;
    const { toolUses = 0 } = survey.settings.curated.keep;
    const kept = Math.min(KEPT_MOST, toolUses + tool.rereads * KEPT_PER_REREAD);
    return survey.calls.results.length - index <= kept;
  }
}
