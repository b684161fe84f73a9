// Checks about fields of the steps: events, errors, times, counts, trigger, budget, results.
import { normal } from '../normal.js';
import { type Check, isObj, type ObservedEvent, type Step, strings } from '../types.js';
import { type CheckFn, type Context, NotObservable, type Seen, seen, stepsWith, within } from './context.js';

/** All steps without `at`, else the steps that it names. */
function stepsAt(check: Check, cx: Context): Seen[] {
  const at = check['at'];
  const all = cx.obs.steps.map((_, i) => i);
  let chosen = all;
  if (typeof at === 'number') chosen = [at];
  else if (Array.isArray(at)) chosen = at.map(Number);
  else if (at === 'first') chosen = all.slice(0, 1);
  else if (at === 'last') chosen = all.slice(-1);
  return chosen.map((i) => seen(cx, i));
}

function matches(e: ObservedEvent, where: unknown): boolean {
  if (!isObj(where)) return true;
  return Object.entries(where).every(([k, v]) => normal(e[k]) === normal(v));
}

export const event: CheckFn = (check, cx) => {
  const found = stepsAt(check, cx)
    .flatMap((s) => s.step.events ?? [])
    .filter((e) => e.kind === check['kind'] && matches(e, check['where']));
  const min = check['min'] ?? (check['max'] === undefined ? 1 : undefined);
  return within(found.length, min, check['max'], `events ${String(check['kind'])}`);
};

export const noEvent: CheckFn = (check, cx) => {
  const kinds = new Set(strings(check['kinds']));
  return stepsAt(check, cx).flatMap((s) =>
    (s.step.events ?? []).filter((e) => kinds.has(e.kind)).map((e) => `step ${s.index}: event ${e.kind}`),
  );
};

export const errorCode: CheckFn = (check, cx) => {
  const codes = new Set(strings(check['codes']));
  const chosen = stepsAt(check, cx);
  if (chosen.some((s) => s.step.error !== undefined && codes.has(s.step.error.code))) return [];
  const got = chosen.map((s) => s.step.error?.code ?? 'none').join(', ');
  return [`no error ${[...codes].join(' or ')}; got ${got}`];
};

export const noError: CheckFn = (check, cx) =>
  stepsAt(check, cx).flatMap((s) =>
    s.step.error === undefined ? [] : [`step ${s.index}: ${s.step.error.code}: ${s.step.error.message}`],
  );

export const alive: CheckFn = (_check, cx) => (cx.obs.alive === true ? [] : ['not alive at the end']);

function field(name: 'time_ms' | 'other_session_ms' | 'context_tokens'): CheckFn {
  return (check, cx) =>
    stepsWith(check, cx, (s) => s[name] !== undefined, name).flatMap((s) =>
      within(s.step[name]!, check['min'], check['max'] ?? check['value'], `step ${s.index}: ${name}`),
    );
}

export const timeMsMax = field('time_ms');
export const otherSessionMsMax = field('other_session_ms');
export const contextTokens = field('context_tokens');

function counted(s: Step): number | undefined {
  const n = s.result?.['tokens'];
  return typeof n === 'number' ? n : undefined;
}

export const count: CheckFn = (check, cx) =>
  stepsWith(check, cx, (s) => counted(s) !== undefined, 'result.tokens').flatMap((s) => {
    const n = counted(s.step)!;
    const what = `step ${s.index}: tokens`;
    const wrong = within(n, check['min'], check['max'], what);
    const value = check['value'];
    if (typeof value === 'number') {
      const slack = value * Number(check['tolerance'] ?? 0);
      wrong.push(...within(n, value - slack, value + slack, what));
    }
    return wrong;
  });

export const triggerFired: CheckFn = (check, cx) =>
  stepsWith(check, cx, (s) => s.fired !== undefined, 'fired').flatMap((s) =>
    s.step.fired === check['value'] ? [] : [`step ${s.index}: fired is ${s.step.fired}`],
  );

export const budgetPositive: CheckFn = (_check, cx) => {
  const all = cx.obs.steps.flatMap((s) => (s.budget === undefined ? [] : [s.budget]));
  if (all.length === 0) throw new NotObservable('budget');
  return all.flatMap((b) => (Number.isFinite(b) && b > 0 ? [] : [`budget is ${b}`]));
};

export const result: CheckFn = (check, cx) =>
  stepsAt(check, cx).flatMap((s) => {
    if (s.step.result === undefined) throw new NotObservable(`step ${s.index} has no result`);
    const v = s.step.result[String(check['field'])];
    const wrong: string[] = [];
    if ('equals' in check && normal(v) !== normal(check['equals'])) {
      wrong.push(`step ${s.index}: ${String(check['field'])} is ${JSON.stringify(v)}`);
    }
    if ('contains' in check && !(typeof v === 'string' && v.includes(String(check['contains'])))) {
      wrong.push(`step ${s.index}: ${String(check['field'])} does not contain ${String(check['contains'])}`);
    }
    return wrong;
  });

export const topicShifts: CheckFn = (check, cx) => {
  const shifts = cx.obs.steps.flatMap((s) => s.events ?? []).filter((e) => e.kind === 'topic_shift');
  const turns = shifts.map((e) => Number(e['user_turn']));
  const wrong: string[] = [];
  for (const t of (check['must'] as number[] | undefined) ?? []) {
    if (!turns.includes(t)) wrong.push(`no shift at user turn ${t}`);
  }
  for (const t of (check['must_not'] as number[] | undefined) ?? []) {
    if (turns.includes(t)) wrong.push(`a shift at user turn ${t}`);
  }
  const notBy = isObj(check['not_by']) ? check['not_by'] : {};
  for (const e of shifts) {
    const by = strings(notBy[String(e['user_turn'])]);
    if (by.includes(String(e['signal'])))
      wrong.push(`a shift at ${String(e['user_turn'])} by ${String(e['signal'])}`);
  }
  const most = check['max_per_turn'];
  for (const t of new Set(turns)) {
    const n = turns.filter((x) => x === t).length;
    if (typeof most === 'number' && n > most) wrong.push(`${n} shifts at user turn ${t}`);
  }
  return wrong;
};
