// What a repair run collects: repairs in the order in which their edits must be applied, and the texts that it moves.
import { applyEdits, type Path, sliceIn, type TextEdit } from '../../json/index.js';
import type { DocEdit, HistoryMessage, Part, Repair } from '../types.js';

/** Texts of ours in place of what may not be empty or missing. Constants: a repair is a pure function of its input. */
export const NO_TEXT = '(no text)';
export const NO_OUTPUT = '(no output)';
export const NO_RESULT =
  'The result of this tool call was lost: the call was interrupted or its result never arrived.';
/** Stand-in for the turn that is expected between two of the same role. */
export const NO_ANSWER = '(no answer)';
/** Begins the ids of calls that came without one: no host's own ids look so. */
export const UNNAMED = 'unnamed_call';
/** Of a call that names no tool. */
export const UNKNOWN_TOOL = 'unknown_tool';
export const RESULTS_REMOVED = '(tool results without their calls were removed)';
export const CONVERSATION_START = '(the conversation continues)';

export class RepairDraft {
  readonly repairs: Repair[] = [];
  readonly #content = new Map<number, TextEdit[]>();

  constructor(
    readonly history: readonly HistoryMessage[],
    readonly from: number,
    readonly pending: ReadonlySet<string>,
    readonly closed = false,
  ) {}

  add(repair: Repair): void {
    if (repair.edits.length > 0) this.repairs.push(repair);
  }

  /** May a call of message `at` still take a result? Its message is new, or nothing came after it, no stand-in either. */
  isOpen(at: number): boolean {
    return at >= this.from || (at + 1 === this.from && !this.closed);
  }

  /** Repairs the inside of one message; moved texts carry these edits with them. */
  content(at: number, rule: string, what: string, edits: readonly TextEdit[], callId?: string): void {
    if (edits.length === 0) return;
    const all = this.#content.get(at) ?? [];
    all.push(...edits);
    this.#content.set(at, all);
    this.add({
      what,
      rule,
      ...(callId === undefined ? {} : { callId }),
      edits: edits.map((e) => ({ at, ...e })),
    });
  }

  /** Exact text of a message as its content repairs leave it, with `more` edits on top. */
  messageText(at: number, more: readonly TextEdit[] = []): string {
    return applyEdits(this.history[at]!.native.text, [...(this.#content.get(at) ?? []), ...more]);
  }

  /** Exact text of a block of a message, likewise; `more` paths are the message's. */
  blockText(at: number, path: Path, more: readonly TextEdit[] = []): string {
    const text = sliceIn(this.history[at]!.native, path) ?? 'null';
    const inside: TextEdit[] = [];
    for (const edit of [...(this.#content.get(at) ?? []), ...more])
      if (edit.path.length > path.length && path.every((step, i) => edit.path[i] === step))
        inside.push({ ...edit, path: edit.path.slice(path.length) });
    return applyEdits(text, inside);
  }
}

const REPAIR = 'repair:';

/** A message of ours at a place of the history; the id is a function of the place and the cause. */
export function inserted(before: number, cause: string, json: string): Extract<DocEdit, { before: number }> {
  return { op: 'insert', before, id: `${REPAIR}${before}:${cause}`, json };
}

/** Is this the id of what a repair put in? */
export function isOfRepair(id: string): boolean {
  return id.startsWith(REPAIR);
}

/** How much a result tells: completed before failed before aborted, then by length. */
export function informative(result: Part): number {
  const text = result.text ?? '';
  const aborted =
    text.length < 200 && /^\W*(?:aborted|cancell?ed|interrupted|error|pending|no output)/i.test(text);
  return (result.isError ? 0 : 2e12) + (aborted ? 0 : 1e12) + Math.min(result.bodyBytes ?? text.length, 1e11);
}

/** One call of a group with what is to become of it. */
export interface CallSlot {
  at: number;
  part: Part;
  /** Id under which the call goes out, where it may not keep its own. */
  newId?: string;
  /** A later copy of the same call: same id, tool and arguments. */
  copy?: boolean;
  results: ResultSlot[];
}

export interface ResultSlot {
  at: number;
  part: Part;
}

export interface OpenGroup {
  at: number;
  calls: CallSlot[];
  /** Results of its round that answer no call by their id. */
  loose: ResultSlot[];
}

/**
 * Lays out the calls of one message. `taken` tells ids that an earlier message holds, where ids must be unique in a
 * request. Exact copies of a call are marked; a different call under a used id gets a new one, made of the id and the
 * position alone, and so does a call whose id is empty: some servers give none.
 */
export function layOut(at: number, parts: readonly Part[], taken: (id: string) => boolean): OpenGroup {
  const calls: CallSlot[] = [];
  const times = new Map<string, number>();
  const seen = new Set<string>();
  for (const part of parts) {
    if (part.kind !== 'tool_call') continue;
    const id = part.callId!;
    const slot: CallSlot = { at, part, results: [] };
    calls.push(slot);
    const time = times.get(id) ?? 0;
    const named = id === '' ? `${UNNAMED}_${at}_${calls.length - 1}` : undefined;
    const whole = JSON.stringify([id, part.tool, part.argsText]);
    // Without ids two calls that look alike are two.
    if (id !== '' && seen.has(whole)) {
      slot.copy = true;
      continue;
    }
    seen.add(whole);
    times.set(id, time + 1);
    if (time === 0 && named === undefined && !taken(id)) continue;
    let newId = named ?? `${id.slice(0, 24)}_${at}${time === 0 ? '' : `_${time}`}`;
    while (taken(newId) || times.has(newId)) newId += 'x';
    times.set(newId, 1);
    slot.newId = newId;
  }
  return { at, calls, loose: [] };
}

/** Gives every call of a group its candidates among the results found under its id. */
export function assignAll(
  calls: readonly CallSlot[],
  found: ReadonlyMap<string, readonly ResultSlot[]>,
): void {
  const byId = new Map<string, CallSlot[]>();
  for (const call of calls) {
    if (call.copy) continue;
    const same = byId.get(call.part.callId!);
    if (same === undefined) byId.set(call.part.callId!, [call]);
    else same.push(call);
  }
  for (const [id, results] of found) assign(byId.get(id) ?? [], results);
}

/**
 * In order; where there are fewer results than calls, the calls with the longest arguments come first. What is left
 * over goes to the last call, as further candidates.
 */
function assign(calls: readonly CallSlot[], results: readonly ResultSlot[]): void {
  if (calls.length === 0) return;
  const order =
    results.length < calls.length
      ? [...calls].sort((a, b) => (b.part.argsText?.length ?? 0) - (a.part.argsText?.length ?? 0))
      : calls;
  for (const [i, result] of results.entries()) order[Math.min(i, order.length - 1)]!.results.push(result);
}

/** The result that stays: one that was sent before, else the most informative, of equals the first. */
export function best(results: readonly ResultSlot[], from: number): ResultSlot | undefined {
  let top = results.find((r) => r.at < from);
  if (top !== undefined) return top;
  for (const r of results) if (top === undefined || informative(r.part) > informative(top.part)) top = r;
  return top;
}

/**
 * Gives calls without a result those of their round's that answer none, in order: only where as many are left of both and one
 * side names no ids at all. False: none was given.
 */
export function pairByPlace(calls: readonly CallSlot[], loose: readonly ResultSlot[]): boolean {
  const open = calls.filter((c) => !c.copy && c.results.length === 0);
  const nameless = (parts: readonly { part: Part }[]) => parts.every(({ part }) => part.callId === '');
  if (open.length === 0 || open.length !== loose.length || !(nameless(open) || nameless(loose))) return false;
  for (const [i, call] of open.entries()) {
    call.results.push(loose[i]!);
    // The result goes out under the call's id, whatever its own was.
    call.newId ??= call.part.callId!;
  }
  return true;
}
