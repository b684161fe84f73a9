// Calls and tool messages of Chat Completions brought together. Tool messages stay where they are if they can:
// what stands between them and their calls steps behind them.
import type { DocEdit, Part, Profile, Repair } from '../types.js';
import {
  assignAll,
  best,
  type CallSlot,
  inserted,
  layOut,
  NO_RESULT,
  type OpenGroup,
  pairByPlace,
  type RepairDraft,
  type ResultSlot,
} from './draft.js';
import { firstCalls } from './ids.js';
import { isNews, lateText, NOT_FINISHED } from './late.js';
import { mendChat } from './openai-content.js';

/** PV-C3: OpenAI's bound on a call id. */
const OPENAI_IDS: IdRule = { maxLength: 40 };

type IdRule = NonNullable<Profile['ids']>;

interface Group extends OpenGroup {
  found: Map<string, ResultSlot[]>;
}

export function repairChat(draft: RepairDraft, profile?: Profile): void {
  new Pairs(draft, profile).run();
}

class Pairs {
  readonly #draft: RepairDraft;
  readonly #dropped = new Set<number>();
  readonly #byId = new Map<string, Group>();
  readonly #late: ResultSlot[] = [];
  /** Tool messages that answer no call of their round. */
  readonly #astray: ResultSlot[] = [];
  /** Where each call id first stands in the history. */
  readonly #first: ReadonlyMap<string, number>;
  #last: Group | undefined;

  readonly #ids: IdRule;
  /** PV-S7: calls that one message may hold. */
  readonly #maxCalls: number;
  /** Content beside calls where nothing is said (PV-S5). */
  readonly #unsaid: string;

  constructor(draft: RepairDraft, profile: Profile | undefined) {
    this.#draft = draft;
    this.#ids = profile?.ids ?? OPENAI_IDS;
    this.#maxCalls = profile?.maxCalls ?? Number.POSITIVE_INFINITY;
    this.#unsaid = profile?.plainContent === true ? '""' : 'null';
    this.#first = firstCalls(draft.history);
  }

  run(): void {
    const { history, from } = this.#draft;
    for (let at = from; at < history.length; at++) if (mendChat(this.#draft, at)) this.#dropped.add(at);
    const groups: Group[] = [];
    for (let at = this.#newestCall(); at < history.length; at++) {
      const { role, parts } = history[at]!.reading;
      if (role === 'tool') for (const part of parts) if (part.kind === 'tool_result') this.#tool(at, part);
      if (role !== 'assistant') continue;
      const group: Group = { ...layOut(at, parts, () => false), found: new Map() };
      for (const [i, call] of group.calls.entries()) fitId(call, at, i, this.#ids);
      this.#last = group;
      if (group.calls.length === 0) continue;
      groups.push(group);
      for (const call of group.calls) this.#byId.set(call.part.callId!, group);
    }
    for (const group of groups) {
      assignAll(group.calls, group.found);
      if (!pairByPlace(group.calls, group.loose)) this.#astray.push(...group.loose);
    }
    for (const slot of this.#astray) this.#lose(slot);
    for (const group of groups) this.#settle(group);
    for (const slot of this.#late) this.#asText(slot);
  }

  /** Behind all tool messages of the group that it stands among. */
  #asText({ at, part }: ResultSlot): void {
    if (this.#dropped.has(at)) return;
    this.#dropped.add(at);
    const { history } = this.#draft;
    let to = at + 1;
    while (to < history.length && history[to]!.reading.role === 'tool') to++;
    const json = JSON.stringify({ role: 'user', content: lateText(this.#draft, at, part) });
    this.#draft.add({
      what: `the result of call ${part.callId} came late: it goes in as text`,
      rule: 'PV-C2',
      callId: part.callId!,
      edits: [{ op: 'drop', at }, inserted(to, `late-${at}`, json)],
      frozen: [{ at, path: [] }],
    });
  }

  #newestCall(): number {
    const { history, from } = this.#draft;
    for (let at = from - 1; at >= 0; at--) {
      const { reading } = history[at]!;
      if (reading.role === 'assistant') return reading.parts.some((p) => p.kind === 'tool_call') ? at : from;
    }
    return from;
  }

  #tool(at: number, part: Part): void {
    const id = part.callId;
    const group = id === undefined ? undefined : this.#byId.get(id);
    // Without an id the place alone tells, which is the round's.
    const strays = id === '' && group !== this.#last;
    if (id !== undefined && group !== undefined && !strays && this.#reachable(group, at)) {
      const same = group.found.get(id);
      if (same === undefined) group.found.set(id, [{ at, part }]);
      else same.push({ at, part });
    } else if (this.#last !== undefined && this.#last.calls.length > 0 && this.#reachable(this.#last, at))
      this.#last.loose.push({ at, part });
    else this.#astray.push({ at, part });
  }

  #lose({ at, part }: ResultSlot): void {
    if (at < this.#draft.from) return;
    if ((this.#first.get(part.callId ?? '') ?? at) < at && isNews(this.#draft, at, part))
      this.#late.push({ at, part });
    else this.#drop(at, 'PV-C2', `a tool message that answers no call was left out`, part.callId);
  }

  /** A late answer may still count where the call waits and no other assistant turn was sent since. */
  #reachable(group: Group, at: number): boolean {
    const { from } = this.#draft;
    if (at < from) return true;
    if (group.at + 1 >= from) return this.#draft.isOpen(group.at);
    return this.#last === group && this.#draft.isOpen(group.at);
  }

  #drop(at: number, rule: string, what: string, callId?: string): void {
    if (this.#dropped.has(at)) return;
    this.#dropped.add(at);
    this.#draft.add({ what, rule, ...(callId === undefined ? {} : { callId }), edits: [{ op: 'drop', at }] });
  }

  #settle(group: Group): void {
    const { from } = this.#draft;
    for (const call of group.calls) {
      const keep = best(call.results, from);
      for (const extra of call.results)
        if (extra !== keep && extra.at >= from)
          this.#drop(extra.at, 'PV-C3', 'a second result of a call was left out', call.part.callId!);
      call.results = keep === undefined ? [] : [keep];
    }
    if (this.#split(group)) return;
    for (const call of group.calls) this.#mendCall(call);
    const { end, moves } = this.#gather(group);
    this.#fill(group, end);
    // Behind the error results, which go to the same place.
    if (moves !== undefined) this.#draft.add(moves);
  }

  #mendCall(call: CallSlot): void {
    const { from } = this.#draft;
    const id = call.part.callId!;
    const edits: DocEdit[] = [];
    if (call.copy) {
      if (call.at >= from) edits.push({ at: call.at, op: 'remove', path: call.part.path });
      this.#draft.add({ what: `a second copy of call ${id} was left out`, rule: 'PV-C3', callId: id, edits });
      return;
    }
    if (call.newId === undefined) return;
    const json = JSON.stringify(call.newId);
    const result = call.results[0];
    if (call.at >= from && call.newId !== id)
      edits.push({ at: call.at, op: 'set', path: [...call.part.path, 'id'], json });
    if (result !== undefined && result.at >= from)
      edits.push({ at: result.at, op: 'set', path: ['tool_call_id'], json });
    this.#draft.add({ what: `call id ${id} goes out as ${call.newId}`, rule: 'PV-C3', callId: id, edits });
  }

  /**
   * PV-S7: where a template takes fewer calls at once, each few go out as a message of their own with their results. What was
   * sent stays as it is, and calls that may still be answered wait.
   */
  #split(group: Group): boolean {
    const { history, from, pending } = this.#draft;
    const calls = group.calls.filter((c) => !c.copy);
    if (calls.length <= this.#maxCalls || group.at < from) return false;
    const waits = (c: CallSlot) => c.results.length === 0 && !pending.has(c.part.callId!);
    if (group.at === history.length - 1 && calls.some(waits)) return false;
    const inserts: DocEdit[] = [];
    // Behind it: that its calls are closed is told by what stands there.
    const place = (json: string) => inserts.push(inserted(group.at + 1, `split-${inserts.length}`, json));
    for (let i = 0; i < calls.length; i += this.#maxCalls) {
      const some = calls.slice(i, i + this.#maxCalls);
      const list = `[${some.map((c) => this.#callText(c)).join(',')}]`;
      place(
        i === 0
          ? this.#draft.messageText(group.at, [{ op: 'set', path: ['tool_calls'], json: list }])
          : `{"role":"assistant","content":${this.#unsaid},"tool_calls":${list}}`,
      );
      for (const call of some) {
        const at = call.results[0]?.at;
        const id = call.part.callId!;
        const text = pending.has(id) ? NOT_FINISHED : NO_RESULT;
        place(at === undefined ? standIn(call.newId ?? id, text) : this.#moved(group, at));
      }
    }
    const gone = [group.at, ...calls.flatMap((c) => c.results.map((r) => r.at))];
    for (const at of gone) this.#dropped.add(at);
    this.#draft.add({
      what: `${calls.length} calls at once go out one message after the other`,
      rule: 'PV-S7',
      edits: [...gone.map((at): DocEdit => ({ op: 'drop', at })), ...inserts],
      frozen: gone.map((at) => ({ at, path: [] })),
    });
    return true;
  }

  /** Exact text of a call as it goes out. */
  #callText({ at, part, newId }: CallSlot): string {
    const id = newId ?? part.callId!;
    return this.#draft.blockText(at, part.path, [
      { op: 'set', path: [...part.path, 'id'], json: JSON.stringify(id) },
    ]);
  }

  /** How the results of a group come together behind their calls, and the index behind the last one. */
  #gather(group: Group): { end: number; moves?: Repair } {
    const { history, from } = this.#draft;
    const mine = new Set(group.calls.flatMap((c) => c.results.map((r) => r.at)));
    // What was sent stands as it was mended then: only results that are new may still have to move.
    let end = Math.max(group.at, ...[...mine].filter((at) => at < from)) + 1;
    while (end < history.length && (mine.has(end) || (this.#dropped.has(end) && end >= from))) end++;
    const far = [...mine].filter((at) => at >= end && at >= from).sort((a, b) => a - b);
    const last = far.at(-1);
    if (last === undefined) return { end };
    const between: number[] = [];
    for (let at = end; at < last; at++) if (!mine.has(at) && !this.#dropped.has(at)) between.push(at);
    const movable = (at: number) => at >= from && ['user', 'system'].includes(history[at]!.reading.role);
    const edits: DocEdit[] = [];
    const aside = between.every(movable);
    for (const at of aside ? between : far) {
      const to = aside ? last + 1 : end;
      edits.push({ op: 'drop', at }, inserted(to, `moved-${at}`, this.#moved(group, at)));
      this.#dropped.add(at);
    }
    const moves: Repair = {
      what: aside
        ? 'what stood between calls and results was moved behind them'
        : 'results were moved to their calls',
      rule: 'PV-C1',
      callId: group.calls[0]!.part.callId!,
      edits,
      frozen: (aside ? between : far).map((at) => ({ at, path: [] })),
    };
    return { end: aside ? last + 1 : end, moves };
  }

  #moved(group: Group, at: number): string {
    const call = group.calls.find((c) => c.results[0]?.at === at);
    if (call?.newId === undefined) return this.#draft.messageText(at);
    return this.#draft.messageText(at, [
      { op: 'set', path: ['tool_call_id'], json: JSON.stringify(call.newId) },
    ]);
  }

  /** Results of ours for calls that have none. A call of the newest message may wait, unless the host says that it does. */
  #fill(group: Group, end: number): void {
    const { history, pending } = this.#draft;
    const newest = group.at === history.length - 1;
    for (const call of group.calls) {
      const id = call.part.callId!;
      if (call.copy || call.results.length > 0 || !this.#draft.isOpen(group.at)) continue;
      const callId = call.newId ?? id;
      const waits = pending.has(id);
      if (newest && !waits) continue;
      const edits = [inserted(end, callId, standIn(callId, waits ? NOT_FINISHED : NO_RESULT))];
      this.#draft.add({
        what: waits
          ? `call ${id} is in flight: it got a result that says so`
          : `call ${id} had no result: it got an error result`,
        rule: 'PV-C1',
        callId: id,
        edits,
      });
    }
  }
}

function standIn(callId: string, content: string): string {
  return JSON.stringify({ role: 'tool', tool_call_id: callId, content });
}

/** PV-C3, PV-S6: an id that the provider would refuse gets one made of itself and its position. */
function fitId(call: CallSlot, at: number, i: number, rule: IdRule): void {
  const id = call.newId ?? call.part.callId!;
  if (id.length <= rule.maxLength && rule.pattern?.test(id) !== false) return;
  call.newId = rule.pattern === undefined ? `${id.slice(0, 20)}_${at}_${i}` : plainId(`${id}/${at}/${i}`);
}

/** Nine alphanumeric characters that are a function of the text (FNV-1a, twice with different seeds). */
function plainId(text: string): string {
  const hash = (seed: number) => {
    let h = seed;
    for (let k = 0; k < text.length; k++) h = Math.imul(h ^ text.charCodeAt(k), 0x01000193) >>> 0;
    return h.toString(36).padStart(7, '0');
  };
  return (hash(0x811c9dc5) + hash(0x1234567)).slice(-9);
}
