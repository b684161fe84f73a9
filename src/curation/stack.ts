// The composition of the layers: cost order, one edit a boundary, one envelope a layer. Decides nothing about what may
// go (the layers do) nor about what pays (price.ts does).

import type { DecisionFields, LedgerEdit, Planned } from './decisions.js';
import { planned } from './decisions.js';
import type { AtOnce, Built, Candidate, Layer, LayerPlan, Restore } from './layer.js';
import { keepsOut, presendEdits } from './presend.js';
import { judge, ratios, type Verdict } from './price.js';
import { withoutThinking } from './sealed-thinking.js';
import type { Survey } from './survey.js';
import type { Open, SpanEnd, Trace } from './trace.js';
import { lowMark, triggered } from './trigger.js';

/** One decision of a pass: the event and the edits that carry it out. */
export interface Step {
  event: Planned;
  edits: LedgerEdit[];
}

/** What a layer offers and what is left for a later boundary, for `pending` of llm.prepare. */
export interface Waiting {
  layer: string;
  results: number;
  tokens: number;
  reason: string;
}

export interface Outcome {
  steps: Step[];
  waiting: Waiting[];
}

/** What the layers of one name offer. */
interface Offer {
  layer: Layer;
  candidates: readonly Candidate[];
  atOnce: readonly AtOnce[];
  restores: readonly Restore[];
  events: readonly Planned[];
  span: Open | undefined;
}

interface Choice extends Verdict {
  chosen: ReadonlySet<Candidate>;
}

/** A survey that was made for this run: copying all its facts for one more would cost more than it says. */
type Asked = Survey & { looksBack: boolean };

/** Lists up to this length are asked for at every boundary. */
const SHORT_LIST = 64;
/** A long list for which nothing paid is asked again when it has grown by this share, or after as many boundaries. */
const GROWTH = 0.03;

/** One session's stack. Layers keep indexes between calls; what the stack keeps only saves work. */
export class Stack {
  readonly layers: readonly Layer[];
  #waiting: Waiting[] = [];
  /** The end of the last topic was a boundary already. */
  #topicAsked = false;
  /** Bound thinking from this message on has left with an edit of this run. */
  #voidedFrom = 0;
  /** The last time that nothing paid: how much there was, and when. */
  #refused = { candidates: 0, tokens: 0, arrived: 0, boundaries: 0, cold: 0 };

  /** @param layers in cost order; those of one name, which make one pass, beside each other */
  constructor(layers: readonly Layer[]) {
    this.layers = layers;
  }

  /**
   * Runs the deterministic layers over the survey.
   * @param survey its `looksBack` is set here
   * @param trace gets a span a layer
   */
  run(survey: Asked, trace?: Trace): Outcome {
    const armed = triggered(survey);
    const looksBack = survey.forced || (survey.boundary && armed && this.#isDue(survey));
    survey.looksBack = looksBack;
    const offers = offersOf(survey, this.layers, trace);
    const grown = offers.some((o) => o.atOnce.some((b) => !b.presend));
    const verdict = this.#decide(grown ? rewritten(survey) : survey, offers, armed);
    const outcome: Outcome = { steps: [], waiting: [] };
    this.#voidedFrom = survey.messages.length;
    for (const offer of offers) {
      offer.span?.resume();
      const steps = this.#pass(survey, offer, verdict);
      for (const step of steps) outcome.steps.push(step);
      offer.span?.end(told(offer, steps));
    }
    if (looksBack) this.#waiting = waitingOf(offers, verdict);
    else if (!armed) this.#waiting = this.#waiting.map((w) => ({ ...w, reason: 'trigger not met' }));
    outcome.waiting = this.#waiting;
    return outcome;
  }

  /** Is it time to look through what was sent? A long list that did not pay is left alone until it has grown. */
  #isDue(survey: Survey): boolean {
    const last = this.#refused;
    last.boundaries += 1;
    // A natural boundary is asked about once, however long the list.
    const ended = survey.topicEnded && !this.#topicAsked;
    this.#topicAsked = survey.topicEnded;
    if (ended) return true;
    if (last.candidates <= SHORT_LIST || survey.viewTokens > survey.budget) return true;
    if (survey.prefix.known && survey.prefix.cold > last.cold) return true;
    return (
      last.boundaries >= last.candidates * GROWTH ||
      survey.calls.resultTokens - last.arrived >= last.tokens * GROWTH
    );
  }

  /** Which candidates are made now. What was never sent is free; the rest is one question of boundary and price. */
  #decide(survey: Survey, offers: readonly Offer[], armed: boolean): Choice {
    const all = inOrder(offers);
    const chosen = armed && all.some((c) => c.presend) ? new Set(presendEdits(survey, all)) : NONE;
    const isSent = (c: Candidate) => !chosen.has(c) && !(c.presend && !survey.forced);
    const sent = all.every(isSent) ? all : all.filter(isSent);
    const wait = (reason: string): Choice => ({ ...NO_EDIT, from: sent.length, reason, chosen });
    if (sent.length === 0 || !survey.looksBack) return wait(survey.boundary ? '' : 'no boundary');
    if (survey.forced) {
      const verdict = { ...judge(survey, sent), from: 0, reason: 'forced' };
      return { ...verdict, chosen: force(survey, sent, chosen) };
    }
    const verdict = judge(survey, sent);
    const { numbers } = verdict;
    const last = this.#refused;
    last.candidates = verdict.from < sent.length ? 0 : sent.length;
    last.tokens = sent.reduce((sum, c) => sum + c.frees, 0);
    last.arrived = survey.calls.resultTokens;
    last.boundaries = 0;
    last.cold = survey.prefix.known ? survey.prefix.cold : 0;
    if (numbers?.edit !== true) return { ...verdict, chosen };
    const low = lowMark(survey.settings.curated.target, survey.window);
    let left = low === undefined ? Number.POSITIVE_INFINITY : survey.viewTokens - low;
    const edited = new Set(chosen);
    for (const candidate of closedFirst(survey, sent.slice(verdict.from))) {
      if (left <= 0) break;
      left -= candidate.frees;
      edited.add(candidate);
    }
    if (keepsOut(survey, edited)) return wait('too_short');
    return { ...verdict, chosen: edited };
  }

  /** Events of one layer: its decisions in message order, then one envelope (S-4). */
  #pass(survey: Survey, offer: Offer, verdict: Choice): Step[] {
    const steps: Step[] = offer.events.map((event) => ({ event, edits: [] }));
    const built: { at: number; sent: boolean; made: Built }[] = offer.atOnce.map((made) => {
      return { at: made.at, sent: !made.presend, made };
    });
    const grown = built.some((b) => b.sent) ? { ...verdict, ...growth(survey) } : verdict;
    for (const candidate of offer.candidates) {
      if (!verdict.chosen.has(candidate)) continue;
      const made = candidate.build(survey);
      if (made === undefined) continue;
      const { at } = candidate;
      const sent = !candidate.presend;
      if ('edits' in made) built.push({ at, sent, made });
      else for (const one of made) built.push({ at, sent, made: one });
    }
    for (const restore of offer.restores) {
      built.push({ at: restore.at, sent: restore.at < survey.sent, made: restore.build() });
    }
    if (built.length === 0) return steps;
    built.sort((a, b) => a.at - b.at);
    const loose: LedgerEdit[] = [];
    for (const { made } of built) {
      if (made.event === undefined) loose.push(...made.edits);
      else steps.push({ event: withTools(survey, made.event, made), edits: made.edits });
    }
    const firstSent = built.find((b) => b.sent)?.at;
    // Thinking that came with a history which was never sent through us is bound to it as it came: a first send voids it too.
    if (offer.layer.name !== 'thinking_clear' && built[0]!.at < this.#voidedFrom) {
      loose.push(...withoutThinking(survey, built[0]!.at, this.#voidedFrom));
      this.#voidedFrom = built[0]!.at;
    }
    const silent = built.map((b) => b.made).filter((m) => m.event === undefined);
    const touchesSent = firstSent !== undefined;
    const price =
      touchesSent && offer.layer.name === 'undo'
        ? returning(
            survey,
            firstSent,
            built.map((b) => b.made),
          )
        : grown;
    steps.push({
      event: planned('memory.curated', {
        layer: offer.layer.name,
        sections_touched: built.map((b) => b.made.section),
        // The wire promises that messages once sent change only under this flag, so it follows what was sent, also
        // where the provider's cache is unknown.
        cache_invalidates: touchesSent,
        at_turn: survey.turn,
        first_message: survey.indexOf(Math.max(0, firstSent ?? built[0]!.at)),
        recache_tokens: touchesSent ? price.recacheTokens : 0,
        saves_per_request: touchesSent ? price.savesPerRequest : 0,
        break_even_requests: touchesSent ? price.breakEvenRequests : 0,
        reason: touchesSent ? price.reason || 'restored' : 'presend',
        ...(survey.forced || 'forced' in price ? { forced: true } : {}),
        ...toolFields(survey, {
          hide: silent.flatMap((m) => m.hide ?? []),
          show: silent.flatMap((m) => m.show ?? []),
          ...owned(silent),
        }),
      }),
      edits: loose,
    });
    return steps;
  }
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

/** What it costs that something stands in the request again: its tokens in each, and no request at which it has paid. */
function returning(survey: Survey, first: number, made: readonly Built[]): Omit<Verdict, 'from'> {
  const { prefix } = survey;
  const tokens = made.reduce((sum, b) => sum + b.section.tokens_delta, 0);
  return {
    recacheTokens: prefix.known ? survey.tokensBehind(first, prefix.messages) : 0,
    savesPerRequest: -Math.round(tokens * ratios(survey).r * 100) / 100,
    breakEvenRequests: 0,
    reason: 'undo',
  };
}

function withTools(survey: Survey, event: Planned, built: Built): Planned {
  if (built.own === undefined && built.hide === undefined && built.show === undefined) return event;
  return { ...event, payload: { ...event.payload, ...toolFields(survey, built) } } as Planned;
}

function toolFields(
  survey: Survey,
  { hide = [], show = [], own }: Pick<Built, 'hide' | 'show' | 'own'>,
): DecisionFields {
  return {
    ...(own === undefined ? {} : { _own: own }),
    ...(hide.length === 0 ? {} : { _hide: [...hide], ...(survey.tools?.defers ? { _defer: true } : {}) }),
    ...(show.length === 0 ? {} : { _show: [...show] }),
  };
}

/** The one message of ours that a pass without an event of its own puts in place. */
function owned(silent: readonly Built[]): Pick<Built, 'own'> {
  const own = silent.find((b) => b.own !== undefined)?.own;
  return own === undefined ? {} : { own };
}

const NO_EDIT = { recacheTokens: 0, savesPerRequest: 0, breakEvenRequests: 0 };
const NONE: ReadonlySet<Candidate> = new Set();

/** What the layers offer, those of one name as one pass, and of several claims to one part the first. */
function offersOf(survey: Survey, layers: readonly Layer[], trace?: Trace): Offer[] {
  const offers: Offer[] = [];
  let name: string | undefined;
  let span: Open | undefined;
  let offer: Offer | undefined;
  for (const layer of layers) {
    if (layer.name !== name) {
      span?.end();
      ({ name } = layer);
      span = trace?.begin(name, survey.viewTokens);
      offer = undefined;
    }
    const plan = freeOf(survey, layer.plan(survey));
    if (isEmpty(plan)) continue;
    const { candidates, atOnce = [], restores = [], events = [] } = plan;
    const left = unclaimed(survey, candidates, offers);
    if (offer === undefined) {
      offer = { layer, candidates: left, atOnce, restores, events, span };
      offers.push(offer);
      continue;
    }
    offer.candidates = [...offer.candidates, ...left];
    offer.atOnce = [...offer.atOnce, ...atOnce];
    offer.restores = [...offer.restores, ...restores];
    offer.events = [...offer.events, ...events];
  }
  span?.end();
  return offers;
}

function isEmpty({ candidates, atOnce, restores, events }: LayerPlan): boolean {
  const others = (atOnce?.length ?? 0) + (restores?.length ?? 0) + (events?.length ?? 0);
  return candidates.length + others === 0;
}

/** What of a plan may be edited now. */
function freeOf(survey: Survey, plan: LayerPlan): LayerPlan {
  const from = survey.freeFrom;
  // -1 is the first place of all.
  if (from < 0) return plan;
  const isFree = ({ at }: { at: number }) => at >= from;
  return {
    candidates: plan.candidates.filter(isFree),
    atOnce: plan.atOnce?.filter(isFree) ?? [],
    restores: plan.restores?.filter(isFree) ?? [],
    events: plan.events ?? [],
  };
}

/** Those of a layer's candidates that are about nothing that an earlier layer is about, nor what a user has pinned. */
function unclaimed(
  survey: Survey,
  candidates: readonly Candidate[],
  offers: readonly Offer[],
): readonly Candidate[] {
  const claimed = offers.some((o) => o.candidates.length > 0) ? claimsOf(offers) : undefined;
  const isLeft = ({ claim }: Candidate) =>
    claim === undefined || !(claimed?.has(claim) === true || survey.isPinned(claim));
  return candidates.every(isLeft) ? candidates : candidates.filter(isLeft);
}

function claimsOf(offers: readonly Offer[]): Set<string | undefined> {
  return new Set(offers.flatMap((o) => o.candidates.map((c) => c.claim)));
}

/** L3-14: what belongs to topics that ended goes before what is being talked about; else in the order given. */
function closedFirst(survey: Survey, candidates: readonly Candidate[]): readonly Candidate[] {
  const open = candidates.filter((c) => survey.inTopic(c.at));
  if (open.length === 0 || open.length === candidates.length) return candidates;
  return [...candidates.filter((c) => !survey.inTopic(c.at)), ...open];
}

/** Everything that may go anyway, and last resorts until the request is within its budget. */
function force(
  survey: Survey,
  sent: readonly Candidate[],
  before: ReadonlySet<Candidate>,
): ReadonlySet<Candidate> {
  const chosen = new Set(before);
  let over = survey.viewTokens - survey.budget;
  for (const candidate of sent) {
    if (candidate.lastResort === true) continue;
    chosen.add(candidate);
    over -= candidate.frees;
  }
  const resorts = closedFirst(
    survey,
    sent.filter((c) => c.lastResort === true).sort((a, b) => b.frees - a.frees),
  );
  for (const candidate of resorts) {
    if (over <= 0) break;
    chosen.add(candidate);
    over -= candidate.frees;
  }
  return chosen;
}

/** Candidates of all layers, ascending by position. Each layer's are mostly so already. */
function inOrder(offers: readonly Offer[]): readonly Candidate[] {
  const offering = offers.filter((o) => o.candidates.length > 0);
  const all = offering.length === 1 ? offering[0]!.candidates : offering.flatMap((o) => o.candidates);
  const sorted = all.every((c, i) => i === 0 || all[i - 1]!.at <= c.at);
  return sorted ? all : [...all].sort((a, b) => a.at - b.at);
}

/** What a layer's span says of its pass: the envelope counts the tokens, the other events are decisions. */
function told(offer: Offer, steps: readonly Step[]): Partial<SpanEnd> {
  const envelope = steps.find((s) => s.event.type === 'memory.curated')?.event;
  const sections = envelope?.type === 'memory.curated' ? envelope.payload.sections_touched : [];
  const waits = offer.candidates.length > 0 ? 'waits' : 'none';
  return {
    tokens_delta: sections.reduce((sum, s) => sum + s.tokens_delta, 0),
    decision: envelope === undefined ? waits : 'edits',
    decisions: steps.filter((s) => s.event.type !== 'memory.curated').length,
  };
}

function waitingOf(offers: readonly Offer[], { chosen, reason }: Choice): Waiting[] {
  const waiting: Waiting[] = [];
  for (const { layer, candidates } of offers) {
    let results = 0;
    let tokens = 0;
    for (const c of candidates) {
      if (chosen.has(c)) continue;
      results += 1;
      tokens += c.frees;
    }
    if (results > 0) waiting.push({ layer: layer.name, results, tokens, reason });
  }
  return waiting;
}
