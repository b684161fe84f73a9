// System messages inside an Anthropic conversation (PV-A11, PV-A12): where the model takes none, or none in that place, what
// they say is said by the user. Nothing of it is lost, and nothing gets more authority than it had.
import { sliceValues } from '../../json/index.js';
import { isEffortOnly } from '../anthropic/check.js';
import { isServerResult } from '../anthropic/read.js';
import { changeBlocks, definedIn, toolChanges } from '../anthropic/tool-changes.js';
import type { DocEdit, HistoryMessage, Profile } from '../types.js';
import { itemsAt, member } from '../values.js';
import { inserted, NO_ANSWER, type RepairDraft } from './draft.js';

/** Fields that only a system message has. */
const OPERATORS = ['clear_at', 'output_config'] as const;

export interface MidSystem {
  /** Positions that go out as the user's. */
  demoted: ReadonlySet<number>;
  dropped: ReadonlySet<number>;
}

/**
 * Where new system messages go: to their places; all of them out as the user's, with their changes of the tools behind the next
 * user turn; or as the user's without those.
 */
export type SystemPlace = 'there' | 'said' | 'nowhere';

export interface SystemRules {
  profile: Profile | undefined;
  /** As in RepairOptions. */
  declared?: ReadonlySet<string> | undefined;
  endsInSystem?: boolean | undefined;
  place?: SystemPlace;
}

export function mendMidSystem(
  draft: RepairDraft,
  { profile, declared, endsInSystem, place = 'there' }: SystemRules,
): MidSystem {
  const { history, from } = draft;
  const demoted = new Set<number>();
  const dropped = new Set<number>();
  if (profile === undefined) return { demoted, dropped };
  const changes = new ToolChanges(draft, profile.midSystem && place !== 'nowhere', declared);
  changes.restateWaiting();
  for (let at = from; at < history.length; at++) {
    const { reading, native } = history[at]!;
    if (reading.role !== 'system') continue;
    if (isEffortOnly(native.value)) {
      if (profile.midSystem) continue;
      dropped.add(at);
      draft.add({
        what: 'this model takes no effort in between',
        rule: 'PV-A11',
        edits: [{ op: 'drop', at }],
      });
      continue;
    }
    const may = profile.midSystem && place === 'there';
    const placed = may && follows(history, at) && !precedesUser(history, at);
    if (changes.leaveNothing(at, placed)) {
      dropped.add(at);
      continue;
    }
    if (placed) continue;
    demoted.add(at);
    draft.content(at, profile.midSystem ? 'PV-A12' : 'PV-A11', 'a system message goes out as the user’s', [
      { op: 'set', path: ['role'], json: '"user"' },
      ...OPERATORS.filter((key) => member(native.value, key) !== undefined).map(
        (key) => ({ op: 'remove', path: [key] }) as const,
      ),
    ]);
  }
  if (profile.midSystem) answerSent(draft, endsInSystem === true, { demoted, dropped });
  return { demoted, dropped };
}

/** What system messages say of the set of tools (PV-A46): only where the model listens, and of tools that are declared. */
class ToolChanges {
  readonly #draft: RepairDraft;
  readonly #takes: boolean;
  readonly #declared: ReadonlySet<string> | undefined;
  #defined: Set<string> | undefined;

  constructor(draft: RepairDraft, takes: boolean, declared: ReadonlySet<string> | undefined) {
    this.#draft = draft;
    this.#takes = takes;
    this.#declared = declared;
  }

  /** Tools that system messages define: looked for once a change names one that is not declared, which is seldom. */
  #isDefined(name: string): boolean {
    this.#defined ??= new Set(
      this.#draft.history.flatMap(({ reading, native }) =>
        reading.role === 'system' ? [...definedIn(native)] : [],
      ),
    );
    return this.#defined.has(name);
  }

  /** Takes out of message `at` what the provider refuses; true where nothing is left and the message goes. */
  leaveNothing(at: number, placed: boolean): boolean {
    const { native } = this.#draft.history[at]!;
    const all = changeBlocks(native);
    if (all.length === 0) return false;
    const known = this.#known(at);
    const gone = placed ? all.filter((i) => !known.includes(i)) : all;
    if (gone.length === 0) return false;
    const again = placed ? [] : this.#restated(at, known);
    const what = placed
      ? 'a change of a tool that is not declared was left out'
      : 'a change of the tools has no place here';
    if (gone.length === itemsAt(native.value, ['content']).length) {
      this.#draft.add({ what, rule: 'PV-A46', edits: [{ op: 'drop', at }, ...again] });
      return true;
    }
    this.#draft.content(
      at,
      'PV-A46',
      what,
      gone.map((i) => ({ op: 'remove', path: ['content', i] })),
    );
    this.#draft.add({ what: `${what}: it stands behind the next user turn`, rule: 'PV-A46', edits: again });
    return false;
  }

  /** Changes that had no place before `from`, and no user turn behind them yet. */
  restateWaiting(): void {
    const { history, from } = this.#draft;
    if (!this.#takes) return;
    for (const at of waiting(history, from))
      this.#draft.add({
        what: 'a change of the tools that had no place stands behind this user turn',
        rule: 'PV-A46',
        edits: this.#restated(at, this.#known(at)),
      });
  }

  /** Blocks of message `at` that change tools which are declared, or defined in between. */
  #known(at: number): number[] {
    const { native } = this.#draft.history[at]!;
    const unknown = toolChanges(native).filter(
      ({ name }) => this.#declared?.has(name) === false && !this.#isDefined(name),
    );
    return changeBlocks(native).filter((i) => !unknown.some(({ path }) => path[1] === i));
  }

  /** Behind the next user turn, if there is one: there it is last, or the assistant answers it (PV-A12). Else it waits for one. */
  #restated(at: number, blocks: readonly number[]): DocEdit[] {
    const { history } = this.#draft;
    if (!this.#takes || blocks.length === 0) return [];
    let next = at + 1;
    while (next < history.length && history[next]!.reading.role !== 'user') next++;
    if (next === history.length) return [];
    // What the operator says between two user messages leaves its place too: the turn ends behind the last of them.
    let end = next;
    for (let i = next; history[i]?.reading.role === 'user' || history[i]?.reading.role === 'system'; i++)
      if (history[i]!.reading.role === 'user') end = i + 1;
    const texts = sliceValues(history[at]!.native.text, ['content']) ?? [];
    const json = `{"role":"system","content":[${blocks.map((i) => texts[i]).join(',')}]}`;
    return [inserted(end, `tools-${at}`, json)];
  }
}

/** Does a change of the tools wait for the next user turn: one before `from` that had no place, with no user turn behind it yet? */
export function changesWait(history: readonly HistoryMessage[], from: number): boolean {
  return waiting(history, from).length > 0;
}

/** Their messages, in order. O(messages since the newest user turn before `from`). */
function waiting(history: readonly HistoryMessage[], from: number): number[] {
  const found: number[] = [];
  for (let at = from - 1; at >= 0 && history[at]!.reading.role !== 'user'; at--) {
    const { reading, native } = history[at]!;
    if (reading.role === 'system' && changeBlocks(native).length > 0 && !follows(history, at)) found.push(at);
  }
  return found.reverse();
}

/** Does it stand behind a user turn, or what counts as one? At the head one is put before it. */
function follows(history: readonly HistoryMessage[], at: number): boolean {
  let i = at - 1;
  while (history[i]?.reading.role === 'system') i--;
  const before = history[i]?.reading;
  if (before === undefined || before.role !== 'assistant') return true;
  // Behind calls it is their results that it will follow.
  return isServerResult(before.parts.at(-1)?.type) || before.parts.some((p) => p.kind === 'tool_call');
}

/** Does the user go on behind it? Results of a call before it do not count: it steps behind them. */
function precedesUser(history: readonly HistoryMessage[], at: number): boolean {
  let i = at + 1;
  while (history[i]?.reading.role === 'system') i++;
  const next = history[i]?.reading;
  if (!next?.parts.some((p) => p.kind === 'tool_result')) return next?.role === 'user';
  while (history[i]?.reading.parts.some((p) => p.kind === 'tool_result')) i++;
  return history[i]?.reading.role === 'user';
}

/** One that was sent as the last message stays as it was: the turn that it wants behind it is put there. */
function answerSent(draft: RepairDraft, isOurs: boolean, { demoted, dropped }: MidSystem): void {
  const { history, from } = draft;
  let next = from;
  while (dropped.has(next) || isEffortOnly(history[next]?.native.value)) next++;
  if (history[next]?.reading.role !== 'user' && !demoted.has(next)) return;
  let last = from - 1;
  while (isEffortOnly(history[last]?.native.value)) last--;
  const isHosts = history[last]?.reading.role === 'system' && follows(history, last);
  if (!isOurs && !isHosts) return;
  const json = JSON.stringify({ role: 'assistant', content: [{ type: 'text', text: NO_ANSWER }] });
  draft.add({
    what: 'a system message is followed by the assistant: an empty turn was put between',
    rule: 'PV-A12',
    edits: [inserted(next, 'answer', json)],
  });
}
