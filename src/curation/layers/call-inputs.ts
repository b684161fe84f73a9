// Long inputs of old calls (curated.clear_tool_inputs, max_input_chars) and of failed ones
// (clear_errors_after_turns): long strings inside the arguments keep their start and the names in them; the arguments
// stay a JSON object, and the handle gives all of them back.

import { pointer, sliceIn } from '../../json/index.js';
import { headOf, shrinkInput } from '../../providers/edits.js';
import type { Part } from '../../providers/types.js';
import type { CallRecord } from '../calls.js';
import { claimOf } from '../claim.js';
import { isAllowed } from '../clearing.js';
import { planned } from '../decisions.js';
import { nameBudget, pickNames } from '../digest.js';
import { handleOf } from '../handle.js';
import { identifiersIn } from '../identifiers.js';
import { keepLine } from '../keep.js';
import { type Built, type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import type { Survey } from '../survey.js';

const ID = 'curated.call_inputs';
/** Characters of a string that stay untouched where `max_input_chars` says nothing. */
const MAX_CHARS = 400;
/** Characters of its start that a shortened string keeps. */
const HEAD_CHARS = 120;
/** Calls that are kept where no keep rule says how many: an agent still works with what it has just written. */
const KEPT_CALLS = 8;
const CHARS_A_TOKEN = 4;

interface Long {
  index: number;
  since?: number;
}

export class CallInputs implements Layer {
  readonly name = 'call_inputs';
  readonly id = ID;
  readonly invalidatesUnknown = false;
  /** Calls with long strings in their arguments that stand as they came, oldest first. */
  #long: Long[] = [];
  /** Positions of messages with text of the user's own. */
  #typed: number[] = [];
  #calls = 0;
  #messages = 0;
  #history = 0;

  plan(survey: Survey): LayerPlan {
    const { clearToolInputs, maxInputChars, clearErrorsAfterTurns } = survey.settings.curated;
    if (clearToolInputs === false && maxInputChars === undefined && clearErrorsAfterTurns === undefined) {
      return NOTHING;
    }
    this.#sync(survey);
    if (!survey.looksBack) return NOTHING;
    const candidates: Candidate[] = [];
    const { calls } = survey;
    this.#long = this.#long.filter(
      ({ index }) => calls.calls[index]!.cut === undefined && !survey.isDropped(calls.calls[index]!.at),
    );
    const line = this.#oldTo(survey);
    for (const entry of this.#long) {
      const call = calls.calls[entry.index]!;
      const reason = this.#reason(survey, call, entry.index < line);
      if (reason === undefined) continue;
      entry.since ??= survey.requests;
      const part = survey.messages[call.at]!.reading.parts[call.part]!;
      if (survey.isFrozen(call.at, part.path)) continue;
      const long = longIn(part, limitOf(survey));
      candidates.push({
        at: call.at,
        frees: Math.round(long.cut / CHARS_A_TOKEN),
        leaves: Math.round((HEAD_CHARS * long.leaves) / CHARS_A_TOKEN),
        since: entry.since,
        presend: call.at >= survey.sent,
        claim: claimOf(call.at, call.part),
        build: () => shortening(survey, call, part, reason),
      });
    }
    return { candidates };
  }

  /** Calls below this index are old. */
  #oldTo(survey: Survey): number {
    const { calls, results } = survey.calls;
    const keep = keepLine(survey, survey.settings.curated.keep);
    if (!keep.ruled) return calls.length - KEPT_CALLS;
    const first = results[keep.results]?.call ?? calls.length;
    let old = Math.min(first, calls.length);
    while (old > 0 && calls[old - 1]!.at >= keep.messages) old -= 1;
    return old;
  }

  #reason(survey: Survey, call: CallRecord, old: boolean): 'input' | 'failed_input' | undefined {
    const result = call.result === undefined ? undefined : survey.calls.results[call.result];
    // The open round and calls in flight stay as they are (PV-A9).
    if (result === undefined || call.at >= survey.openFrom || survey.pending.has(call.id)) return undefined;
    if (!isAllowed(survey, call.tool)) return undefined;
    const { clearToolInputs, maxInputChars, clearErrorsAfterTurns } = survey.settings.curated;
    if (result.error && clearErrorsAfterTurns !== undefined) {
      if (this.#typedSince(result.at) >= clearErrorsAfterTurns) return 'failed_input';
    }
    const named =
      typeof clearToolInputs === 'boolean'
        ? clearToolInputs || maxInputChars !== undefined
        : clearToolInputs.includes(call.tool);
    return old && named ? 'input' : undefined;
  }

  /** Messages of the user's own behind a position. */
  #typedSince(at: number): number {
    let n = 0;
    for (let i = this.#typed.length - 1; i >= 0 && this.#typed[i]! > at; i -= 1) n += 1;
    return n;
  }

  /** O(new). */
  #sync(survey: Survey): void {
    if (this.#history !== survey.calls.generation) {
      this.#history = survey.calls.generation;
      this.#long = [];
      this.#typed = [];
      this.#calls = 0;
      this.#messages = 0;
    }
    for (; this.#messages < survey.messages.length; this.#messages += 1) {
      const { role, ownText } = survey.messages[this.#messages]!.reading;
      if (role === 'user' && ownText !== '') this.#typed.push(this.#messages);
    }
    const limit = limitOf(survey);
    for (; this.#calls < survey.calls.calls.length; this.#calls += 1) {
      const call = survey.calls.calls[this.#calls]!;
      const part = survey.messages[call.at]!.reading.parts[call.part];
      if (part === undefined || longIn(part, limit).cut <= 0) continue;
      this.#long.push({ index: this.#calls });
    }
  }
}

function limitOf(survey: Survey): number {
  return survey.settings.curated.maxInputChars ?? MAX_CHARS;
}

/** Characters in strings above the limit, what is kept of them aside. */
function longIn(part: Part, limit: number): { cut: number; leaves: number } {
  let cut = 0;
  let leaves = 0;
  const todo: unknown[] = [part.args];
  while (todo.length > 0) {
    const v = todo.pop();
    if (typeof v === 'string' && v.length > limit) {
      cut += v.length - HEAD_CHARS - 60;
      leaves += 2;
    } else if (typeof v === 'object' && v !== null) for (const x of Object.values(v)) todo.push(x);
  }
  return { cut, leaves };
}

/** The edit and its event; undefined when nothing gets shorter. */
function shortening(
  survey: Survey,
  call: CallRecord,
  part: Part,
  reason: 'input' | 'failed_input',
): Built | undefined {
  const message = survey.messages[call.at]!;
  const original = part.argsPath === undefined ? undefined : sliceIn(message.native, part.argsPath);
  if (original === undefined) return undefined;
  const handle = handleOf(survey.tenant, survey.session, message.seq, call.part, original);
  const edit = shrinkInput(part, limitOf(survey), (text) => shortened(text, handle));
  if (edit === undefined || edit.op !== 'set') return undefined;
  const delta = survey.tokensChanged(call.at, [edit]);
  if (delta >= 0) return undefined;
  const size = Buffer.byteLength(original);
  return {
    edits: [{ ...edit, at: call.at, delta }],
    section: { section_id: `${ID}/${call.id}`, kind: 'volatile', tokens_delta: delta },
    event: planned('memory.tool_result_cleared', {
      tool_call_id: call.id,
      tool: call.tool,
      original_size: size,
      cleared_at_turn: survey.turn,
      reason,
      handle,
      message: call.at,
      path: pointer(part.path),
      tokens_delta: delta,
      tokens_delta_estimate: -Math.trunc(size / 4),
      _of: part.argsPath!,
    }),
  };
}

/** A long string's start, how much is gone, where to get it, and the names in what is gone. */
function shortened(text: string, handle: string): string {
  const head = headOf(text, HEAD_CHARS);
  const rest = text.slice(head.length);
  const names = pickNames([...identifiersIn(rest)], nameBudget(rest, rest.length / CHARS_A_TOKEN), () => 1);
  const held = names.length === 0 ? '' : `; names: ${names.join(' ')}`;
  return `${head}… [${rest.length} characters cut, handle ${handle}${held}]`;
}
