// Tokens of a request for a model without a public tokenizer: recursive least squares on what the provider's usage
// grew by from report to report, anchored on the last report, so that an error touches the increment only.
// Pure; the fit is a small plain JSON value that is journalled and never recomputed in replay.
import { type Features, subtractFeatures, WEIGHTS } from './features.js';
import { implausible } from './plausible.js';
import { priorOf } from './priors.js';
import { sevenDigits } from './seven-digits.js';

/** A report and the features of the request it was for. */
export interface Anchor {
  usage: number;
  x: Features;
}

export interface Fit {
  v: 1;
  model: string;
  exact: boolean;
  /** Increments learned from. */
  n: number;
  /** Weights in FEATURES order without `flat`. */
  w: number[];
  /** Their covariance: the upper triangle, row by row. */
  p: number[];
  /** Variance of an increment's residual in units of `increment scale` squared. */
  noise: number;
  /** How many deviations the P95 bound lies above the estimate. */
  q: number;
  anchor: Anchor | null;
  /** A report refused as a jump; the next one confirms it or not. */
  pending: Anchor | null;
}

export interface Observation {
  /** Of the request that the usage is for. */
  features: Features;
  /** Prompt tokens as the provider counted them, cached ones included (PV-A47, PV-C8, PV-R11). */
  usage: number;
  /** The model's window, where known. */
  window?: number | undefined;
  /** The answer to that request, if it stays in the context: its features, and its tokens as reported, hidden reasoning left out. */
  reply?: { features: Features; output: number } | undefined;
}

export interface Estimate {
  tokens: number;
  /** 95 of 100 requests are no larger; budgets decide on it. */
  p95: number;
}

/** Weight of the past per report: half after about 140. */
const FORGET = 0.995;
/** Tokens that a provider adds to an increment of two messages out of our sight (reminders, separators). */
const FLOOR = 60;
/** Spread of an increment in proportion to its size, once the weights are known. */
const RELATIVE = 0.05;
/** Reported output below this share of the reply's estimate is no count of it. */
const REPLY_SHARE = 0.6;
/** Residuals beyond so many deviations count as so many. */
const CLIP = 3;
/**
 * The bound's multiplier: where it starts, its step per report and its range. A report above the bound widens it, one
 * below narrows it a little, so that in the long run MISS of them lie above, whatever their distribution. MISS is below
 * 5 % because a session is short against that run.
 */
const Q_START = 3;
const Q_STEP = 0.4;
const Q_RANGE = [1.6, 10] as const;
const MISS = 0.025;

/** Place of (i, j), i <= j, in the packed triangle. */
function at(i: number, j: number): number {
  return i <= j ? i * WEIGHTS - (i * (i - 1)) / 2 + (j - i) : at(j, i);
}

/** P x for a packed symmetric P. */
function times(p: readonly number[], x: Features): number[] {
  const out = new Array<number>(WEIGHTS).fill(0);
  for (let i = 0; i < WEIGHTS; i++) for (let j = 0; j < WEIGHTS; j++) out[i]! += p[at(i, j)]! * x[j]!;
  return out;
}

function weighted(w: readonly number[], x: Features): number {
  let sum = x[WEIGHTS]!;
  for (let i = 0; i < WEIGHTS; i++) sum += w[i]! * x[i]!;
  return sum;
}

/** Expected size of an increment's residual before anything is learned, tokens. */
function scaleOf(d: Features, predicted: number): number {
  const steps = Math.max(1, Math.abs(d[0]!) / 2);
  return Math.hypot(FLOOR * Math.sqrt(steps), RELATIVE * Math.abs(predicted));
}

/** Of models that were asked for lately: each call of a session asks, and it follows from the name. */
const priors = new Map<string, Fit>();
const PRIORS_KEPT = 256;

/** The fit of a model before any report; nobody may change it. */
export function priorFor(model: string): Fit {
  let prior = priors.get(model);
  if (prior === undefined) {
    prior = madePrior(model);
    if (priors.size >= PRIORS_KEPT) priors.clear();
    priors.set(model, prior);
  }
  return prior;
}

function madePrior(model: string): Fit {
  const { exact, mean, sd, shared } = priorOf(model);
  const p = new Array<number>((WEIGHTS * (WEIGHTS + 1)) / 2).fill(0);
  for (let i = 0; i < WEIGHTS; i++) {
    for (let j = i; j < WEIGHTS; j++) {
      p[at(i, j)] = (i === j ? sd[i]! ** 2 : 0) + (i >= 2 ? shared ** 2 : 0);
    }
  }
  Object.freeze(mean);
  Object.freeze(p);
  return Object.freeze<Fit>({
    v: 1,
    model,
    exact,
    n: 0,
    w: mean,
    p,
    noise: 1,
    q: Q_START,
    anchor: null,
    pending: null,
  });
}

/**
 * A session's fit from what the model's other sessions taught: the same weights, held less firmly, and no anchor.
 * Without `learned`, or for another model, the prior.
 */
export function inherit(model: string, learned?: Fit): Fit {
  const prior = priorFor(model);
  if (learned === undefined || learned.model !== model || learned.n === 0) return prior;
  return {
    ...learned,
    n: 0,
    p: learned.p.map((v, i) => sevenDigits(0.75 * v + 0.25 * prior.p[i]!)),
    anchor: null,
    pending: null,
  };
}

interface Prediction {
  tokens: number;
  /** Deviation of the prediction's error, tokens. */
  sd: number;
  increment: Features;
}

function predict(fit: Fit, features: Features, anchor: Anchor | null): Prediction {
  const increment = anchor === null ? features : subtractFeatures(features, anchor.x);
  const grown = weighted(fit.w, increment);
  const px = times(fit.p, increment);
  let spread = 0;
  for (let i = 0; i < WEIGHTS; i++) spread += increment[i]! * px[i]!;
  const scale = fit.exact ? exactScale(increment) : scaleOf(increment, grown);
  // Anchors are stored with seven digits: what differs less is the same request.
  const still = anchor !== null && increment.every((v) => Math.abs(v) < 0.5);
  const sd = still ? 0 : Math.sqrt(Math.max(0, spread) + fit.noise * scale * scale);
  return { tokens: (anchor?.usage ?? 0) + grown, sd, increment };
}

/** An exact tokenizer leaves the providers' separators only: about a token a message. */
function exactScale(d: Features): number {
  return 1 + Math.abs(d[0]!);
}

/**
 * Tokens of a request with these features, and their P95 bound. Without an anchor it covers what the features
 * show; what a host adds out of sight is unknown until the first report.
 */
export function estimate(fit: Fit, features: Features): Estimate {
  const { tokens, sd } = predict(fit, features, fit.anchor);
  const most = reduced(fit, features);
  const whole = Math.min(most, Math.max(0, Math.round(tokens)));
  return {
    tokens: whole,
    p95: sd === 0 ? whole : Math.min(most, Math.max(whole, Math.ceil(tokens + fit.q * sd))),
  };
}

/**
 * What a request that lost content can have at most: the report of the one before, and what was added since. Weights
 * learned on growth say little about how much a large cut frees, and its bound would grow with the cut.
 */
function reduced(fit: Fit, features: Features): number {
  const { anchor } = fit;
  if (anchor === null) return Number.POSITIVE_INFINITY;
  const increment = subtractFeatures(features, anchor.x);
  if (increment.every((v) => v > -0.5)) return Number.POSITIVE_INFINITY;
  if (increment.every((v) => v < 0.5)) return Math.ceil(anchor.usage);
  const added = predict(
    fit,
    increment.map((v) => Math.max(0, v)),
    null,
  );
  return Math.ceil(anchor.usage + added.tokens + fit.q * added.sd);
}

/** What an observation did. `refused` says why a report was not used. */
export interface Observed {
  fit: Fit;
  refused?: string;
}

/** Learns from a provider's report. An implausible one changes nothing but, after a jump, what would confirm it. */
export function observe(fit: Fit, { features, usage, window, reply }: Observation): Observed {
  const here = predict(fit, features, fit.anchor);
  const content = weighted(fit.w, features);
  const anchored = fit.anchor !== null;
  const reason = implausible({ usage, window, content, expected: here.tokens, sd: here.sd, anchored });
  const report: Anchor = { usage, x: features };
  if (reason === undefined) return { fit: answered(learn(fit, here, report, anchored), reply) };
  if (reason !== 'jump') return { fit, refused: reason };
  if (fit.pending !== null) {
    const there = predict(fit, features, fit.pending);
    const again = implausible({
      usage,
      window,
      content,
      expected: there.tokens,
      sd: there.sd,
      anchored: true,
    });
    // The second report in a row that agrees with the first: the host did change what it adds.
    if (again === undefined) return { fit: answered(learn(fit, there, report, true), reply) };
  }
  return { fit: { ...fit, pending: report }, refused: reason };
}

/**
 * Moves the anchor behind the reply. Its reported tokens are its tokens in the next prompt, unless they are far fewer
 * than its content (a stream's first message reports 1): then the anchor stays before the reply.
 */
function answered(fit: Fit, reply: Observation['reply']): Fit {
  if (reply === undefined || fit.anchor === null) return fit;
  const { features, output } = reply;
  if (!Number.isSafeInteger(output) || output < REPLY_SHARE * weighted(fit.w, features)) return fit;
  const x = fit.anchor.x.map((v, i) => sevenDigits(v + features[i]!));
  return { ...fit, anchor: { usage: fit.anchor.usage + output, x } };
}

/** One step of recursive least squares, robust against outliers, and the new anchor. */
function learn(fit: Fit, prediction: Prediction, report: Anchor, growth: boolean): Fit {
  const anchor: Anchor = { usage: report.usage, x: report.x.map(sevenDigits) };
  const { increment: d, tokens, sd } = prediction;
  if (!growth || sd === 0) return { ...fit, anchor, pending: null };
  const residual = report.usage - tokens;
  const q = Math.min(
    Q_RANGE[1],
    Math.max(Q_RANGE[0], fit.q + Q_STEP * (residual > fit.q * sd ? 1 - MISS : -MISS)),
  );
  if (fit.exact) return { ...fit, n: fit.n + 1, q: sevenDigits(q), anchor, pending: null };
  const scale = scaleOf(d, weighted(fit.w, d));
  const r = scale * scale * fit.noise;
  const px = times(fit.p, d);
  let spread = 0;
  for (let i = 0; i < WEIGHTS; i++) spread += d[i]! * px[i]!;
  const clipped = Math.max(-CLIP * sd, Math.min(CLIP * sd, residual));
  const gain = px.map((v) => v / (spread + r));
  const w = fit.w.map((v, i) => sevenDigits(Math.max(0, v + gain[i]! * clipped)));
  const prior = priorFor(fit.model);
  const p = fit.p.slice();
  for (let i = 0; i < WEIGHTS; i++) {
    for (let j = i; j < WEIGHTS; j++) p[at(i, j)] = (fit.p[at(i, j)]! - gain[i]! * px[j]!) / FORGET;
  }
  // What a session never shows must not grow without bound: no variance beyond the prior's.
  for (let i = 0; i < WEIGHTS; i++) {
    const most = prior.p[at(i, i)]!;
    const shrink = Math.sqrt(Math.min(1, most / Math.max(p[at(i, i)]!, Number.MIN_VALUE)));
    if (shrink < 1) for (let j = 0; j < WEIGHTS; j++) p[at(i, j)]! *= i === j ? shrink * shrink : shrink;
  }
  const z = clipped / sd;
  const noise = Math.min(25, Math.max(0.1, fit.noise * (0.95 + 0.05 * z * z)));
  return {
    ...fit,
    n: fit.n + 1,
    w,
    p: p.map(sevenDigits),
    noise: sevenDigits(noise),
    q: sevenDigits(q),
    anchor,
    pending: null,
  };
}
