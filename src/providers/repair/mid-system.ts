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

export function mendMidSystem(
  draft: RepairDraft,
  profile: Profile | undefined,
  declared?: ReadonlySet<string>,
): MidSystem {
  const { history, from } = draft;
  const demoted = new Set<number>();
  const dropped = new Set<number>();
  if (profile === undefined) return { demoted, dropped };
  const changes = new ToolChanges(draft, profile, declared);
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
    const placed = profile.midSystem && follows(history, at) && !precedesUser(history, at);
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
  if (profile.midSystem) answerSent(draft);
  return { demoted, dropped };
}

/** What system messages say of the set of tools (PV-A46): only where the model listens, and of tools that are declared. */
class ToolChanges {
  readonly #draft: RepairDraft;
  readonly #takes: boolean;
  readonly #declared: ReadonlySet<string> | undefined;
  readonly #defined = new Set<string>();

  constructor(draft: RepairDraft, profile: Profile, declared: ReadonlySet<string> | undefined) {
    this.#draft = draft;
    this.#takes = profile.midSystem;
    this.#declared = declared;
    for (const { reading, native } of draft.history)
      if (reading.role === 'system') for (const name of definedIn(native)) this.#defined.add(name);
  }

  /** Takes out of message `at` what the provider refuses; true where nothing is left and the message goes. */
  leaveNothing(at: number, placed: boolean): boolean {
    const { native } = this.#draft.history[at]!;
    const all = changeBlocks(native);
    if (all.length === 0) return false;
    const unknown = toolChanges(native).filter(
      ({ name }) => this.#declared?.has(name) === false && !this.#defined.has(name),
    );
    const gone = placed ? unknown.map(({ path }) => Number(path[1])) : all;
    if (gone.length === 0) return false;
    const known = all.filter((i) => !unknown.some(({ path }) => path[1] === i));
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

  /** Behind the user turn that follows, if one does: there it is last, or the assistant answers it (PV-A12). */
  #restated(at: number, blocks: readonly number[]): DocEdit[] {
    const { history } = this.#draft;
    if (!this.#takes || blocks.length === 0) return [];
    let end = at + 1;
    while (history[end]?.reading.role === 'system') end++;
    if (history[end]?.reading.role !== 'user') return [];
    while (history[end]?.reading.role === 'user') end++;
    const texts = sliceValues(history[at]!.native.text, ['content']) ?? [];
    const json = `{"role":"system","content":[${blocks.map((i) => texts[i]).join(',')}]}`;
    return [inserted(end, `tools-${at}`, json)];
  }
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
function answerSent(draft: RepairDraft): void {
  const { history, from } = draft;
  const last = history[from - 1];
  const next = history[from]?.reading;
  if (last?.reading.role !== 'system' || next?.role !== 'user' || isEffortOnly(last.native.value)) return;
  if (!follows(history, from - 1)) return;
  const json = JSON.stringify({ role: 'assistant', content: [{ type: 'text', text: NO_ANSWER }] });
  draft.add({
    what: 'a system message is followed by the assistant: an empty turn was put between',
    rule: 'PV-A12',
    edits: [inserted(from, 'answer', json)],
  });
}
