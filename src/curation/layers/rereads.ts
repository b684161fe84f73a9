// The amnesia guard (COSTS 7): what was cleared and is fetched again is told, its tool's results are kept longer, and
// where a name of it was needed the body comes back once, at a boundary, if that is cheaper than fetching it.

import { recallCost } from '../../economics/index.js';
import { pointer } from '../../json/index.js';
import { type Amnesia, FETCH_OUTPUT } from '../amnesia.js';
import { standing } from '../calls.js';
import { type Planned, planned } from '../decisions.js';
import { type Built, type Layer, type LayerPlan, NOTHING, type Restore } from '../layer.js';
import { allowance, ratios, requestsLeft } from '../price.js';
import type { Survey } from '../survey.js';

const ID = 'curated.rereads';
/** Odds that a body of which one name was needed is fetched again. */
const ODDS = 0.5;

export class Rereads implements Layer {
  readonly name = 'rereads';
  readonly id = ID;
  readonly invalidatesUnknown = false;
  readonly #amnesia: Amnesia;
  /** Cleared results of which a name was needed, until a boundary has looked at them. */
  #wanted: number[] = [];

  constructor(amnesia: Amnesia) {
    this.#amnesia = amnesia;
  }

  plan(survey: Survey): LayerPlan {
    const events: Planned[] = [];
    for (const again of this.#amnesia.sync(survey)) {
      const result = survey.calls.results[again.result]!;
      // A name that was needed is no fetch yet.
      if (again.how !== 'identifier') this.#amnesia.charge(result.tool);
      else if ((result.rereads ?? 0) === 0) this.#wanted.push(again.result);
      events.push(
        planned('memory.reread', {
          of: result.handle ?? '',
          tool: again.call.tool,
          tool_call_id: again.call.id,
          how: again.how,
          tokens: result.tokens,
          message: result.at,
          path: pointer(survey.messages[result.at]!.reading.parts[result.part]?.path ?? []),
        }),
      );
    }
    if (!survey.looksBack || this.#wanted.length === 0)
      return events.length === 0 ? NOTHING : { candidates: [], events };
    const restores = this.#wanted.flatMap((index) => restoreOf(survey, index));
    this.#wanted = [];
    return { candidates: [], events, restores };
  }
}

/** Puts the body back where it stood, if that costs less than what fetching it is expected to cost. */
function restoreOf(survey: Survey, index: number): Restore[] {
  const result = survey.calls.results[index];
  if (result?.cleared === undefined || survey.isDropped(result.at)) return [];
  const { prefix } = survey;
  const { r, w, o } = ratios(survey);
  const n = requestsLeft(survey);
  const back = result.tokens - standing(result);
  const behind = prefix.known ? (1 - prefix.cold) * survey.tokensBehind(result.at, prefix.messages) : 0;
  const cost = behind * Math.max(0, w - r) + back * w + n * back * r;
  const fetched = recallCost(
    { block: result.tokens, prompt: survey.viewTokens, output: FETCH_OUTPUT },
    n / 2,
    r,
    w,
    o,
  );
  if (cost >= ODDS * fetched || cost > allowance(survey)) return [];
  return [{ at: result.at, build: () => restoring(survey, index, back) }];
}

function restoring(survey: Survey, index: number, back: number): Built {
  const result = survey.calls.results[index]!;
  const part = survey.messages[result.at]!.reading.parts[result.part];
  return {
    edits: [],
    section: { section_id: `${ID}/${result.id}`, kind: 'volatile', tokens_delta: back },
    event: planned('memory.tool_result_restored', {
      tool_call_id: result.id,
      tool: result.tool,
      handle: result.handle ?? '',
      reason: 'reread',
      message: result.at,
      path: pointer(part?.path ?? []),
      tokens_delta: back,
      _undo: (result.cuts ?? []).map((c) => c.seq),
    }),
  };
}
