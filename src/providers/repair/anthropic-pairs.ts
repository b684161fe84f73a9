// Calls and results of Anthropic messages brought together: what is missing gets an error result, what is orphaned
// goes, what stands in a wrong place is moved. Edits name original places; results stay where they are if they can.
import type { Path, TextEdit } from '../../json/index.js';
import type { DocEdit, Part, Repair } from '../types.js';
import { member } from '../values.js';
import { type Mended, mendAnthropic } from './anthropic-content.js';
import { repairHead, textBlock, userMessage } from './anthropic-texts.js';
import {
  assignAll,
  best,
  type CallSlot,
  inserted,
  layOut,
  NO_RESULT,
  NO_TEXT,
  type OpenGroup,
  pairByPlace,
  RESULTS_REMOVED,
  type RepairDraft,
  type ResultSlot,
} from './draft.js';
import { firstCalls } from './ids.js';
import { isNews, lateBlocks, NOT_FINISHED } from './late.js';
import { mendMidSystem, type SystemRules } from './mid-system.js';
import { lonelyServerParts } from './server-pairs.js';

interface Group extends OpenGroup {
  /** Results by id, in the order of their arrival. */
  found: Map<string, ResultSlot[]>;
  /** Behind a compaction block that followed nothing of it is read: a result that comes then goes in as text. */
  hidden: boolean;
}

/** What became of one message: blocks gone, and results of ours in it. */
interface Fate extends Mended {
  gained: number;
  dropped: boolean;
}

export function repairAnthropic(draft: RepairDraft, rules: SystemRules): void {
  new Pairs(draft).run(rules);
}

class Pairs {
  readonly #draft: RepairDraft;
  readonly #fates = new Map<number, Fate>();
  readonly #groups: Group[] = [];
  /** The newest group that calls under each id. */
  readonly #byId = new Map<string, Group>();
  readonly #orphans: ResultSlot[] = [];
  /** The group of the newest assistant message, if it calls. */
  #round: Group | undefined;
  /** Positions before which a user message of ours was put. */
  readonly #before = new Set<number>();
  #start = 0;

  constructor(draft: RepairDraft) {
    this.#draft = draft;
  }

  run(rules: SystemRules): void {
    const { history, from } = this.#draft;
    for (let at = from; at < history.length; at++)
      this.#fates.set(at, { ...mendAnthropic(this.#draft, at), gained: 0, dropped: false });
    const system = mendMidSystem(this.#draft, rules);
    for (const at of system.dropped) this.#fates.get(at)!.dropped = true;
    this.#start = this.#newestCall();
    const first = firstCalls(history);
    for (let at = this.#start; at < history.length; at++) this.#collect(at, first);
    for (const group of this.#groups) this.#settle(group);
    this.#writeOwn();
    this.#dropOrphans();
    this.#serverPairs();
    for (let at = from; at < history.length; at++) this.#resultsFirst(at);
    this.#empties();
    if (!system.demoted.has(0)) repairHead(this.#draft);
  }

  /** The assistant message before `from` whose round may still be open; messages before it are settled. */
  #newestCall(): number {
    const { history, from } = this.#draft;
    for (let at = from - 1; at >= 0; at--) {
      const { reading } = history[at]!;
      if (reading.role === 'assistant') return reading.parts.some((p) => p.kind === 'tool_call') ? at : from;
    }
    return from;
  }

  #collect(at: number, first: ReadonlyMap<string, number>): void {
    const { role, parts } = this.#draft.history[at]!.reading;
    const gone = this.#fates.get(at)?.gone;
    const kept = parts.filter((p) => gone?.has(blockIndex(p)) !== true);
    if (role === 'assistant') {
      if (parts[0]?.type === 'compaction') for (const group of this.#groups) group.hidden = true;
      const group: Group = {
        ...layOut(at, kept, (id) => (first.get(id) ?? at) < at),
        found: new Map(),
        hidden: false,
      };
      this.#round = group.calls.length === 0 ? undefined : group;
      if (group.calls.length === 0) return;
      this.#groups.push(group);
      for (const call of group.calls) this.#byId.set(call.part.callId!, group);
      return;
    }
    for (const part of kept) {
      if (part.kind !== 'tool_result') continue;
      const slot = { at, part };
      const group = this.#byId.get(part.callId!);
      // Without an id the place alone tells, which is the round's.
      const strays = part.callId === '' && group !== this.#round;
      if (group === undefined || strays || group.hidden || !this.#reachable(group, slot)) {
        const may = this.#round !== undefined && !this.#round.hidden && this.#reachable(this.#round, slot);
        (may ? this.#round!.loose : this.#orphans).push(slot);
        continue;
      }
      const same = group.found.get(part.callId!);
      if (same === undefined) group.found.set(part.callId!, [slot]);
      else same.push(slot);
    }
  }

  /** A late result may go back to its call only where the call still waits and no other turn was sent since. */
  #reachable(group: Group, { at }: ResultSlot): boolean {
    const target = group.at + 1;
    if (at < this.#draft.from) return true;
    if (!this.#draft.isOpen(group.at)) return at === target && target !== this.#draft.from;
    if (at === target || target >= this.#draft.from) return true;
    for (let i = target; i < at; i++) if (this.#draft.history[i]!.reading.role === 'assistant') return false;
    return true;
  }

  #settle(group: Group): void {
    assignAll(group.calls, group.found);
    if (!pairByPlace(group.calls, group.loose)) this.#orphans.push(...group.loose);
    for (const call of group.calls) this.#mendCall(call);
    const start = this.#draft.repairs.length;
    const ranks = new Map<Repair, number>();
    const home = this.#move(group, ranks);
    this.#fill(group, home, ranks);
    this.#order(group, home);
    // Blocks that go to one place stand in the order of the edits: call order (PV-A4).
    const placed = this.#draft.repairs.splice(start);
    this.#draft.repairs.push(...placed.sort((a, b) => (ranks.get(a) ?? -1) - (ranks.get(b) ?? -1)));
  }

  /** Ids and copies of one call; extra results go. */
  #mendCall(call: CallSlot): void {
    const { from } = this.#draft;
    const id = call.part.callId!;
    if (call.copy) {
      if (call.at >= from) this.#removeBlock(call, 'PV-A3', `a second copy of call ${id} was left out`);
      return;
    }
    const keep = best(call.results, from);
    for (const extra of call.results)
      if (extra !== keep && extra.at >= from)
        this.#removeBlock(extra, 'PV-A3', `a second result of call ${id} was left out`);
    call.results = keep === undefined ? [] : [keep];
    if (call.newId === undefined) return;
    const edits: DocEdit[] = [];
    const json = JSON.stringify(call.newId);
    if (call.at >= from && call.newId !== id)
      edits.push({ at: call.at, op: 'set', path: [...call.part.path, 'id'], json });
    if (keep !== undefined && keep.at >= from)
      edits.push({ at: keep.at, op: 'set', path: [...keep.part.path, 'tool_use_id'], json });
    this.#draft.add({
      what:
        id === '' || call.newId === id
          ? `a call and its result were paired by their place: they go out as ${call.newId}`
          : `call id ${id} was used before: it goes out as ${call.newId}`,
      rule: 'PV-A3',
      callId: id,
      edits,
    });
  }

  /** Index of the message that holds, or shall hold, the results of the group, and whether it is one of the host's. */
  #move(group: Group, ranks: Map<Repair, number>): Home {
    const { history, from } = this.#draft;
    const next = group.at + 1;
    const results = group.calls.flatMap((c) => c.results);
    const isUser = (at: number) => history[at]?.reading.role === 'user';
    const inNext = results.some((r) => r.at === next);
    const homes = new Set(results.map((r) => r.at));
    const only = [...homes][0];
    if (!inNext && homes.size === 1 && only !== undefined && this.#canStepAside(next, only)) {
      this.#stepAside(group, next, only);
      return homeOf(group, only, true);
    }
    const host = inNext && isUser(next) && Array.isArray(member(history[next]!.native.value, 'content'));
    const home = homeOf(group, next, host);
    for (const [rank, call] of group.calls.entries()) {
      const result = call.results[0];
      if (result === undefined || result.at === next || result.at < from) continue;
      const id = call.part.callId!;
      const rename: TextEdit[] =
        call.newId === undefined
          ? []
          : [{ op: 'set', path: [...result.part.path, 'tool_use_id'], json: JSON.stringify(call.newId) }];
      const json = this.#draft.blockText(result.at, result.part.path, rename);
      this.#take(result);
      const repair: Repair = {
        what: `the result of call ${id} was moved to the message after its call`,
        rule: host ? 'PV-A4' : 'PV-A6',
        callId: id,
        edits: [
          { at: result.at, op: 'remove', path: result.part.path },
          ...(host ? [this.#place(home, rank, json)] : this.#ownMessage(next, rank, id, json)),
        ],
        frozen: [{ at: result.at, path: result.part.path }],
      };
      ranks.set(repair, rank);
      this.#draft.add(repair);
    }
    return home;
  }

  /** Messages between a call and its results step behind them, if none of them is the assistant's or was sent. */
  #canStepAside(next: number, home: number): boolean {
    if (next < this.#draft.from) return false;
    for (let at = next; at < home; at++) {
      const { reading } = this.#draft.history[at]!;
      if (reading.role === 'assistant' || reading.parts.some((p) => p.kind === 'tool_result')) return false;
    }
    return true;
  }

  #stepAside(group: Group, next: number, home: number): void {
    const edits: DocEdit[] = [];
    const frozen: { at: number; path: Path }[] = [];
    for (let at = next; at < home; at++) {
      if (this.#fates.get(at)!.dropped) continue;
      edits.push({ op: 'drop', at }, inserted(home + 1, `moved-${at}`, this.#draft.messageText(at)));
      frozen.push({ at, path: [] });
      this.#fates.get(at)!.dropped = true;
      this.#before.add(home + 1);
    }
    const id = group.calls[0]!.part.callId!;
    this.#draft.add({
      what: 'what stood between calls and results was moved behind them',
      rule: 'PV-A6',
      callId: id,
      edits,
      frozen,
    });
  }

  /** PV-A4: results of one message stand in call order; where they don't, each place gets the block that belongs there. */
  #order(group: Group, home: Home): void {
    if (!home.own || home.at < this.#draft.from) return;
    const there = group.calls.flatMap((call) => {
      const result = call.results[0];
      return result?.at === home.at ? [{ call, result }] : [];
    });
    const places = there.map(({ result }) => blockIndex(result.part)).sort((a, b) => a - b);
    if (there.every(({ result }, i) => blockIndex(result.part) === places[i])) return;
    const edits: DocEdit[] = [];
    const frozen: { at: number; path: Path }[] = [];
    for (const [i, { call, result }] of there.entries()) {
      const path = ['content', places[i]!];
      const rename: TextEdit[] =
        call.newId === undefined
          ? []
          : [{ op: 'set', path: [...result.part.path, 'tool_use_id'], json: JSON.stringify(call.newId) }];
      edits.push({
        at: home.at,
        op: 'set',
        path,
        json: this.#draft.blockText(home.at, result.part.path, rename),
      });
      frozen.push({ at: home.at, path });
    }
    this.#draft.add({
      what: 'results were put in the order of their calls',
      rule: 'PV-A4',
      callId: there[0]!.call.part.callId!,
      edits,
      frozen,
    });
  }

  /** Results of ours for calls that have none. A call message that is the newest one may wait. */
  #fill(group: Group, home: Home, ranks: Map<Repair, number>): void {
    const { history, pending } = this.#draft;
    const newest = group.at === history.length - 1;
    for (const [rank, call] of group.calls.entries()) {
      const id = call.part.callId!;
      if (call.copy || call.results.length > 0 || !this.#draft.isOpen(group.at)) continue;
      const waits = pending.has(id);
      if (newest && !waits) continue;
      const json = JSON.stringify({
        type: 'tool_result',
        tool_use_id: call.newId ?? id,
        ...(waits ? { content: NOT_FINISHED } : { content: NO_RESULT, is_error: true }),
      });
      const repair: Repair = {
        what: waits
          ? `call ${id} is in flight: it got a result that says so`
          : `call ${id} had no result: it got an error result`,
        rule: 'PV-A1',
        callId: id,
        edits: home.own ? [this.#place(home, rank, json)] : this.#ownMessage(group.at + 1, rank, id, json),
      };
      ranks.set(repair, rank);
      this.#draft.repairs.push(repair);
    }
  }

  /** A result block into a message that already holds results of the group, in call order. */
  #place(home: Home, rank: number, json: string): DocEdit {
    const fate = this.#fates.get(home.at);
    if (fate !== undefined) fate.gained++;
    return { at: home.at, op: 'before', path: ['content', home.slots[rank]!], json };
  }

  readonly #own = new Map<
    number,
    { edit: Extract<DocEdit, { before: number }>; blocks: Map<number, string> }
  >();

  /** A result block into a user message of ours behind the call message; one message for all of a group. */
  #ownMessage(before: number, rank: number, id: string, json: string): DocEdit[] {
    const there = this.#own.get(before);
    const blocks = there?.blocks ?? new Map<number, string>();
    blocks.set(rank, json);
    if (there !== undefined) return [];
    const edit = inserted(before, id, '');
    this.#own.set(before, { edit, blocks });
    this.#before.add(before);
    return [edit];
  }

  /** The messages of ours get their text once all of their blocks are known: in call order. */
  #writeOwn(): void {
    for (const { edit, blocks } of this.#own.values())
      edit.json = userMessage([...blocks].sort(([a], [b]) => a - b).map(([, json]) => json));
  }

  #take(slot: ResultSlot): void {
    this.#fates.get(slot.at)?.gone.add(blockIndex(slot.part));
  }

  #removeBlock(slot: ResultSlot, rule: string, what: string): void {
    this.#take(slot);
    const edits: DocEdit[] = [{ at: slot.at, op: 'remove', path: slot.part.path }];
    this.#draft.add({ what, rule, callId: slot.part.callId!, edits });
  }

  #dropOrphans(): void {
    const first = firstCalls(this.#draft.history);
    for (const slot of this.#orphans)
      if (slot.at < this.#draft.from) continue;
      else if ((first.get(slot.part.callId!) ?? slot.at) < slot.at && isNews(this.#draft, slot.at, slot.part))
        this.#asText(slot);
      else
        this.#removeBlock(
          slot,
          'PV-A2',
          `the result of ${slot.part.callId} answers no call: it was left out`,
        );
  }

  /** A result that came after its call was answered and sent: what was sent stays. */
  #asText(slot: ResultSlot): void {
    const { at, part } = slot;
    const blocks = lateBlocks(this.#draft, at, part);
    this.#take(slot);
    const fate = this.#fates.get(at);
    if (fate !== undefined) fate.gained++;
    this.#draft.add({
      what: `the result of ${part.callId} came late: it goes in as text`,
      rule: 'PV-A2',
      callId: part.callId!,
      edits: [
        { at, op: 'remove', path: part.path },
        ...blocks.map((json): DocEdit => ({ at, op: 'append', path: ['content'], json })),
      ],
      frozen: [{ at, path: part.path }],
    });
  }

  #serverPairs(): void {
    const { history, from } = this.#draft;
    for (const slot of lonelyServerParts(history, from, this.#before))
      this.#removeBlock(slot, 'PV-A34', `${slot.part.type} without its other half was left out`);
  }

  /** PV-A5: blocks before a result step behind the last one. */
  #resultsFirst(at: number): void {
    const fate = this.#fates.get(at)!;
    const { parts, role } = this.#draft.history[at]!.reading;
    if (role !== 'user' || fate.dropped) return;
    const left = (p: Part) => p.path.length === 2 && !fate.gone.has(blockIndex(p));
    const last = parts.findLastIndex((p) => p.kind === 'tool_result' && left(p));
    const edits: DocEdit[] = [];
    const frozen: { at: number; path: Path }[] = [];
    for (let i = 0; i < last; i++) {
      const part = parts[i]!;
      if (part.kind === 'tool_result' || !left(part)) continue;
      const json = this.#draft.blockText(at, part.path);
      edits.push(
        { at, op: 'remove', path: part.path },
        { at, op: 'before', path: ['content', last + 1], json },
      );
      frozen.push({ at, path: part.path });
    }
    this.#draft.add({ what: 'tool results were put before the other blocks', rule: 'PV-A5', edits, frozen });
  }

  /** Messages that lost all they had go, or keep a placeholder where the roles around them need one. */
  #empties(): void {
    const { history, from } = this.#draft;
    let last = from > 0 ? history[from - 1]!.reading.role : undefined;
    for (let at = from; at < history.length; at++) {
      const fate = this.#fates.get(at)!;
      const { role, parts } = history[at]!.reading;
      if (this.#before.has(at)) last = 'user';
      if (fate.dropped) continue;
      const blocks = parts.filter((p) => p.path.length === 2).length;
      const empty = blocks > 0 && fate.gone.size >= blocks && !fate.filled && fate.gained === 0;
      if (!empty) {
        last = role;
        continue;
      }
      if (role === 'user' && last === 'user') {
        this.#draft.add({
          what: 'a message that held nothing else was left out',
          rule: 'PV-A7',
          edits: [{ op: 'drop', at }],
        });
        continue;
      }
      const edits: DocEdit[] = [
        { at, op: 'append', path: ['content'], json: textBlock(role === 'user' ? RESULTS_REMOVED : NO_TEXT) },
      ];
      this.#draft.add({ what: 'a message that held nothing else got a placeholder', rule: 'PV-A7', edits });
      last = role;
    }
  }
}

/** The message that holds a group's results, and before which of its blocks a result of each rank goes. */
interface Home {
  at: number;
  own: boolean;
  slots: number[];
}

function homeOf(group: Group, at: number, own: boolean): Home {
  const slots: number[] = [];
  // Results that stand here end up in call order (#order), so the first call's is at the first of their places.
  const places = group.calls
    .flatMap((c) => (c.results[0]?.at === at ? [blockIndex(c.results[0].part)] : []))
    .sort((a, b) => a - b);
  const there = group.calls.map((c) => (c.results[0]?.at === at ? places.shift()! : -1));
  // Before the first block of a later call; behind the last result where there is none.
  let next = there.reduce((a, b) => Math.max(a, b), -1) + 1;
  for (let rank = group.calls.length - 1; rank >= 0; rank--) {
    slots[rank] = next;
    if (there[rank]! >= 0) next = Math.min(next, there[rank]!);
  }
  return { at, own, slots };
}

function blockIndex(part: Part): number {
  const i = part.path[1];
  return typeof i === 'number' ? i : -1;
}
