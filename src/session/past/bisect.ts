// Which decision took a text out of the request? A binary search over the journal, with the rendered request at each point.

import type { SessionKey, Store } from '../../journal/index.js';
import { events } from '../load.js';
import { Chronicle, type Told } from './chronicle.js';
import { Needle } from './needle.js';
import { holds, pastOf } from './past.js';

export interface Bisected {
  /** `present`: in the request as it stands. `removed`: it was. `never`: it has not come in at all. */
  found: 'present' | 'removed' | 'never';
  /** The newest message that brought it. */
  came?: { seq: number; turn: number; message: number };
  removed?: Told;
  /** seq of the last request with it, and of the first without. */
  last_request?: number;
  first_without?: number;
  /** Points of the journal whose request was rendered. */
  looked: number;
}

/** Restores that are tried for a later return of the text than its message: the newest first. */
const RETURNS = 32;

/** @param upTo the journal's end as the caller knows it */
export async function bisect(store: Store, key: SessionKey, text: string, upTo: number): Promise<Bisected> {
  const needle = new Needle(text);
  const chronicle = new Chronicle();
  const requests: number[] = [];
  const returns: number[] = [];
  let came: Bisected['came'];
  let first: number | undefined;
  for await (const { event: e } of events(store, key, 1, upTo)) {
    chronicle.take(e);
    if (e.type === 'llm.request' && e.payload.passthrough === undefined) requests.push(e.seq);
    else if (e.type === 'session.message' && needle.isIn(e.payload.text)) {
      came = { seq: e.seq, turn: e.turn, message: e.payload.at };
    } else if (brings(e.payload, needle)) first = e.seq;
    if ((e.payload as { _undo?: unknown; _show?: unknown })._undo !== undefined) returns.push(e.seq);
    else if ((e.payload as { _show?: unknown })._show !== undefined) returns.push(e.seq);
  }
  let looked = 0;
  const present = async (seq: number) => {
    looked += 1;
    return holds(await pastOf(store, key, seq), needle);
  };
  const told = came === undefined ? {} : { came };
  if (await present(upTo)) return { found: 'present', ...told, looked };
  let low = Math.max(came?.seq ?? 0, first ?? 0);
  if (low === 0) return { found: 'never', looked };
  // It may have come back after that, and gone again: then the last time counts.
  for (const seq of returns
    .filter((s) => s > low)
    .slice(-RETURNS)
    .reverse()) {
    if (!(await present(seq))) continue;
    low = seq;
    break;
  }
  if (!(await present(low))) return { found: 'never', ...told, looked };
  let high = upTo;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (await present(middle)) low = middle;
    else high = middle;
  }
  const last = requests.filter((seq) => seq < high).at(-1);
  const without = requests.find((seq) => seq > high);
  return {
    found: 'removed',
    ...told,
    removed: chronicle.get(high)!,
    ...(last === undefined ? {} : { last_request: last }),
    ...(without === undefined ? {} : { first_without: without }),
    looked,
  };
}

/** What is no message and carries text into the request: the static part, a summary, an index. */
function brings(payload: object, needle: Needle): boolean {
  const {
    system,
    tools,
    text,
    _edits: edits,
  } = payload as {
    system?: unknown;
    tools?: unknown;
    text?: unknown;
    _edits?: { json?: unknown }[];
  };
  const texts = [system, tools, text, ...(edits ?? []).map((e) => e.json)];
  return texts.some((t) => typeof t === 'string' && needle.isIn(t));
}
