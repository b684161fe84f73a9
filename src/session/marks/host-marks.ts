// The host's own cache marks, where it has more than the provider takes or has them in an order that it refuses: a host
// that marks the newest message of every turn and only appends cannot take the older marks away. Marks are not hashed, so
// this changes no prefix; each mark that goes is told (PV-A38, PV-A40).

import type { LedgerEdit } from '../../curation/decisions.js';
import { type Path, pointer } from '../../json/index.js';
import { type Mark, marksOf } from '../../providers/marks.js';
import { isObject, itemsAt, member, str } from '../../providers/values.js';
import type { Draft } from '../commit.js';
import type { Session } from '../session.js';
import { event } from '../state/events.js';

interface Placed extends Mark {
  /** Stored message. */
  at: number;
}

/** Takes out the marks that are too many, oldest first, and shortens those that may not last longer than one before them. */
export function fitMarks(session: Session, draft: Draft): void {
  const { state, rendering, profile } = session;
  if (state.format !== 'anthropic') return;
  rendering.sync(state);
  const marked = new Set([...rendering.marks()].map(({ index }) => index));
  if (marked.size === 0) return;
  const fixed = fixedMarks(session);
  const marks: Placed[] = [];
  let ours = 0;
  for (const index of marked) {
    const { at, reading } = rendering.pieces[index]!;
    const free = at < 0 ? [] : removable(session, at);
    marks.push(...free);
    ours += reading.marks.length - free.length;
  }
  const gone = surplus(marks, fixed.count + ours + marks.length - profile.maxMarks);
  tell(session, draft, gone, 'PV-A38', 'cache marks over the limit were left out', (m) => [...m.path, m.key]);
  let short = fixed.short;
  const late: Placed[] = [];
  for (const mark of marks.filter((m) => !gone.includes(m))) {
    if (mark.ttl === '1h' && short) late.push(mark);
    short ||= mark.ttl === '5m';
  }
  const ttl = (m: Placed): Path => [...m.path, m.key, 'ttl'];
  tell(
    session,
    draft,
    late,
    'PV-A40',
    'a mark for an hour behind one for minutes became one for minutes',
    ttl,
  );
}

/** Marks of what a summary or a cap has taken out of the view, by state: looked at once for each of them. */
const lost = new WeakMap<object, { of: string; marks: number }>();

/**
 * How many marks of ours may stand in for the host's own (PV-A38): as many as went with what was condensed, while no other
 * of its messages carries one.
 */
export function movedMarks({ state, rendering }: Session): number {
  if (state.format !== 'anthropic' || (state.summary === undefined && state.capped === undefined)) return 0;
  if (!rendering.marks().next().done) return 0;
  const of = `${state.summary?.seq}/${state.capped?.seq}`;
  const known = lost.get(state);
  if (known?.of === of) return known.marks;
  const to = Math.max(state.summary?.covers[1] ?? -1, state.capped?.covers[1] ?? -1);
  let marks = 0;
  for (let at = 0; at <= to && at < state.messages.length; at += 1)
    if (state.ledger.isDropped(at)) marks += state.messages[at]!.reading.marks.length;
  lost.set(state, { of, marks });
  return marks;
}

/** The oldest that do not matter most: the newest mark is where the next request reads, those for an hour are meant to last. */
function surplus(marks: readonly Placed[], many: number): Placed[] {
  if (many <= 0) return [];
  const older = marks.slice(0, -1);
  const order = [...older.filter((m) => m.ttl === '5m'), ...older.filter((m) => m.ttl === '1h')];
  return [...order, ...marks.slice(-1)].slice(0, many);
}

function tell(
  session: Session,
  draft: Draft,
  marks: readonly Placed[],
  rule: string,
  what: string,
  path: (m: Placed) => Path,
): void {
  const first = marks[0];
  if (first === undefined) return;
  const edits: LedgerEdit[] = marks.map((m) => ({ at: m.at, op: 'remove', path: path(m), delta: 0 }));
  draft.push(event('session.repaired', { what, rule, message: first.at, marks: true, _edits: edits }));
  session.rendering.sync(session.state);
}

/** Marks of a stored message that stand in the request and are no part of what an edit has put there. */
function removable({ state }: Session, at: number): Placed[] {
  const { native, reading } = state.messages[at]!;
  const edits = state.ledger.editsOf(at);
  // What is put beside a block leaves it as it is.
  const touched = (path: Path) =>
    edits.some((e) => (e.op === 'set' || e.op === 'remove') && holds(e.path, path));
  const shortened = (m: Mark) =>
    edits.some((e) => e.op === 'remove' && pointer(e.path) === pointer([...m.path, m.key, 'ttl']));
  return marksOf(native, reading)
    .filter((m) => !touched([...m.path, m.key]))
    .map((m) => ({ ...m, at, ...(shortened(m) ? { ttl: '5m' as const } : {}) }));
}

function holds(outer: Path, inner: Path): boolean {
  return outer.length <= inner.length && outer.every((step, i) => inner[i] === step);
}

/** Marks of system and tools: how many, and whether one of them is for minutes. */
function fixedMarks({ state }: Session): { count: number; short: boolean } {
  let count = 0;
  let short = false;
  for (const part of [state.tools, state.system]) {
    if (part?.native.text.includes('"cache_control"') !== true) continue;
    for (const block of itemsAt(part.native.value, [])) {
      const control = member(block, 'cache_control');
      if (!isObject(control)) continue;
      count += 1;
      short ||= str(control, 'ttl') !== '1h';
    }
  }
  return { count, short };
}
