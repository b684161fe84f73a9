// PV-A1 to PV-A6 and PV-A34: calls and results of an Anthropic request. Pure.
import type { Obj } from '../types.js';
import { blocksOf, typeOf, type Violation } from './violation.js';

interface Ids {
  id: string;
  path: string;
}

function idsOf(m: Obj | undefined, path: string, type: string, field: string): Ids[] {
  if (m === undefined) return [];
  return blocksOf(m, path)
    .filter((b) => typeOf(b.block) === type)
    .map((b) => ({ id: String(b.block[field]), path: b.path }));
}

function pairRules(list: readonly Obj[]): Violation[] {
  const out: Violation[] = [];
  const seen = new Set<string>();
  list.forEach((m, i) => {
    const path = `/messages/${i}`;
    const calls = m['role'] === 'assistant' ? idsOf(m, path, 'tool_use', 'id') : [];
    const next = i + 1;
    const follower = list[next];
    const results =
      follower?.['role'] === 'user' ? idsOf(follower, `/messages/${next}`, 'tool_result', 'tool_use_id') : [];
    for (const c of calls) {
      const answers = results.filter((r) => r.id === c.id);
      if (answers.length === 0) {
        out.push({
          rule: 'PV-A1',
          path: c.path,
          message: `tool_use ${c.id} without tool_result right after`,
        });
      } else if (answers.length > 1 && calls.filter((x) => x.id === c.id).length === 1) {
        out.push({ rule: 'PV-A3', path: answers[1]!.path, message: `more than one tool_result for ${c.id}` });
      }
      if (seen.has(c.id))
        out.push({ rule: 'PV-A3', path: c.path, message: `tool_use ids must be unique: ${c.id}` });
      seen.add(c.id);
    }
    out.push(...orderRule(calls, results));
    if (m['role'] !== 'user') return;
    const before = list[i - 1];
    const asked = new Set(
      before?.['role'] === 'assistant' ? idsOf(before, '', 'tool_use', 'id').map((c) => c.id) : [],
    );
    for (const r of idsOf(m, path, 'tool_result', 'tool_use_id')) {
      if (!asked.has(r.id))
        out.push({ rule: 'PV-A2', path: r.path, message: `unexpected tool_use_id ${r.id}` });
    }
  });
  return out;
}

/** PV-A4: all results of a group stand in the order of their calls. */
function orderRule(calls: readonly Ids[], results: readonly Ids[]): Violation[] {
  const order = calls.map((c) => c.id);
  let last = -1;
  for (const r of results) {
    const k = order.indexOf(r.id);
    if (k < 0) continue;
    if (k < last) return [{ rule: 'PV-A4', path: r.path, message: 'results are not in call order' }];
    last = k;
  }
  return [];
}

/** PV-A5: results come before all other blocks of their message. */
function resultFirst(m: Obj, path: string): Violation[] {
  let other = false;
  for (const b of blocksOf(m, path)) {
    if (typeOf(b.block) !== 'tool_result') other = true;
    else if (other) return [{ rule: 'PV-A5', path: b.path, message: 'tool_result blocks must come first' }];
  }
  return [];
}

/** PV-A34: a server tool's call and its result live in one assistant message. */
function serverPairs(m: Obj, path: string): Violation[] {
  const calls = new Map<string, string>();
  const out: Violation[] = [];
  for (const b of blocksOf(m, path)) {
    const type = typeOf(b.block);
    if (type === 'server_tool_use' || type === 'mcp_tool_use') calls.set(String(b.block['id']), b.path);
    else if (type !== 'tool_result' && type.endsWith('_tool_result')) {
      if (!calls.delete(String(b.block['tool_use_id']))) {
        out.push({ rule: 'PV-A34', path: b.path, message: `${type} without its call in this message` });
      }
    }
  }
  for (const p of calls.values())
    out.push({ rule: 'PV-A34', path: p, message: 'a server call without its result' });
  return out;
}

export function anthropicPairs(list: readonly Obj[]): Violation[] {
  return [
    ...pairRules(list),
    ...list.flatMap((m, i) => [
      ...(m['role'] === 'user' ? resultFirst(m, `/messages/${i}`) : []),
      ...serverPairs(m, `/messages/${i}`),
    ]),
  ];
}
