// The composition of the layers: cost order, one edit a boundary, one envelope a layer. Decides nothing about what may
// go (the layers do) nor about what pays (price.ts does).

import type { DecisionFields, LedgerEdit, Planned } from './decisions.js';
import { planned } from './decisions.js';
import type { AtOnce, Built, Candidate, Layer, Restore } from './layer.js';
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

interface Offer {
  layer: Layer;
  candidates: Candidate[];
  atOnce: AtOnce[];
  restores: Restore[];
  events: Planned[];
  span?: Open;
}

interface Choice extends Verdict {
  chosen: Set<Candidate>;
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

  /** @param layers in cost order */
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
    const offers = byName(survey, this.layers, trace);
    const grown = offers.some((o) => o.atOnce.some((b) => !b.presend));
    const verdict = this.#decide(grown ? rewritten(survey) : survey, offers, armed);
    const outcome: Outcome = { steps: [], waiting: [] };
    this.#voidedFrom = survey.messages.length;
    for (const offer of offers) {
      if (isEmpty(offer)) continue;
      const pass = () => {
        const steps = this.#pass(survey, offer, verdict);
        outcome.steps.push(...steps);
        return told(offer, steps);
      };
      if (offer.span === undefined) pass();
      else offer.span.extend(pass);
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
    const chosen = new Set(armed ? presendEdits(survey, all) : []);
    const sent = all.filter((c) => !chosen.has(c) && !(c.presend && !survey.forced));
    const wait = (reason: string): Choice => ({ ...NO_EDIT, from: sent.length, reason, chosen });
    if (sent.length === 0 || !survey.looksBack) return wait(survey.boundary ? '' : 'no boundary');
    if (survey.forced) {
      const verdict = { ...judge(survey, sent), from: 0, reason: 'forced' };
      return { ...verdict, chosen: force(survey, sent, chosen) };
    }
    const verdict = judge(survey, sent);
    const { numbers } = verdict;
    this.#refused = {
      candidates: verdict.from < sent.length ? 0 : sent.length,
      tokens: sent.reduce((sum, c) => sum + c.frees, 0),
      arrived: survey.calls.resultTokens,
      boundaries: 0,
      cold: survey.prefix.known ? survey.prefix.cold : 0,
    };
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
      const made = verdict.chosen.has(candidate) ? candidate.build() : undefined;
      const sent = !candidate.presend;
      if (made !== undefined)
        for (const one of [made].flat()) built.push({ at: candidate.at, sent, made: one });
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

/** What every layer offers, layers of one name as one pass, and of several claims to one part the first. */
function byName(survey: Survey, layers: readonly Layer[], trace?: Trace): Offer[] {
  const offers = new Map<string, Offer>();
  const claimed = new Set<string>();
  for (const layer of layers) {
    const known = offers.get(layer.name);
    const offer = known ?? { layer, candidates: [], atOnce: [], restores: [], events: [] };
    if (known === undefined && trace !== undefined) {
      offer.span = trace.begin(layer.name, survey.viewTokens);
    }
    const plan = layer.plan(survey);
    if (known === undefined) offer.span?.end();
    offers.set(layer.name, offer);
    if (plan.events !== undefined) for (const e of plan.events) offer.events.push(e);
    const isFree = ({ at }: { at: number }) => at >= survey.freeFrom;
    if (plan.atOnce !== undefined) offer.atOnce.push(...plan.atOnce.filter(isFree));
    if (plan.restores !== undefined) offer.restores.push(...plan.restores.filter(isFree));
    for (const candidate of plan.candidates) {
      if (!isFree(candidate)) continue;
      if (candidate.claim !== undefined && (claimed.has(candidate.claim) || survey.isPinned(candidate.claim)))
        continue;
      if (candidate.claim !== undefined) claimed.add(candidate.claim);
      offer.candidates.push(candidate);
    }
  }
  return [...offers.values()];
}

/** Everything that may go anyway, and last resorts until the request is within its budget. */
/** L3-14: what belongs to topics that ended goes before what is being talked about; else in the order given. */
function closedFirst(survey: Survey, candidates: readonly Candidate[]): readonly Candidate[] {
  const open = candidates.filter((c) => survey.inTopic(c.at));
  if (open.length === 0 || open.length === candidates.length) return candidates;
  return [...candidates.filter((c) => !survey.inTopic(c.at)), ...open];
}

function force(survey: Survey, sent: readonly Candidate[], chosen: Set<Candidate>): Set<Candidate> {
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
function inOrder(offers: readonly Offer[]): Candidate[] {
  const all: Candidate[] = [];
  let sorted = true;
  for (const { candidates } of offers) {
    for (const c of candidates) {
      if (all.length > 0 && all[all.length - 1]!.at > c.at) sorted = false;
      all.push(c);
    }
  }
  return sorted ? all : all.sort((a, b) => a.at - b.at);
}

function isEmpty(o: Offer): boolean {
  return o.candidates.length + o.atOnce.length + o.restores.length + o.events.length === 0;
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

function waitingOf(offers: readonly Offer[], verdict: Choice): Waiting[] {
  return offers.flatMap(({ layer, candidates }) => {
    const left = candidates.filter((c) => !verdict.chosen.has(c));
    if (left.length === 0) return [];
    const tokens = left.reduce((sum, c) => sum + c.frees, 0);
    return [{ layer: layer.name, results: left.length, tokens, reason: verdict.reason }];
  });
}
