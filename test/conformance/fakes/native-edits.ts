// What the Messages API does to a request before the model sees it (PV-N1, N2, A49): results and thinking of old turns go.
import { isObj, num, type Obj, objs, strings } from '../types.js';
import { requestSize, sizeOf } from './count.js';

export interface Edited {
  request: Obj;
  applied: Obj[];
}

/** The request as the model gets it, and the response's `applied_edits`. */
export function editNatively(request: Obj): Edited {
  const field = request['context_management'];
  let now = request;
  const applied: Obj[] = [];
  for (const edit of isObj(field) ? objs(field['edits']) : []) {
    const step =
      edit['type'] === 'clear_tool_uses_20250919' ? clearResults(now, edit) : clearThinking(now, edit);
    if (step === undefined) continue;
    now = step.request;
    applied.push({ type: edit['type'], ...step.report });
  }
  return { request: now, applied };
}

function amount(v: unknown, fallback: number): number {
  return isObj(v) ? (num(v['value']) ?? fallback) : fallback;
}

function clearResults(request: Obj, edit: Obj): { request: Obj; report: Obj } | undefined {
  if (requestSize(request) < amount(edit['trigger'], 100_000)) return undefined;
  const excluded = new Set(strings(edit['exclude_tools']));
  const names = new Map<unknown, unknown>();
  const ids: unknown[] = [];
  for (const m of objs(request['messages'])) {
    for (const b of objs(m['content'])) {
      if (b['type'] === 'tool_use') names.set(b['id'], b['name']);
      if (b['type'] === 'tool_result' && !excluded.has(String(names.get(b['tool_use_id']))))
        ids.push(b['tool_use_id']);
    }
  }
  const gone = new Set(ids.slice(0, Math.max(0, ids.length - amount(edit['keep'], 3))));
  let cleared = 0;
  const messages = objs(request['messages']).map((m) =>
    Array.isArray(m['content'])
      ? {
          ...m,
          content: objs(m['content']).map((b) => {
            if (b['type'] !== 'tool_result' || !gone.has(b['tool_use_id'])) return b;
            cleared += sizeOf(b['content']);
            return { ...b, content: '' };
          }),
        }
      : m,
  );
  if (gone.size === 0 || cleared < amount(edit['clear_at_least'], 0)) return undefined;
  return {
    request: { ...request, messages },
    report: { cleared_tool_uses: gone.size, cleared_input_tokens: cleared },
  };
}

function clearThinking(request: Obj, edit: Obj): { request: Obj; report: Obj } | undefined {
  if (edit['type'] !== 'clear_thinking_20251015' || edit['keep'] === 'all') return undefined;
  const list = objs(request['messages']);
  const thinks = (b: Obj) => /thinking$/.test(String(b['type']));
  const turns = list.flatMap((m, i) => (objs(m['content']).some(thinks) ? [i] : []));
  const gone = new Set(turns.slice(0, Math.max(0, turns.length - amount(edit['keep'], 1))));
  if (gone.size === 0) return undefined;
  const messages = list.map((m, i) =>
    gone.has(i) ? { ...m, content: objs(m['content']).filter((b) => !thinks(b)) } : m,
  );
  return {
    request: { ...request, messages },
    report: { cleared_thinking_turns: gone.size, cleared_input_tokens: 0 },
  };
}
