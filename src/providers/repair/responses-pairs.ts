// Calls, outputs and reasoning of Responses items brought together. An output may stand anywhere behind its call.

import type { TextEdit } from '../../json/index.js';
import { releaseOf } from '../edits.js';
import { CALLS, isAnswer, outputType, REFERENCE } from '../openai-responses/items.js';
import type { DocEdit, Part, Profile } from '../types.js';
import { jsonOf, member, str } from '../values.js';
import {
  best,
  type CallSlot,
  inserted,
  NO_RESULT,
  pairByPlace,
  type RepairDraft,
  type ResultSlot,
  UNNAMED,
} from './draft.js';
import { firstCalls } from './ids.js';
import { isNews, lateText, NOT_FINISHED } from './late.js';
import { mendItem } from './openai-content.js';

interface Open {
  at: number;
  part: Part;
  newId?: string;
  outputs: ResultSlot[];
  /** Model turn that it stands in. */
  round: number;
}

export function repairResponses(draft: RepairDraft, profile?: Profile): void {
  new Pairs(draft).run(profile);
}

class Pairs {
  readonly #draft: RepairDraft;
  readonly #dropped = new Set<number>();
  /** Places before which an item of ours goes in: it parts what stands around it. */
  readonly #parted = new Set<number>();
  /** Calls under one id that may still take outputs, oldest first. */
  readonly #byId = new Map<string, Open[]>();
  readonly #calls: Open[] = [];
  /** Outputs that answer no call by their id, by model turn and type of their call. */
  readonly #loose = new Map<string, ResultSlot[]>();
  #round = 0;
  /** References of the model turn, and outputs that answer what one of them stands for. */
  #references = 0;
  readonly #referred = new Set<string>();

  /** Where each call id first stands in the history. */
  readonly #first: ReadonlyMap<string, number>;

  constructor(draft: RepairDraft) {
    this.#draft = draft;
    this.#first = firstCalls(draft.history);
  }

  run(profile: Profile | undefined): void {
    const { history, from } = this.#draft;
    for (let at = from; at < history.length; at++)
      if (mendItem(this.#draft, at, profile?.store)) this.#dropped.add(at);
    for (let at = this.#start(); at < history.length; at++) {
      const { role, parts } = history[at]!.reading;
      const [part] = parts;
      if (role === 'assistant' && history[at - 1]?.reading.role !== 'assistant') {
        this.#round++;
        this.#references = 0;
      }
      if (part?.type === REFERENCE && !this.#dropped.has(at)) this.#references++;
      if (part?.kind === 'tool_call') this.#call(at, part);
      else if (part?.kind === 'tool_result') this.#output(at, part);
    }
    for (const slot of this.#byPlace()) this.#astray(slot);
    for (const call of this.#calls) this.#settle(call);
    this.#reasoning();
  }

  /** First item of the newest model turn before `from`, whose calls may still be open. */
  #start(): number {
    const { history, from } = this.#draft;
    let at = from;
    while (at > 0 && history[at - 1]!.reading.role === 'tool') at--;
    while (at > 0 && history[at - 1]!.reading.role === 'assistant') at--;
    return at;
  }

  #call(at: number, part: Part): void {
    const id = part.callId!;
    const same = this.#byId.get(id) ?? [];
    const call: Open = { at, part, outputs: [], round: this.#round };
    // Items are one flat list: an id that comes again would pair across turns.
    if (id === '' || (this.#first.get(id) ?? at) < at) {
      let newId = `${id === '' ? UNNAMED : id.slice(0, 40)}_${at}`;
      while (this.#first.has(newId)) newId += 'x';
      call.newId = newId;
    }
    this.#byId.set(id, [...same.filter((c) => c.outputs.length === 0), call]);
    this.#calls.push(call);
  }

  #output(at: number, part: Part): void {
    // Without an id the place alone tells, which is the model turn's.
    const open = (this.#byId.get(part.callId!) ?? []).filter(
      (c) => part.callId !== '' || c.round === this.#round,
    );
    const call = open.find((c) => c.outputs.length === 0) ?? open.at(-1);
    const settled =
      call !== undefined && call.at < this.#draft.from && at >= this.#draft.from && !this.#waits();
    if (call !== undefined && !settled) call.outputs.push({ at, part });
    else if (this.#isReferred(part.callId!)) {
      this.#references--;
      this.#referred.add(part.callId!);
    } else {
      const key = `${this.#round} ${outputType(part.type)!.call}`;
      const same = this.#loose.get(key);
      if (same === undefined) this.#loose.set(key, [{ at, part }]);
      else same.push({ at, part });
    }
  }

  /** May the call be one that a reference of this model turn stands for? Each is answered once. */
  #isReferred(id: string): boolean {
    return this.#references > 0 && id !== '' && !this.#first.has(id) && !this.#referred.has(id);
  }

  /** Calls and outputs of one model turn that answer each other by their place, type by type. Gives the outputs that answer none. */
  #byPlace(): ResultSlot[] {
    const calls = new Map<string, (CallSlot & Open)[]>();
    for (const call of this.#loose.size === 0 ? [] : this.#calls) {
      const key = `${call.round} ${call.part.type}`;
      const slot = Object.assign(call, { results: call.outputs });
      const same = calls.get(key);
      if (same === undefined) calls.set(key, [slot]);
      else same.push(slot);
    }
    return [...this.#loose].flatMap(([key, loose]) => {
      const mine = calls.get(key) ?? [];
      const may = mine.every((c) => c.at >= this.#draft.from || this.#waits());
      return may && pairByPlace(mine, loose) ? [] : loose;
    });
  }

  /** An output that answers no call of the request. */
  #astray({ at, part }: ResultSlot): void {
    if (at < this.#draft.from) return;
    if ((this.#first.get(part.callId!) ?? at) < at && isNews(this.#draft, at, part)) this.#late(at, part);
    else this.#drop(at, 'PV-R1', 'an output that answers no call was left out', part.callId);
  }

  /** A call before `from` waits if it stands at the end of what was known then. */
  #waits(): boolean {
    const { history, from } = this.#draft;
    return history[from - 1]?.reading.role === 'assistant' && !this.#draft.closed;
  }

  #drop(at: number, rule: string, what: string, callId?: string): void {
    if (this.#dropped.has(at)) return;
    this.#dropped.add(at);
    this.#draft.add({ what, rule, ...(callId === undefined ? {} : { callId }), edits: [{ op: 'drop', at }] });
  }

  #late(at: number, part: Part): void {
    if (this.#dropped.has(at)) return;
    this.#dropped.add(at);
    const content = lateText(this.#draft, at, part);
    const json = JSON.stringify({ type: 'message', role: 'user', content });
    this.#parted.add(at);
    this.#draft.add({
      what: `the output of ${part.callId} came late: it goes in as text`,
      rule: 'PV-R1',
      callId: part.callId!,
      edits: [{ op: 'drop', at }, inserted(at, 'late', json)],
      frozen: [{ at, path: [] }],
    });
  }

  #settle(call: Open): void {
    const { from } = this.#draft;
    const id = call.part.callId!;
    let keep = best(call.outputs, from);
    for (const extra of call.outputs)
      if (extra !== keep && extra.at >= from)
        this.#drop(extra.at, 'PV-R1', `a second output of call ${id} was left out`, id);
    const edits: DocEdit[] = [];
    const row = CALLS[call.part.type!]!;
    if (call.newId !== undefined && call.newId !== id && call.at >= from)
      edits.push({ at: call.at, op: 'set', path: [row.callKey], json: JSON.stringify(call.newId) });
    if (keep !== undefined && keep.at >= from) {
      const key = outputType(keep.part.type)!.outputKey;
      const renamed: DocEdit[] =
        call.newId === undefined
          ? []
          : [{ at: keep.at, op: 'set', path: [key], json: JSON.stringify(call.newId) }];
      if (!isAnswer(keep.part.type, call.part.type!)) {
        if (call.part.type === 'function_call' || call.part.type === 'custom_tool_call') {
          const item = this.#draft.history[keep.at]!.native.value;
          for (const edit of retyped(item, row.output, call.newId ?? id))
            edits.push({ at: keep.at, ...edit });
        } else {
          this.#drop(keep.at, 'PV-R1', `the output of call ${id} has another type: it was left out`, id);
          keep = undefined;
        }
      }
      if (keep !== undefined) edits.push(...renamed);
    }
    this.#draft.add({
      what: `call id ${id} goes out as ${call.newId ?? id}, with an output of its type`,
      rule: 'PV-R1',
      callId: id,
      edits,
    });
    if (keep === undefined) this.#fill(call);
  }

  /** An error output behind the model's turn; a call whose output we cannot write goes. The newest turn may wait. */
  #fill(call: Open): void {
    const { history, from, pending } = this.#draft;
    const id = call.part.callId!;
    const end = this.#turnEnd(call.at);
    if ((end === history.length && !pending.has(id)) || (call.at < from && !this.#waits())) return;
    const json = errorOutput(call.part.type!, call.newId ?? id, pending.has(id) ? NOT_FINISHED : NO_RESULT);
    if (json === undefined) {
      if (call.at >= from) this.#drop(call.at, 'PV-R1', `call ${id} had no output: it was left out`, id);
      return;
    }
    this.#parted.add(end);
    this.#draft.add({
      what: pending.has(id)
        ? `call ${id} is in flight: it got an output that says so`
        : `call ${id} had no output: it got an error output`,
      rule: 'PV-R1',
      callId: id,
      edits: [inserted(end, call.newId ?? id, json)],
    });
  }

  #knownEnd = 0;
  /** Index behind the run of the model's items that holds `at`; runs are asked for in order. */
  #turnEnd(at: number): number {
    const { history } = this.#draft;
    if (this.#knownEnd <= at) {
      this.#knownEnd = at + 1;
      while (history[this.#knownEnd]?.reading.role === 'assistant') this.#knownEnd++;
    }
    return this.#knownEnd;
  }

  /** PV-R3: reasoning without the item it produced goes, also at the very end: a request ends there. Backwards, run by run. */
  #reasoning(): void {
    const { history, from } = this.#draft;
    let follower = false;
    for (let at = history.length - 1; at >= from; at--) {
      if (this.#parted.has(at + 1)) follower = false;
      if (this.#dropped.has(at)) continue;
      const { role, parts } = history[at]!.reading;
      const type = parts[0]?.type;
      if (type !== 'reasoning') follower = role === 'assistant' && type !== 'compaction';
      else if (!follower) this.#drop(at, 'PV-R3', 'reasoning without the item it produced was left out');
    }
    for (let at = from; at < history.length; at++) this.#release(at);
  }

  /** PV-R4: a call behind reasoning that goes keeps its `call_id` and loses the `id` that refers to it. */
  #release(at: number): void {
    const { history } = this.#draft;
    if (!this.#dropped.has(at) || history[at]!.reading.parts[0]?.type !== 'reasoning') return;
    let next = at + 1;
    while (this.#dropped.has(next)) next++;
    const item = history[next];
    const release = item?.reading.role === 'assistant' ? (releaseOf(item) ?? []) : [];
    const callId = item?.reading.parts[0]?.callId;
    this.#draft.add({
      what: 'an item without the reasoning before it lost the id that refers to it',
      rule: 'PV-R4',
      ...(callId === undefined ? {} : { callId }),
      edits: release.map((e) => ({ at: next, ...e })),
    });
  }
}

/** Types of outputs that hold a string, or a list of parts of known types. */
const PLAIN_OUTPUTS: ReadonlySet<string | undefined> = new Set(
  ['function_call', 'custom_tool_call'].map((type) => CALLS[type]!.output),
);

/** What makes an output of another type one of `type`: what only its own type may hold goes out as its JSON text. */
function retyped(item: unknown, type: string, callId: string): TextEdit[] {
  const edits: TextEdit[] = [{ op: 'set', path: ['type'], json: JSON.stringify(type) }];
  if (PLAIN_OUTPUTS.has(str(item, 'type'))) return edits;
  edits.push({ op: 'set', path: ['call_id'], json: JSON.stringify(callId) });
  const output = member(item, 'output');
  if (typeof output !== 'string' || output === '')
    edits.push({ op: 'set', path: ['output'], json: JSON.stringify(jsonOf(output || item)) });
  return edits;
}

function errorOutput(type: string, id: string, output: string): string | undefined {
  switch (type) {
    case 'function_call':
    case 'custom_tool_call':
      return JSON.stringify({ type: `${type}_output`, call_id: id, output });
    case 'local_shell_call':
      return JSON.stringify({ type: 'local_shell_call_output', id, output });
    case 'apply_patch_call':
      return JSON.stringify({
        type: 'apply_patch_call_output',
        call_id: id,
        status: 'failed',
        output,
      });
    default:
      return undefined;
  }
}
