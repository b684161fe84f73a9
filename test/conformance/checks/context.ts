// What every check gets: the case, its observation, the session per step, and the choice of steps by `at`.
import type { Case, Check, Obj, Observation, ScriptStep, Step } from '../types.js';
import { scriptOf } from '../types.js';
import type { Snapshot, World } from '../world.js';

export interface Context {
  case: Case;
  obs: Observation;
  world: World;
}

/** A check answers with what is wrong; an empty list means that it holds. */
export type CheckFn = (check: Check, cx: Context) => string[];

export interface Seen {
  index: number;
  step: Step;
  script: ScriptStep;
  snapshot: Snapshot;
}

export interface SeenOut extends Seen {
  out: Obj;
}

/** Thrown by a check whose field the observation lacks; the runner turns it into a failure. */
export class NotObservable extends Error {}

export function seen(cx: Context, index: number): Seen {
  const step = cx.obs.steps[index];
  const script = scriptOf(cx.case)[index];
  if (step === undefined || script === undefined) throw new NotObservable(`step ${index}`);
  return { index, step, script, snapshot: cx.world.after(index) };
}

function indexes(check: Check): number[] | undefined {
  const at = check['at'];
  if (typeof at === 'number') return [at];
  return Array.isArray(at) ? at.map(Number) : undefined;
}

function choose(check: Check, all: number[]): number[] {
  const at = check['at'];
  if (at === 'every') return all;
  return at === 'first' ? all.slice(0, 1) : all.slice(-1);
}

/** The steps whose `has` field is meant by `at` (default: the last one that has it). Never empty. */
export function stepsWith(check: Check, cx: Context, has: (s: Step) => boolean, what: string): Seen[] {
  const given = indexes(check);
  const all = cx.obs.steps.flatMap((s, i) => (has(s) ? [i] : []));
  const chosen = given ?? choose(check, all);
  if (chosen.length === 0) throw new NotObservable(`no step has ${what}`);
  return chosen.map((i) => {
    const s = seen(cx, i);
    if (!has(s.step)) {
      const why = s.step.error === undefined ? '' : ` (${s.step.error.code}: ${s.step.error.message})`;
      throw new NotObservable(`step ${i} has no ${what}${why}`);
    }
    return s;
  });
}

/** The outputs that a check looks at. */
export function outs(check: Check, cx: Context): SeenOut[] {
  return stepsWith(check, cx, (s) => s.out !== undefined, 'out').map((s) => ({ ...s, out: s.step.out! }));
}

/** All outputs, in order. */
export function everyOut(cx: Context): SeenOut[] {
  return outs({ op: '', at: 'every' }, cx);
}

/** Runs a judgement on each output and puts the step in front of what it says. */
export function perOut(check: Check, cx: Context, judge: (o: SeenOut) => string[]): string[] {
  return outs(check, cx).flatMap((o) => judge(o).map((m) => `step ${o.index}: ${m}`));
}

/** Texts of a check that takes `text` or `texts`, `path` or `paths`. */
export function oneOrMore(check: Check, single: string, many: string): string[] {
  const one = check[single];
  const list = check[many];
  const all = [...(typeof one === 'string' ? [one] : []), ...(Array.isArray(list) ? list.map(String) : [])];
  if (all.length === 0) throw new TypeError(`${check.op} wants ${single} or ${many}`);
  return all;
}

/** Judges a number by optional `min` and `max`. */
export function within(n: number, min: unknown, max: unknown, what: string): string[] {
  const out: string[] = [];
  if (!Number.isFinite(n)) out.push(`${what} is ${n}`);
  if (typeof min === 'number' && n < min) out.push(`${what} ${n} < ${min}`);
  if (typeof max === 'number' && n > max) out.push(`${what} ${n} > ${max}`);
  return out;
}
