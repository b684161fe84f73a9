// The check runner: a case and an observation in, the failures out. Knows no product.
import { type Context, NotObservable } from './checks/context.js';
import { CHECKS } from './checks/index.js';
import type { Case, Check, Observation } from './types.js';
import { worldOf } from './world.js';

export interface Failure {
  check: Check;
  message: string;
}

function holds(check: Check, cx: Context): string[] {
  if (check.op === 'any_of') {
    const tried = (check['of'] as Check[][]).map((list) => list.flatMap((c) => judge(c, cx)));
    if (tried.some((f) => f.length === 0)) return [];
    return [`no alternative holds: ${tried.map((f) => f.join('; ')).join(' | ')}`];
  }
  const fn = CHECKS[check.op];
  if (fn === undefined) return [`there is no check ${check.op}`];
  return fn(check, cx);
}

function judge(check: Check, cx: Context): string[] {
  try {
    return holds(check, cx).map((m) => `${check.op}: ${m}`);
  } catch (e) {
    if (e instanceof NotObservable) return [`${check.op}: not observable: ${e.message}`];
    throw e;
  }
}

/** All failures of a case's checks on what was observed. Markers in the case must be expanded. */
export function evaluate(c: Case, obs: Observation): Failure[] {
  const cx: Context = { case: c, obs, world: worldOf(c) };
  return c.checks.flatMap((check) => judge(check, cx).map((message) => ({ check, message })));
}
