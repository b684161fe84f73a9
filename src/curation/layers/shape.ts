// Oversized results are shaped before any request carries them (curated.shape): head, the lines that the task speaks of,
// tail, the names in what is left out, and the handle of the whole. S = 0: no cache is touched. Where a request would not
// fit without it, results that were sent are shaped too.

import { pointer, sliceIn, valueAt } from '../../json/index.js';
import type { Part, Path } from '../../providers/types.js';
import { callMeaning } from '../call-meaning.js';
import { type ResultRecord, standing } from '../calls.js';
import { claimOf } from '../claim.js';
import { isAllowed, namesOf } from '../clearing.js';
import { planned } from '../decisions.js';
import { headCut, matchingLines, tailCut, taskWords } from '../excerpt.js';
import { handleOf } from '../handle.js';
import { leavesOf } from '../identifiers.js';
import { type Built, type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import { PlacedName } from '../placed-name.js';
import { priced } from '../priced.js';
import type { Survey } from '../survey.js';
import type { Vocabulary } from '../vocabulary.js';

const ID = 'curated.shape';
/** Shares of what is left of a text. The rest of it is the note and some room. */
const HEAD = 0.45;
const TAIL = 0.2;
const MATCHES = 0.1;
const NAMES = 0.22;
/** Tokens of the note itself. */
const NOTE_TOKENS = 40;
/** Size that a last resort shapes to where the settings say nothing smaller. */
const LAST_RESORT_TOKENS = 2_000;
const TRIES = 4;
/** An agent that reads a file works on it, and can ask for less by itself: only so much more of it is too much. */
const READ_FACTOR = 3;

export class Shape implements Layer {
  readonly name = 'shape';
  readonly id = ID;
  readonly invalidatesUnknown = false;
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  plan(survey: Survey): LayerPlan {
    const { enabled, maxTokens } = survey.settings.curated.shape;
    if (!enabled && !survey.forced) return NOTHING;
    const most = enabled ? maxTokens : LAST_RESORT_TOKENS;
    const { results } = survey.calls;
    const candidates: Candidate[] = [];
    for (let index = results.length - 1; index >= 0; index -= 1) {
      const result = results[index]!;
      const presend = result.at >= survey.sent;
      if (!presend && !survey.forced) break;
      const limit = isRead(survey, result) && !survey.forced ? most * READ_FACTOR : most;
      if (!this.#isShapeable(survey, result) || standing(result) <= limit) continue;
      candidates.push({
        at: result.at,
        frees: standing(result) - limit,
        leaves: limit,
        since: survey.requests,
        presend,
        claim: claimOf(result.at, result.part),
        ...(presend && enabled ? { unasked: true } : { lastResort: true }),
        build: () => this.#shaping(survey, index, limit),
      });
    }
    return { candidates };
  }

  #isShapeable(survey: Survey, result: ResultRecord): boolean {
    if (result.cleared !== undefined || (result.cuts?.length ?? 0) > 0 || result.id === '') return false;
    if (survey.isDropped(result.at) || !isAllowed(survey, result.tool)) return false;
    if (survey.settings.plugins.toolResultClear.askUserTools.includes(result.tool)) return false;
    const part = survey.messages[result.at]!.reading.parts[result.part];
    return part?.bodyPath !== undefined && !survey.isFrozen(result.at, part.path);
  }

  #shaping(survey: Survey, index: number, most: number): Built | undefined {
    const result = survey.calls.results[index]!;
    const message = survey.messages[result.at]!;
    const part = message.reading.parts[result.part]!;
    const body = sliceIn(message.native, part.bodyPath!);
    if (body === undefined) return undefined;
    const handle = handleOf(survey.tenant, survey.session, message.seq, result.part, body);
    const leaves = textLeaves(message.native.value, part);
    const words = taskWords(`${taskOf(survey)}\n${argumentsOf(survey, result)}`);
    const cuts: Built['edits'] = [];
    for (const leaf of leaves) {
      const tokens = survey.count(leaf.text);
      const share = Math.max(NOTE_TOKENS * 2, Math.floor((most * tokens) / Math.max(1, result.tokens)));
      if (tokens <= share) continue;
      const shaped = this.#shape(survey, index, leaf.text, tokens, share, handle, words);
      if (shaped === undefined) continue;
      cuts.push({ op: 'set', at: result.at, path: leaf.path, json: JSON.stringify(shaped.text) });
    }
    const edits = priced(survey, cuts);
    const delta = edits[0]?.delta ?? 0;
    if (delta >= 0) return undefined;
    return {
      edits,
      section: { section_id: `${ID}/${result.id}`, kind: 'volatile', tokens_delta: delta },
      event: planned('memory.tool_result_cleared', {
        tool_call_id: result.id,
        tool: result.tool,
        original_size: result.bytes,
        cleared_at_turn: survey.turn,
        reason: 'shaped',
        handle,
        message: result.at,
        path: pointer(part.path),
        tokens_delta: delta,
        tokens_delta_estimate: -Math.trunc(result.bytes / 4),
        _of: part.bodyPath!,
        _partly: true,
      }),
    };
  }

  /** The shaped text of at most `most` tokens, or undefined where it would not be smaller. */
  #shape(
    survey: Survey,
    index: number,
    text: string,
    tokens: number,
    most: number,
    handle: string,
    words: readonly string[],
  ): { text: string; tokens: number } | undefined {
    const names = namesOf(survey, index, text, NAMES * most, this.#vocabulary).map(
      (name) => new PlacedName(text, name),
    );
    // Texts of uneven density need a second try with fewer characters.
    let chars = (Math.max(0, most - NOTE_TOKENS) * text.length) / tokens;
    for (let i = 0; i < TRIES; i += 1) {
      const shaped = compose(text, chars, handle, words, names);
      const size = survey.count(shaped);
      if (size <= most) return size < tokens ? { text: shaped, tokens: size } : undefined;
      chars *= Math.min(0.9, (most - NOTE_TOKENS / 2) / size);
    }
    return undefined;
  }
}

function compose(
  text: string,
  chars: number,
  handle: string,
  words: readonly string[],
  names: readonly PlacedName[],
): string {
  const head = headCut(text, chars * HEAD);
  const tail = Math.max(head, tailCut(text, chars * TAIL));
  const middle = text.slice(head, tail);
  const lines = matchingLines(text, head, tail, words, chars * MATCHES);
  const listed = lines.join('\n');
  const missing = names
    .filter((n) => n.onlyBetween(head, tail))
    .map((n) => n.name)
    .filter((n) => !listed.includes(n));
  const note =
    `[… ${Buffer.byteLength(middle)} of ${Buffer.byteLength(text)} bytes left out, handle ${handle}` +
    `${missing.length === 0 ? '' : `; names in them: ${missing.join(' ')}`}` +
    `${lines.length === 0 ? '' : `; lines of them:\n${listed}\n`}…]`;
  const before = text.slice(0, head);
  const gap = (s: string) => (s === '' || s.endsWith('\n') ? '' : '\n');
  return `${before}${gap(before)}${note}\n${text.slice(tail)}`;
}

/** Texts of a result's body with their places: the body itself, or the text blocks of a list. */
function textLeaves(value: unknown, part: Part): { path: Path; text: string }[] {
  const body = valueAt(value, part.bodyPath!);
  if (typeof body === 'string') return [{ path: part.bodyPath!, text: body }];
  if (!Array.isArray(body)) return [];
  return body.flatMap((item: unknown, i) => {
    const text = (item as { text?: unknown } | null)?.text;
    return typeof text === 'string' ? [{ path: [...part.bodyPath!, i, 'text'], text }] : [];
  });
}

function isRead(survey: Survey, result: ResultRecord): boolean {
  const call = result.call === undefined ? undefined : survey.calls.calls[result.call];
  return call !== undefined && callMeaning(call).kind === 'read';
}

/** The newest text of the user's own. */
function taskOf(survey: Survey): string {
  return (
    survey.messages.findLast((m) => m.reading.role === 'user' && m.reading.ownText !== '')?.reading.ownText ??
    ''
  );
}

function argumentsOf(survey: Survey, result: ResultRecord): string {
  const call = result.call === undefined ? undefined : survey.calls.calls[result.call];
  return leavesOf(call?.args).join('\n').slice(0, 2_000);
}
