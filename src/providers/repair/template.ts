// Repairs for strict chat templates (PV-S): roles that alternate, one system message, plain strings. The host's
// messages keep their bytes where they can: a short message of ours stands between two of the same role.
import type { DocEdit, Profile, Reading, Repair } from '../types.js';
import { member, str, wellFormed } from '../values.js';
import { CONVERSATION_START, inserted, NO_ANSWER, type RepairDraft } from './draft.js';

/** Stand-in of the user's for the turn that a template expects between two of the same role. */
const GO_ON = '(continue)';

/** One message as it will go out: a stored one at `at`, or one of ours before it. */
interface Outgoing {
  at: number;
  /** The insert that makes a message of ours, and the repair it stands in. */
  ours?: { repair: Repair; edit: DocEdit };
  role: Reading['role'];
  calls: boolean;
}

/** What a template changes inside messages; before pairs are repaired, since those may move texts. */
export function mendForTemplate(draft: RepairDraft, profile: Profile, headed = false): ReadonlySet<number> {
  if (profile.plainContent) plainStrings(draft);
  return profile.singleSystem ? singleSystem(draft, headed) : new Set();
}

/** What a template wants of the sequence; `demoted` are the system messages that go out as the user's. */
export function repairTurns(
  draft: RepairDraft,
  profile: Profile,
  demoted: ReadonlySet<number>,
  sent?: readonly Reading[],
): void {
  if (profile.alternation === 'strict' || profile.alternation === 'template')
    alternate(draft, profile.alternation, demoted, sent);
}

/** PV-S5: a list of texts becomes one string; images cannot, and are found by the checks. */
function plainStrings(draft: RepairDraft): void {
  for (let at = draft.from; at < draft.history.length; at++) {
    const { native } = draft.history[at]!;
    const content = member(native.value, 'content');
    // Beside calls nothing need be said, but it has to be a string.
    if ((content === undefined || content === null) && str(native.value, 'role') === 'assistant')
      draft.content(at, 'PV-S5', 'content became a plain string', [
        { op: 'set', path: ['content'], json: '""' },
      ]);
    if (!Array.isArray(content) || !content.every((p) => str(p, 'text') !== undefined)) continue;
    const json = JSON.stringify(wellFormed(content.map((p) => str(p, 'text')).join('\n')));
    draft.content(at, 'PV-S5', 'content became a plain string', [{ op: 'set', path: ['content'], json }]);
  }
}

/** PV-S3: later system messages speak as the user; nothing of them is lost. Gives their positions. */
function singleSystem(draft: RepairDraft, headed: boolean): Set<number> {
  const demoted = new Set<number>();
  for (let at = Math.max(draft.from, headed ? 0 : 1); at < draft.history.length; at++) {
    if (draft.history[at]!.reading.role !== 'system') continue;
    demoted.add(at);
    draft.content(at, 'PV-S3', 'a second system message goes out as the user’s', [
      { op: 'set', path: ['role'], json: '"user"' },
    ]);
  }
  return demoted;
}

/** What goes out from `from` on, as the repairs so far have it. */
function outgoing(draft: RepairDraft, demoted: ReadonlySet<number>): Outgoing[] {
  const { history, from } = draft;
  const dropped = new Set<number>();
  const before = new Map<number, Outgoing[]>();
  for (const repair of draft.repairs) {
    for (const edit of repair.edits) {
      if (edit.op === 'drop') dropped.add(edit.at);
      if (!('before' in edit)) continue;
      const value: unknown = JSON.parse(edit.json);
      const role = str(value, 'role');
      const message: Outgoing = {
        at: edit.before,
        ours: { repair, edit },
        role: role === 'tool' || role === 'assistant' || role === 'system' ? role : 'user',
        calls: Array.isArray(member(value, 'tool_calls')),
      };
      const there = before.get(edit.before);
      if (there === undefined) before.set(edit.before, [message]);
      else there.push(message);
    }
  }
  const out: Outgoing[] = [];
  for (let at = from; at <= history.length; at++) {
    out.push(...(before.get(at) ?? []));
    if (at < history.length && !dropped.has(at)) out.push(stored(draft, at, demoted));
  }
  return out;
}

function stored(draft: RepairDraft, at: number, demoted: ReadonlySet<number>): Outgoing {
  const { reading } = draft.history[at]!;
  const role = demoted.has(at) ? 'user' : reading.role;
  return { at, role, calls: hasCalls(reading) };
}

function hasCalls(r: Reading): boolean {
  return r.parts.some((p) => p.kind === 'tool_call');
}

/** PV-S1, PV-S2: the walk of walk.ts, putting a message between instead of finding fault. */
function alternate(
  draft: RepairDraft,
  mode: 'strict' | 'template',
  demoted: ReadonlySet<number>,
  sent?: readonly Reading[],
): void {
  const seen = new Visible(mode);
  // The newest messages before `from` set the scene: back to the last one that every template sees.
  if (sent !== undefined) for (const r of sent) seen.push({ at: -1, role: r.role, calls: hasCalls(r) });
  else {
    let start = draft.from;
    while (start > 0 && !isPlain(draft.history[start - 1]!.reading)) start--;
    for (let at = Math.max(0, start - 1); at < draft.from; at++) seen.push(stored(draft, at, demoted));
  }
  let count = 0;
  let place = -1;
  for (const message of outgoing(draft, demoted)) {
    if (message.at !== place) count = 0;
    place = message.at;
    const wanted = seen.push(message);
    if (wanted === undefined) continue;
    const text = wanted === 'assistant' ? NO_ANSWER : seen.started ? GO_ON : CONVERSATION_START;
    const edit = inserted(
      message.at,
      `turn-${wanted}-${count++}`,
      JSON.stringify({ role: wanted, content: text }),
    );
    if (message.ours !== undefined) {
      // Between two messages of ours, the order of the inserts is the order of the messages.
      const { edits } = message.ours.repair;
      edits.splice(edits.indexOf(message.ours.edit), 0, edit);
      continue;
    }
    draft.add({
      what: `two turns of one role: a ${wanted} message was put between them`,
      rule: mode === 'strict' ? 'PV-S1' : 'PV-S2',
      edits: [edit],
    });
  }
}

export function isPlain(r: Reading): boolean {
  return r.role === 'user' || (r.role === 'assistant' && !hasCalls(r));
}

class Visible {
  #last: 'none' | 'user' | 'assistant' = 'none';
  #flow = false;
  started = false;

  constructor(readonly mode: 'strict' | 'template') {}

  /** The role that is missing before this message, or undefined. */
  push(m: Outgoing): 'user' | 'assistant' | undefined {
    if (m.role === 'system') return undefined;
    if (m.role === 'tool' || (this.mode === 'template' && m.calls)) {
      if (this.mode === 'strict') {
        this.#last = 'assistant';
        this.#flow = true;
      }
      return undefined;
    }
    const role: 'user' | 'assistant' = m.role;
    const goesOn = role === 'assistant' && this.#flow;
    const clash = role === this.#last && !goesOn;
    const headless = role === 'assistant' && this.#last === 'none' && this.mode === 'strict';
    this.started = this.#last !== 'none';
    this.#last = role;
    this.#flow = m.calls;
    if (headless) return 'user';
    return clash ? (role === 'user' ? 'assistant' : 'user') : undefined;
  }
}
