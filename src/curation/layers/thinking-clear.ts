// Thinking of old turns (curated.keep.thinking_turns): whole blocks go, oldest first, never a part of one and never out
// of the open round (PV-A22 to A26). The legal table decides whether the model's class allows it at all.

import { pointer, sliceIn } from '../../json/index.js';
import { isNeeded, removeParts, thinkingOf } from '../../providers/edits.js';
import { legal } from '../../providers/legal.js';
import { planned } from '../decisions.js';
import { handleOf } from '../handle.js';
import { type Built, type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import { priced } from '../priced.js';
import type { Survey } from '../survey.js';

const ID = 'curated.thinking_clear';

interface Thought {
  /** Stored message. */
  at: number;
  since?: number;
}

export class ThinkingClear implements Layer {
  readonly name = 'thinking_clear';
  readonly id = ID;
  readonly invalidatesUnknown = false;
  /** Messages with thinking, as far as it is known to stand, by the turn they belong to; oldest first. */
  #turns: Thought[][] = [];
  /** The next thinking is the first of its turn; turns begin with messages of the user's own. */
  #isNew = true;
  #messages = 0;
  /** The newest message of the user's own. */
  #asked = 0;
  #history = 0;

  plan(survey: Survey): LayerPlan {
    const { thinkingTurns } = survey.settings.curated.keep;
    if (thinkingTurns === undefined) return NOTHING;
    this.#sync(survey);
    if (!survey.looksBack || this.#turns.length === 0) return NOTHING;
    const situation = { 3: true, 6: true, 8: false } as const;
    if (legal('remove-oldest-thinking', survey.profile.modelClass, situation).answer !== 'yes') {
      return NOTHING;
    }
    const old = this.#oldOf(survey, thinkingTurns);
    const candidates: Candidate[] = [];
    // The whole loop that the open round belongs to is one turn of the model: its thinking is asked for again (PV-A23).
    const open = survey.openFrom < survey.messages.length;
    const until = open ? Math.min(survey.openFrom, this.#asked) : survey.messages.length;
    for (const thought of old) {
      if (thought.at >= until) break;
      thought.since ??= survey.requests;
      const size = thinkingOf(thought.at, survey.messages[thought.at]!).reduce(
        (sum, { part }) => sum + Math.ceil((part.text ?? '').length / 4),
        1,
      );
      candidates.push({
        at: thought.at,
        frees: size,
        leaves: 0,
        since: thought.since,
        presend: thought.at >= survey.sent,
        claim: `${thought.at}#thinking`,
        build: () => removal(survey, thought.at),
      });
    }
    return { candidates };
  }

  /** Thinking that still stands, of all turns but the newest so many. Costs what is old, not what is kept. */
  #oldOf(survey: Survey, keptTurns: number): Thought[] {
    let from = this.#turns.length;
    for (let left = keptTurns; from > 0 && left > 0; from -= 1) {
      const turn = this.#turns[from - 1]!;
      while (turn.length > 0 && this.#isGone(survey, turn.at(-1)!.at)) turn.pop();
      if (turn.length === 0) this.#turns.splice(from - 1, 1);
      else left -= 1;
    }
    const old = this.#turns.splice(0, from).map((turn) => turn.filter((t) => !this.#isGone(survey, t.at)));
    this.#turns.unshift(...old.filter((turn) => turn.length > 0));
    return old.flat();
  }

  #isGone(survey: Survey, at: number): boolean {
    if (survey.isDropped(at) || isNeeded(survey.spec.format, survey.messages, at)) return true;
    return thinkingOf(at, survey.messages[at]!).every(({ part }) =>
      survey.isEditedAt(at, pointer(part.path)),
    );
  }

  /** O(new). */
  #sync(survey: Survey): void {
    if (this.#history !== survey.calls.generation) {
      this.#history = survey.calls.generation;
      this.#turns = [];
      this.#isNew = true;
      this.#messages = 0;
      this.#asked = 0;
    }
    for (; this.#messages < survey.messages.length; this.#messages += 1) {
      const at = this.#messages;
      const { reading } = survey.messages[at]!;
      if (reading.role === 'user' && reading.ownText !== '') {
        this.#isNew = true;
        this.#asked = at;
      }
      if (!reading.parts.some((p) => p.kind === 'thinking')) continue;
      // A turn of which nothing is sent any more was forgotten, also where it goes on.
      if (this.#isNew || this.#turns.length === 0) this.#turns.push([]);
      this.#isNew = false;
      this.#turns.at(-1)!.push({ at });
    }
  }
}

/** All thinking of one message; undefined where the message would not get smaller. */
function removal(survey: Survey, at: number): Built | undefined {
  const message = survey.messages[at]!;
  const parts = thinkingOf(at, message);
  const first = parts[0];
  if (first === undefined) return undefined;
  // Of several blocks the handle gives the content around them.
  const place = parts.length === 1 ? first.part.path : first.part.path.slice(0, 1);
  const original = sliceIn(message.native, place);
  if (original === undefined) return undefined;
  const edits = priced(survey, removeParts(survey.spec.format, survey.messages, parts));
  const delta = edits.reduce((sum, e) => sum + (e.delta ?? 0), 0);
  return {
    edits,
    section: { section_id: `${ID}/${at}`, kind: 'volatile', tokens_delta: delta },
    event: planned('memory.thinking_cleared', {
      message: at,
      path: pointer(first.part.path),
      handle: handleOf(survey.tenant, survey.session, message.seq, 0, original),
      cleared_at_turn: survey.turn,
      tokens_delta: delta,
      _of: place,
    }),
  };
}
