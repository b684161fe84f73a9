// Checks about the shape of the output: provider rules, roles, system messages, user turns, tools.
import { callsOf, hasOwnText, isUserTurn, listOf, roleOf, toolNames } from '../request.js';
import { validRequest } from '../rules/valid.js';
import { isObj, objs, type RuleFormat, ruleFormat, strings } from '../types.js';
import { type CheckFn, perOut, within } from './context.js';

export const valid: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const given = check['format'];
    const format = typeof given === 'string' ? (given as RuleFormat) : ruleFormat(cx.case);
    return validRequest(o.out, format).map((v) => `[${v.rule}] ${v.path} ${v.message}`);
  });

export const rolesAlternate: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const template = check['mode'] === 'template';
    const roles: { role: string; i: number }[] = [];
    listOf(o.out).forEach((m, i) => {
      const role = roleOf(m);
      if (role === 'system' || role === 'developer') return;
      const calls = callsOf([m]).some((c) => !c.server);
      const onlyResults = role === 'tool' || (role === 'user' && !hasOwnText(m) && isResults(m['content']));
      if (template && (onlyResults || calls)) return;
      if (!template && onlyResults && m['role'] === 'tool') return;
      roles.push({ role, i });
    });
    return roles.flatMap((r, k) => {
      const before = roles[k - 1];
      if (before === undefined || before.role !== r.role) return [];
      if (!template && r.role === 'assistant' && toolFlowBetween(listOf(o.out), before.i, r.i)) return [];
      return [`two ${r.role} messages in a row at ${before.i} and ${r.i}`];
    });
  });

function isResults(content: unknown): boolean {
  const blocks = objs(content);
  return blocks.length > 0 && blocks.some((b) => String(b['type']) === 'tool_result');
}

/** OpenAI: an assistant call, its tool messages and the next assistant message count as one assistant. */
function toolFlowBetween(list: readonly unknown[], from: number, to: number): boolean {
  for (let i = from + 1; i < to; i++) {
    const m = list[i];
    if (isObj(m) && (m['role'] === 'tool' || String(m['type']).endsWith('_output'))) return true;
  }
  return false;
}

export const systemHead: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const list = listOf(o.out);
    const at = list.flatMap((m, i) => (['system', 'developer'].includes(roleOf(m)) ? [i] : []));
    const n = at.length + (o.out['system'] === undefined ? 0 : 1);
    const wrong = within(n, undefined, check['max'], 'system messages');
    at.forEach((i, k) => {
      if (i !== k) wrong.push(`a system message at ${i}, not at the head`);
    });
    return wrong;
  });

export const hasUserText: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => (listOf(o.out).some(isUserTurn) ? [] : ['no user message with own text']));

export const userTurns: CheckFn = (check, cx) =>
  perOut(check, cx, (o) =>
    within(listOf(o.out).filter(isUserTurn).length, check['value'], check['value'], 'user turns'),
  );

export const toolsPresent: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const have = new Set(toolNames(o.out));
    return strings(check['names'])
      .filter((n) => !have.has(n))
      .map((n) => `tool ${n} is not there`);
  });

export const toolsOrderKept: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const original = toolNames(o.snapshot.base);
    const places = toolNames(o.out).map((n) => original.indexOf(n));
    return places.some((p, i) => p < 0 || (i > 0 && p <= places[i - 1]!))
      ? ['the tools changed their order']
      : [];
  });

export const toolsCoverHistory: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => {
    const have = new Set(toolNames(o.out));
    return callsOf(listOf(o.out))
      .filter((c) => !c.server && !have.has(c.name))
      .map((c) => `tool ${c.name} is called but not defined`);
  });
