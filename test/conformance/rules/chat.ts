// PV-C and PV-S: rules on an OpenAI Chat Completions request. Pure.
import { callsOf } from '../request.js';
import { isObj, type Obj, objs } from '../types.js';
import type { RuleProfile } from './profile.js';
import { blank, parsesToObject, type Violation } from './violation.js';

interface Group {
  open: Map<string, string>;
  all: Set<string>;
}

function callList(m: Obj): Obj[] {
  return m['role'] === 'assistant' ? objs(m['tool_calls']) : [];
}

function pairRules(list: readonly Obj[]): Violation[] {
  const out: Violation[] = [];
  let group: Group = { open: new Map(), all: new Set() };
  const close = (): void => {
    for (const [id, path] of group.open) {
      out.push({ rule: 'PV-C1', path, message: `tool call ${id} is not followed by its tool message` });
    }
    group = { open: new Map(), all: new Set() };
  };
  list.forEach((m, i) => {
    const path = `/messages/${i}`;
    if (m['role'] === 'tool') {
      const id = String(m['tool_call_id']);
      if (!group.all.has(id)) {
        out.push({ rule: 'PV-C2', path, message: `a tool message for ${id} without its call before it` });
      } else if (!group.open.delete(id)) {
        out.push({ rule: 'PV-C2', path, message: `a second tool message for ${id}` });
      }
      return;
    }
    close();
    callList(m).forEach((c, k) => {
      const id = String(c['id']);
      const p = `${path}/tool_calls/${k}`;
      if (group.all.has(id)) out.push({ rule: 'PV-C3', path: p, message: `duplicate call id ${id}` });
      if (id.length > 40)
        out.push({ rule: 'PV-C3-LENGTH', path: p, message: 'a call id over 40 characters' });
      group.open.set(id, p);
      group.all.add(id);
    });
  });
  close();
  return out;
}

function argumentRules(list: readonly Obj[]): Violation[] {
  return list.flatMap((m, i) =>
    callList(m).flatMap((c, k) => {
      const f = c['function'];
      if (!isObj(f) || parsesToObject(f['arguments'])) return [];
      return [
        { rule: 'PV-C5', path: `/messages/${i}/tool_calls/${k}`, message: 'arguments are not valid JSON' },
      ];
    }),
  );
}

function emptyContent(content: unknown): boolean {
  if (typeof content === 'string') return content === '';
  if (!Array.isArray(content)) return true;
  return content.length === 0 || objs(content).some((b) => b['type'] === 'text' && b['text'] === '');
}

function contentRules(list: readonly Obj[]): Violation[] {
  return list.flatMap((m, i): Violation[] => {
    const path = `/messages/${i}/content`;
    const hasCalls = callList(m).length > 0;
    if (m['role'] === 'assistant' && (hasCalls || isObj(m['function_call']) || isObj(m['audio']))) return [];
    if (m['role'] === 'assistant' && !blank(m['refusal'])) return [];
    return emptyContent(m['content'])
      ? [{ rule: 'PV-C6', path, message: 'expected a non-empty string or array' }]
      : [];
  });
}

function systemRules(list: readonly Obj[], p: RuleProfile): Violation[] {
  if (!p.singleSystem) return [];
  return list.flatMap((m, i) =>
    i > 0 && (m['role'] === 'system' || m['role'] === 'developer')
      ? [{ rule: 'PV-S3', path: `/messages/${i}`, message: 'system message must be at the beginning' }]
      : [],
  );
}

function alternationRules(list: readonly Obj[], p: RuleProfile): Violation[] {
  if (p.alternation === 'none') return [];
  const template = p.alternation === 'template';
  let before: string | undefined;
  let flow = false;
  return list.flatMap((m, i): Violation[] => {
    const role = String(m['role']);
    if (role === 'system' || role === 'developer') return [];
    if (role === 'tool') {
      flow = true;
      return [];
    }
    if (template && callsOf([m]).length > 0) return [];
    const equal = role === before && !(role === 'assistant' && flow && !template);
    before = role;
    flow = false;
    const rule = template ? 'PV-S2' : 'PV-S1';
    return equal ? [{ rule, path: `/messages/${i}`, message: 'conversation roles must alternate' }] : [];
  });
}

/** S5 to S8: what crashes a template, or what it refuses. S8 is C5 of any template that walks over the arguments. */
function templateRules(list: readonly Obj[], p: RuleProfile): Violation[] {
  return list.flatMap((m, i): Violation[] => {
    const path = `/messages/${i}`;
    const calls = callList(m);
    const out: Violation[] = [];
    if (p.plainContent && typeof m['content'] !== 'string')
      out.push({ rule: 'PV-S5', path: `${path}/content`, message: 'content is a plain string' });
    const ids = m['role'] === 'tool' ? [m['tool_call_id']] : calls.map((c) => c['id']);
    if (p.ids !== undefined && ids.some((id) => !p.ids!.test(String(id))))
      out.push({ rule: 'PV-S6', path, message: 'call ids should be alphanumeric, length 9' });
    if (calls.length > p.maxCalls)
      out.push({ rule: 'PV-S7', path, message: `only ${p.maxCalls} tool calls at once` });
    if (p.modelClass === 'SH')
      for (const c of calls)
        if (isObj(c['function']) && !parsesToObject(c['function']['arguments']))
          out.push({ rule: 'PV-S8', path, message: 'can only get item pairs from a mapping' });
    return out;
  });
}

export function chatRules(request: Obj, p: RuleProfile): Violation[] {
  const list = objs(request['messages']);
  if (list.length === 0) return [{ rule: 'PV-C7', path: '/messages', message: 'messages is an empty array' }];
  const out = [
    ...pairRules(list),
    ...argumentRules(list),
    ...contentRules(list),
    ...systemRules(list, p),
    ...alternationRules(list, p),
    ...templateRules(list, p),
  ];
  if (!list.some((m) => m['role'] === 'user')) {
    out.push({ rule: 'PV-S4', path: '/messages', message: 'no user query found in messages' });
  }
  return out;
}
