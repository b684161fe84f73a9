// Old images and documents inside tool results (curated.images: clear): a line of text with size and handle stands for
// each; the text beside them stays. The newest results are kept as the keep rules say, and one at least.

import { pointer, sliceIn, type TextEdit } from '../../json/index.js';
import type { Media } from '../../providers/types.js';
import { mediaCost } from '../../tokens/request-count.js';
import type { ResultRecord } from '../calls.js';
import { claimOf } from '../claim.js';
import { CLEAR_ID, isClearable, isProtected } from '../clearing.js';
import { planned } from '../decisions.js';
import { handleOf } from '../handle.js';
import { keepLine } from '../keep.js';
import { type Built, type Candidate, type Layer, type LayerPlan, NOTHING } from '../layer.js';
import { attribute } from '../marker.js';
import type { Survey } from '../survey.js';

const LINE_TOKENS = 30;
/** Results with media that are kept where no keep rule says how many. */
const KEPT = 1;

export class OldMedia implements Layer {
  readonly name = 'tool_result_clear';
  readonly id = CLEAR_ID;
  readonly invalidatesUnknown = false;
  /** Results with media, oldest first, and when each became old. */
  #holding: { index: number; since?: number }[] = [];
  #seen = 0;
  #history = 0;

  plan(survey: Survey): LayerPlan {
    if (!survey.settings.plugins.toolResultClear.enabled || survey.settings.curated.images !== 'clear') {
      return NOTHING;
    }
    this.#sync(survey);
    if (!survey.looksBack) return NOTHING;
    const keep = keepLine(survey, survey.settings.curated.keep);
    const { results } = survey.calls;
    this.#holding = this.#holding.filter(({ index }) => mediaOf(survey, results[index]!).length > 0);
    const old = this.#holding.filter(({ index }, i) =>
      keep.ruled
        ? index < keep.results && results[index]!.at < keep.messages
        : i < this.#holding.length - KEPT,
    );
    const candidates: Candidate[] = [];
    for (const entry of old) {
      entry.since ??= survey.requests;
      const result = results[entry.index]!;
      if (isProtected(survey, result)) continue;
      // One candidate a picture; together they hold the result, so that no other layer takes it from under them.
      mediaOf(survey, result).forEach((media, n) => {
        const tokens = mediaCost(media, survey.profile.image);
        candidates.push({
          at: result.at,
          frees: tokens - LINE_TOKENS,
          leaves: LINE_TOKENS,
          since: entry.since!,
          presend: result.at >= survey.sent,
          claim: `${claimOf(result.at, result.part)}${n === 0 ? '' : `.${n}`}`,
          build: () => clearing(survey, result, media),
        });
      });
    }
    return { candidates };
  }

  /** O(new). */
  #sync(survey: Survey): void {
    if (this.#history !== survey.calls.generation) {
      this.#history = survey.calls.generation;
      this.#holding = [];
      this.#seen = 0;
    }
    const { results } = survey.calls;
    for (; this.#seen < results.length; this.#seen += 1) {
      const result = results[this.#seen]!;
      if (isClearable(survey, result) && mediaOf(survey, result).length > 0) {
        this.#holding.push({ index: this.#seen });
      }
    }
  }
}

/** Media of a result that still stand in the request. */
function mediaOf(survey: Survey, result: ResultRecord): Media[] {
  if (result.cleared !== undefined || survey.isDropped(result.at)) return [];
  const media = survey.messages[result.at]!.reading.parts[result.part]?.media ?? [];
  // The path of an item of a block list; a body that is a picture as a whole is cleared as one.
  const items = media.filter((m) => typeof m.path[m.path.length - 1] === 'number');
  return items.filter((m) => !survey.isEditedAt(result.at, pointer(m.path)));
}

function clearing(survey: Survey, result: ResultRecord, media: Media): Built | undefined {
  const message = survey.messages[result.at]!;
  const original = sliceIn(message.native, media.path);
  if (original === undefined) return undefined;
  const handle = handleOf(survey.tenant, survey.session, message.seq, result.part, original);
  const size = media.width === undefined ? '' : ` ${media.width}x${media.height}`;
  const text = `[${media.kind}${size} cleared: ${media.bytes} bytes, handle ${attribute(handle)}]`;
  const type = survey.spec.format === 'openai-responses' ? 'input_text' : 'text';
  const edit: TextEdit = { op: 'set', path: media.path, json: JSON.stringify({ type, text }) };
  const delta = survey.tokensChanged(result.at, [edit]);
  if (delta >= 0) return undefined;
  return {
    edits: [{ ...edit, at: result.at, delta }],
    section: { section_id: `${CLEAR_ID}/${result.id}`, kind: 'volatile', tokens_delta: delta },
    event: planned('memory.tool_result_cleared', {
      tool_call_id: result.id,
      tool: result.tool,
      original_size: media.bytes,
      cleared_at_turn: survey.turn,
      reason: media.kind,
      handle,
      message: result.at,
      path: pointer(media.path),
      tokens_delta: delta,
      tokens_delta_estimate: -Math.trunc(media.bytes / 4),
      _of: media.path,
      _partly: true,
    }),
  };
}
