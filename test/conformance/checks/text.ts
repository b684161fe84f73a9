// Checks about strings of the output: contains_text, not_contains_text, text_order, valid_utf16.
import { callsOf, listOf, ownTexts, resultsOf, roleOf } from '../request.js';
import { allStrings, hasLoneSurrogate } from '../strings.js';
import { isObj, type Obj, strings } from '../types.js';
import {
  type CheckFn,
  type Context,
  everyOut,
  NotObservable,
  oneOrMore,
  perOut,
  type SeenOut,
} from './context.js';

/** System text first, as a provider reads it; then tools, then the list. */
function inOrder(out: Obj): unknown[] {
  return [out['system'], out['tools'], listOf(out)];
}

function systemParts(out: Obj): unknown[] {
  return [out['system'], listOf(out).filter((m) => roleOf(m) === 'system' || roleOf(m) === 'developer')];
}

/** The values that `in` selects. */
function selected(where: unknown, o: SeenOut, cx: Context): unknown {
  if (where === undefined) return inOrder(o.out);
  if (where === 'system') return systemParts(o.out);
  if (where === 'tools') return o.out['tools'];
  if (where === 'messages') return listOf(o.out);
  if (where === 'summary') {
    if (o.step.summaries === undefined) throw new NotObservable(`step ${o.index} has no summaries`);
    return o.step.summaries;
  }
  if (where === 'summarizer_input') {
    if (cx.obs.summarizer === undefined) throw new NotObservable('summarizer');
    return cx.obs.summarizer.map((s) => s.input_text);
  }
  if (isObj(where)) {
    if ('role' in where) {
      return listOf(o.out)
        .filter((m) => roleOf(m) === where['role'])
        .map(ownTexts);
    }
    if ('result' in where)
      return resultsOf(listOf(o.out)).flatMap((r) => (r.id === where['result'] ? [r.content] : []));
    if ('call' in where) {
      return callsOf(listOf(o.out)).flatMap((c) => (c.id === where['call'] ? [c.name, c.input] : []));
    }
  }
  throw new TypeError(`unknown place ${JSON.stringify(where)}`);
}

function found(text: string, v: unknown): boolean {
  for (const s of allStrings(v)) if (s.includes(text)) return true;
  return false;
}

export const containsText: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const where = selected(check['in'], o, cx);
    return oneOrMore(check, 'text', 'texts')
      .filter((t) => !found(t, where))
      .map((t) => `${JSON.stringify(t)} is not in ${JSON.stringify(check['in'] ?? 'out')}`);
  });

export const notContainsText: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const where = selected(check['in'], o, cx);
    return oneOrMore(check, 'text', 'texts')
      .filter((t) => found(t, where))
      .map((t) => `${JSON.stringify(t)} is in ${JSON.stringify(check['in'] ?? 'out')}`);
  });

export const textOrder: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const all = [...allStrings(inOrder(o.out))].join('\n');
    let from = 0;
    for (const t of strings(check['texts'])) {
      const i = all.indexOf(t, from);
      if (i < 0) return [`${JSON.stringify(t)} does not come in order`];
      from = i + t.length;
    }
    return [];
  });

export const validUtf16: CheckFn = (_check, cx) =>
  everyOut(cx).flatMap((o) => {
    for (const s of allStrings(o.out)) if (hasLoneSurrogate(s)) return [`step ${o.index}: a lone surrogate`];
    return [];
  });
