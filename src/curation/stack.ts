// The composition of the layers: cost order, one edit a boundary, one envelope a layer. Pure.

import type { DecisionFields, LedgerEdit, Planned } from './decisions.js';
import { planned } from './decisions.js';
import type { AtOnce, Built, Candidate, Layer } from './layer.js';
import { judge, type Verdict } from './price.js';
import { withoutThinking } from './sealed-thinking.js';
import type { Survey } from './survey.js';
import { lowMark, triggered } from './trigger.js';

/** One decision of a pass: the event and the edits that carry it out. */
export interface Step {
  event: Planned;
  edits: LedgerEdit[];
}

export interface Outcome {
  steps: Step[];
  /** What was offered and left for a later boundary, for `pending` of llm.prepare. */
  waiting: { layer: string; results: number; tokens: number; reason: string }[];
}

interface Offer {
  layer: Layer;
  candidates: Candidate[];
  atOnce: readonly AtOnce[];
  events: Planned[];
}

/**
 * Runs the deterministic layers over the survey.
 * @param layers in cost order; they keep their own indexes between calls, so one set belongs to one session
 */
export function runStack(layers: readonly Layer[], survey: Survey): Outcome {
  const offers: Offer[] = layers.map((layer) => {
    const plan = layer.plan(survey);
    return { layer, candidates: plan.candidates, atOnce: plan.atOnce ?? [], events: plan.events ?? [] };
  });
  const grown = offers.some((o) => o.atOnce.some((b) => !b.presend));
  const verdict = decide(grown ? rewritten(survey) : survey, offers);
  const outcome: Outcome = { steps: [], waiting: [] };
  for (const offer of offers) {
    for (const event of offer.events) outcome.steps.push({ event, edits: [] });
    const chosen: Built[] = [];
    let waiting = 0;
    let tokens = 0;
    let first = Number.POSITIVE_INFINITY;
    let touchesSent = false;
    for (const built of offer.atOnce) {
      chosen.push(built);
      first = Math.min(first, built.at);
      touchesSent ||= !built.presend;
    }
    const forced = touchesSent;
    for (const candidate of offer.candidates) {
      if (!verdict.chosen.has(candidate)) {
        waiting += 1;
        tokens += candidate.frees;
        continue;
      }
      const built = candidate.build();
      if (built === undefined) continue;
      chosen.push(...[built].flat());
      first = Math.min(first, candidate.at);
      touchesSent ||= !candidate.presend;
    }
    if (waiting > 0) {
      outcome.waiting.push({ layer: offer.layer.name, results: waiting, tokens, reason: verdict.reason });
    }
    if (chosen.length > 0) {
      const price = forced ? { ...verdict, ...growth(survey) } : verdict;
      outcome.steps.push(...pass(survey, offer.layer, chosen, first, touchesSent, price));
    }
  }
  return outcome;
}

/** The list of tools stands before everything: where it has to change, the cache is as good as gone for all behind it. */
function rewritten(survey: Survey): Survey {
  return survey.prefix.known ? { ...survey, prefix: { ...survey.prefix, cold: 1 } } : survey;
}

function growth(survey: Survey): Pick<Verdict, 'recacheTokens' | 'reason'> & { forced: true } {
  const { prefix } = survey;
  return {
    recacheTokens: prefix.known ? survey.tokensBehind(-1, prefix.messages) : 0,
    reason: 'tools',
    forced: true,
  };
}

interface Choice extends Verdict {
  chosen: Set<Candidate>;
}

/** Which candidates are made now. What was never sent is free; the rest is one question of boundary and price. */
function decide(survey: Survey, offers: readonly Offer[]): Choice {
  const all = offers.flatMap((o) => o.candidates).sort((a, b) => a.at - b.at);
  const chosen = new Set(all.filter((c) => c.presend && triggered(survey)));
  const sent = all.filter((c) => !c.presend);
  const choose = (verdict: Verdict): Choice => {
    let freed = 0;
    const low = lowMark(survey.settings.curated.target, survey.window);
    const goal = low === undefined ? Number.POSITIVE_INFINITY : survey.viewTokens - low;
    for (const candidate of sent.slice(verdict.from)) {
      if (freed >= goal) break;
      freed += candidate.frees;
      chosen.add(candidate);
    }
    return { ...verdict, chosen };
  };
  const wait = (reason: string): Choice => ({
    from: sent.length,
    recacheTokens: 0,
    savesPerRequest: 0,
    breakEvenRequests: 0,
    reason,
    chosen,
  });
  if (sent.length === 0) return wait('');
  if (survey.forced) return choose({ ...judge(survey, sent), from: 0, reason: 'forced' });
  if (!survey.boundary) return wait('no boundary');
  if (!triggered(survey)) return wait('trigger not met');
  return choose(judge(survey, sent));
}

/** Events of one layer: its decisions in message order, then one envelope (S-4). */
function pass(
  survey: Survey,
  layer: Layer,
  chosen: readonly Built[],
  first: number,
  touchesSent: boolean,
  verdict: Verdict & { forced?: boolean },
): Step[] {
  const steps: Step[] = [];
  const loose: LedgerEdit[] = [];
  for (const built of chosen) {
    if (built.event === undefined) loose.push(...built.edits);
    else steps.push({ event: withTools(built.event, built), edits: built.edits });
  }
  const silent = chosen.filter((b) => b.event === undefined);
  if (touchesSent) loose.push(...withoutThinking(survey, first));
  const envelope = {
    hide: silent.flatMap((b) => b.hide ?? []),
    show: silent.flatMap((b) => b.show ?? []),
  };
  steps.push({
    event: planned('memory.curated', {
      layer: layer.name,
      sections_touched: chosen.map((b) => b.section),
      // The wire promises that messages once sent change only under this flag, so it follows what was sent, also where
      // the provider's cache is unknown.
      cache_invalidates: touchesSent,
      at_turn: survey.turn,
      first_message: survey.indexOf(Math.max(0, first)),
      recache_tokens: verdict.recacheTokens,
      saves_per_request: verdict.savesPerRequest,
      break_even_requests: verdict.breakEvenRequests,
      reason: verdict.reason,
      ...(survey.forced || verdict.forced ? { forced: true } : {}),
      ...toolFields(envelope),
      ...toolFields({ ...silent.find((b) => b.own !== undefined), hide: [], show: [] }),
    }),
    edits: loose,
  });
  return steps;
}

function withTools(event: Planned, built: Built): Planned {
  return { ...event, payload: { ...event.payload, ...toolFields(built) } } as Planned;
}

function toolFields({ hide = [], show = [], own }: Pick<Built, 'hide' | 'show' | 'own'>): DecisionFields {
  return {
    ...(own === undefined ? {} : { _own: own }),
    ...(hide.length === 0 ? {} : { _hide: [...hide] }),
    ...(show.length === 0 ? {} : { _show: [...show] }),
  };
}
