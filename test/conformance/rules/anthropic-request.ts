// Rules on the Anthropic request as a whole: PV-A12, A14 to A16, A21, A23, A38 to A40, A46. Pure.
import { isObj, type Obj, objs, str } from '../types.js';
import type { RuleProfile } from './profile.js';
import { blocksOf, typeOf, type Violation } from './violation.js';

const MARKABLE = new Set([
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'compaction',
  'search_result',
]);

interface Mark {
  path: string;
  holder: Obj;
  ttl: string;
}

/** All cache_control marks in the order tools, system, messages, nested ones included. */
export function marksOf(request: Obj): Mark[] {
  const out: Mark[] = [];
  const look = (v: unknown, path: string): void => {
    if (Array.isArray(v)) {
      v.forEach((x, i) => {
        look(x, `${path}/${i}`);
      });
      return;
    }
    if (!isObj(v)) return;
    const mark = v['cache_control'];
    if (isObj(mark)) out.push({ path, holder: v, ttl: str(mark['ttl']) ?? '5m' });
    for (const [k, x] of Object.entries(v)) {
      if (k !== 'cache_control' && k !== 'input' && k !== 'input_schema') look(x, `${path}/${k}`);
    }
  };
  look(request['tools'], '/tools');
  look(request['system'], '/system');
  look(request['messages'], '/messages');
  return out;
}

function markRules(request: Obj): Violation[] {
  const marks = marksOf(request);
  const automatic = isObj(request['cache_control']) ? 1 : 0;
  const out: Violation[] = [];
  const n = marks.length + automatic;
  if (n > 4) {
    out.push({
      rule: 'PV-A38',
      path: marks[4]?.path ?? '/cache_control',
      message: `a maximum of 4 blocks with cache_control may be provided, found ${n}`,
    });
  }
  let short = false;
  for (const m of marks) {
    const type = typeOf(m.holder);
    const nested = m.path.includes('/citations/');
    const emptyText = type === 'text' && m.holder['text'] === '';
    const bad =
      nested || emptyText || m.holder['defer_loading'] === true || m.holder['clear_at'] !== undefined;
    const inList = m.path.startsWith('/messages');
    if (bad || (inList && !MARKABLE.has(type))) {
      out.push({
        rule: 'PV-A39',
        path: m.path,
        message: `cache_control is not allowed on ${type || 'this'}`,
      });
    }
    if (m.ttl === '1h' && short) {
      out.push({ rule: 'PV-A40', path: m.path, message: 'a 1h mark after a 5m one' });
    }
    if (m.ttl === '5m') short = true;
  }
  return out;
}

/** PV-A12: where a system message may stand inside the list. */
function systemPlaces(list: readonly Obj[]): Violation[] {
  return list.flatMap((m, i): Violation[] => {
    if (m['role'] !== 'system' || (Array.isArray(m['content']) && m['content'].length === 0)) return [];
    let before = i - 1;
    while (list[before]?.['role'] === 'system') before--;
    let after = i + 1;
    while (list[after]?.['role'] === 'system') after++;
    const prior = list[before];
    const next = list[after];
    const endsInServerResult = (x: Obj): boolean => {
      const type = typeOf(blocksOf(x, '').at(-1)?.block ?? {});
      return type !== 'tool_result' && type.endsWith('_tool_result');
    };
    const good =
      prior !== undefined &&
      (prior['role'] === 'user' || endsInServerResult(prior)) &&
      (next === undefined || next['role'] === 'assistant');
    return good
      ? []
      : [{ rule: 'PV-A12', path: `/messages/${i}`, message: 'a system message is not allowed here' }];
  });
}

/** PV-A14: a message that clears itself holds only text. */
function clearAtRules(list: readonly Obj[]): Violation[] {
  return list.flatMap((m, i) => {
    if (m['clear_at'] === undefined) return [];
    const marked = objs(m['content']).findIndex((b) => b['cache_control'] !== undefined);
    if (marked >= 0) {
      const path = `/messages/${i}/content/${marked}`;
      return [{ rule: 'PV-A39', path, message: 'cache_control is not allowed beside clear_at' }];
    }
    const plain = typeof m['content'] === 'string' || objs(m['content']).every((b) => typeOf(b) === 'text');
    return plain && m['output_config'] === undefined
      ? []
      : [{ rule: 'PV-A14', path: `/messages/${i}`, message: 'extra inputs are not permitted' }];
  });
}

/** PV-A23: the assistant message of the open round starts with thinking if thinking is on. */
function openRound(request: Obj, list: readonly Obj[]): Violation[] {
  const thinking = request['thinking'];
  if (!isObj(thinking) || (thinking['type'] !== 'enabled' && thinking['type'] !== 'adaptive')) return [];
  const last = list.at(-1);
  const open = last?.['role'] === 'user' && blocksOf(last, '').some((b) => typeOf(b.block) === 'tool_result');
  if (!open || thinking['type'] !== 'enabled') return [];
  const i = list.length - 2;
  const type = typeOf(blocksOf(list[i] ?? {}, '')[0]?.block ?? {});
  if (type === 'thinking' || type === 'redacted_thinking') return [];
  return [
    {
      rule: 'PV-A23',
      path: `/messages/${i}/content/0`,
      message: 'expected thinking or redacted_thinking first',
    },
  ];
}

/** PV-A46: a tool that is added or removed later is declared. */
function toolChanges(request: Obj, list: readonly Obj[]): Violation[] {
  const names = new Set(objs(request['tools']).map((t) => String(t['name'])));
  return list.flatMap((m, i) =>
    blocksOf(m, `/messages/${i}`)
      .filter((b) => /^tool_(?:addition|removal)$/.test(typeOf(b.block)))
      .filter((b) => b.block['tool'] === undefined && !names.has(String(b.block['name'])))
      .map((b) => ({ rule: 'PV-A46', path: b.path, message: 'name not declared in tools' })),
  );
}

/** PV-A13: system messages that an earlier request carried stand where they stood, verbatim. */
export function systemStays(request: Obj, earlier: readonly Obj[]): Violation[] {
  const before = objs(earlier.at(-1)?.['messages']);
  const now = objs(request['messages']);
  const system = (list: readonly Obj[]) =>
    list.filter((m) => m['role'] === 'system').map((m) => JSON.stringify(m));
  // Behind a compaction block the list begins anew (PV-A35).
  if (now[0]?.['role'] === 'assistant') return [];
  const [old, all] = [system(before), system(now)];
  return old.every((m, i) => m === all[i])
    ? []
    : [{ rule: 'PV-A13', path: '/messages', message: 'a system message that was sent has moved or changed' }];
}

/** PV-A14, PV-A46: what needs a beta header. Only the server sees it. */
export function headerRules(request: Obj, beta: string): Violation[] {
  return objs(request['messages']).flatMap((m, i): Violation[] => {
    const path = `/messages/${i}`;
    const changes = blocksOf(m, path).some((b) => /^tool_(?:addition|removal)$/.test(typeOf(b.block)));
    if (m['clear_at'] !== undefined && !beta.includes('mid-conversation-system-clear-at-2026-08-21'))
      return [{ rule: 'PV-A14', path: `${path}/clear_at`, message: 'Extra inputs are not permitted' }];
    if (changes && !/mid-conversation-tool-changes-2026-07-01|inline-tools-2026-09-15/.test(beta))
      return [{ rule: 'PV-A46', path, message: 'Extra inputs are not permitted' }];
    return [];
  });
}

export function anthropicRequestRules(request: Obj, p: RuleProfile): Violation[] {
  const list = objs(request['messages']);
  const out = [
    ...markRules(request),
    ...systemPlaces(list),
    ...clearAtRules(list),
    ...openRound(request, list),
    ...toolChanges(request, list),
  ];
  const last = list.length - 1;
  if (!p.prefill && list[last]?.['role'] === 'assistant') {
    out.push({
      rule: 'PV-A15',
      path: `/messages/${last}`,
      message: 'this model does not take a prefilled answer',
    });
  }
  const choice = isObj(request['tool_choice']) ? request['tool_choice']['type'] : undefined;
  if (p.noForcedTool && (choice === 'any' || choice === 'tool')) {
    out.push({
      rule: 'PV-A16',
      path: '/tool_choice',
      message: 'tool_choice cannot force a tool on this model',
    });
  }
  if (list.length > 100_000)
    out.push({ rule: 'PV-A21', path: '/messages', message: 'more than 100,000 messages' });
  return out;
}
