// Repairs of what a provider would refuse (F32): edits that make new messages valid, each with its rule and its reason.
// What cannot be mended is left as it is: the checks find it, and the session answers PAIRING.
import { applyEdits, type TextEdit } from '../json/index.js';
import { isGenuineUser } from './groups.js';
import { repairAnthropic } from './repair/anthropic-pairs.js';
import { repairChat } from './repair/chat-pairs.js';
import { CONVERSATION_START, inserted, RepairDraft } from './repair/draft.js';
import { changesWait } from './repair/mid-system.js';
import { repairResponses } from './repair/responses-pairs.js';
import { mendForTemplate, repairTurns } from './repair/template.js';
import type { DocEdit, FormatSpec, HistoryMessage, Native, Profile, Reading, Repair } from './types.js';

export interface RepairOptions {
  /** Calls in flight: each gets a stand-in that says so. */
  pending: ReadonlySet<string>;
  /** The calls of the last message before `from` went out with stand-ins: what was sent stays, their results come late. */
  closed?: boolean;
  /** A system prompt stands before the history, as its first message (openai-chat). */
  headed?: boolean;
  /** The end of what was sent, back to the last message that every template sees; absent: the history as it is stored. */
  sent?: readonly Reading[];
  /** Needed for the rules of strict chat templates (PV-S) and of call ids; without it those are only checked. */
  profile?: Profile;
  /** Names of the tools that the request lists (PV-A46); absent: not known. */
  declared?: ReadonlySet<string> | undefined;
  /** What was sent ends in a system message of a repair's, before `from`. */
  endsInSystem?: boolean;
}

/**
 * Edits that make the messages from `from` on valid; earlier ones are context: they were sent, and their calls count as
 * answered. A result that comes after that goes in as text. A pure function of its arguments; what is valid gets no edit. An unanswered call
 * of the newest message gets none either, unless it is in flight: its result may still come.
 */
export function repair(
  spec: FormatSpec,
  history: readonly HistoryMessage[],
  from: number,
  o: RepairOptions,
): Repair[] {
  const draft = new RepairDraft(history, from, o.pending, o.closed);
  if (spec.format === 'anthropic') return repairedAnthropic(spec, draft, o);
  if (spec.format === 'openai-chat') {
    const demoted = o.profile === undefined ? new Set<number>() : mendForTemplate(draft, o.profile, o.headed);
    repairChat(draft, o.profile);
    if (o.profile?.needsUser === true && demoted.size === 0 && o.profile.alternation !== 'strict')
      repairTask(draft);
    if (o.profile !== undefined) repairTurns(draft, o.profile, demoted, o.sent);
  } else repairResponses(draft, o.profile);
  return draft.repairs;
}

/** Where system messages still have no place once all is mended, each new one goes out as the user's. */
function repairedAnthropic(
  spec: FormatSpec,
  draft: RepairDraft,
  { profile, declared, endsInSystem }: RepairOptions,
): Repair[] {
  const rules = { profile, declared, endsInSystem };
  repairAnthropic(draft, rules);
  const { history, from, pending, closed } = draft;
  if (profile?.midSystem !== true) return draft.repairs;
  const isNew = history.slice(from).some((m) => m.reading.role === 'system');
  if (!isNew && !endsInSystem && !changesWait(history, from)) return draft.repairs;
  let { repairs } = draft;
  for (const place of ['said', 'nowhere'] as const) {
    if (!misplaces(spec, draft, repairs, profile)) break;
    const again = new RepairDraft(history, from, pending, closed);
    repairAnthropic(again, { ...rules, place });
    repairs = again.repairs;
  }
  return repairs;
}

/** Does a system message that is new, or that a repair puts in, have no place where it stands then? */
function misplaces(
  spec: FormatSpec,
  { history, from }: RepairDraft,
  repairs: readonly Repair[],
  profile: Profile,
): boolean {
  const texts = applyDocEdits(
    history.map((m) => m.native),
    repairs.flatMap((r) => r.edits),
  );
  const walk = spec.walk(profile);
  return texts.some((text, index) => {
    const native = { text, value: JSON.parse(text) as unknown };
    const broken = walk.push(spec.read(native), native, index);
    return index >= from && broken.some((v) => v.rule === 'PV-A12' || v.rule === 'PV-A6');
  });
}

/** PV-S4: a conversation that no user has begun gets a beginning, behind the system messages at its head. */
function repairTask(draft: RepairDraft): void {
  const { history, from } = draft;
  if (from > 0 || history.length === 0 || history.some((m) => isGenuineUser(m.reading))) return;
  const first = history.findIndex((m) => m.reading.role !== 'system');
  const json = JSON.stringify({ role: 'user', content: CONVERSATION_START });
  draft.add({
    what: 'no user message: one was put before the conversation',
    rule: 'PV-S4',
    edits: [inserted(first < 0 ? history.length : first, 'task', json)],
  });
}

/** A history with edits applied: what goes out. Inserts before one place stand in the order of the edits. */
export function applyDocEdits(history: readonly Native[], edits: readonly DocEdit[]): string[] {
  const inside = new Map<number, TextEdit[]>();
  const before = new Map<number, string[]>();
  const dropped = new Set<number>();
  const push = <T>(map: Map<number, T[]>, key: number, value: T) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [value]);
    else list.push(value);
  };
  for (const edit of edits) {
    if (edit.op === 'drop') dropped.add(edit.at);
    else if ('before' in edit) push(before, edit.before, edit.json);
    else push(inside, edit.at, edit);
  }
  const out: string[] = [];
  for (let at = 0; at <= history.length; at++) {
    out.push(...(before.get(at) ?? []));
    if (at < history.length && !dropped.has(at))
      out.push(applyEdits(history[at]!.text, inside.get(at) ?? []));
  }
  return out;
}
