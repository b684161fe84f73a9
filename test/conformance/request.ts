// Looks at a request of any of the three formats: its list, own texts, calls and results. Pure; total on any value.
import { arr, isObj, type Obj, objs, str } from './types.js';

export interface CallSeen {
  id: string;
  name: string;
  /** Parsed object or exact argument text, as the format has it. */
  input: unknown;
  message: number;
  server: boolean;
}

export interface ResultSeen {
  id: string;
  content: unknown;
  /** Key of the content value in its holder. */
  key: 'content' | 'output';
  message: number;
  /** JSON pointer of the content below the list, e.g. `/4/content/0/content`. */
  path: string;
  server: boolean;
}

const TEXT_TYPES = new Set(['text', 'input_text', 'output_text']);

export function listKey(request: Obj): 'messages' | 'input' {
  return 'input' in request ? 'input' : 'messages';
}

export function listOf(request: Obj): Obj[] {
  return objs(request[listKey(request)]);
}

export function roleOf(message: Obj): string {
  const role = str(message['role']);
  if (role !== undefined) return role;
  const type = str(message['type']) ?? '';
  if (type.endsWith('_output')) return 'tool';
  return type === 'message' ? '' : 'assistant';
}

/** Texts written by the message's own role: no tool results, no thinking. */
export function ownTexts(message: Obj): string[] {
  const role = roleOf(message);
  if (role === 'tool') return [];
  const content = message['content'];
  if (typeof content === 'string') return [content];
  return objs(content)
    .filter((b) => TEXT_TYPES.has(str(b['type']) ?? ''))
    .flatMap((b) => (typeof b['text'] === 'string' ? [b['text']] : []));
}

export function hasOwnText(message: Obj): boolean {
  return ownTexts(message).some((t) => t.trim() !== '');
}

export function isUserTurn(message: Obj): boolean {
  return roleOf(message) === 'user' && hasOwnText(message);
}

export function callsOf(list: readonly Obj[]): CallSeen[] {
  return list.flatMap((m, message) => callsOfMessage(m, message));
}

export function callsOfMessage(m: Obj, message: number): CallSeen[] {
  const out: CallSeen[] = [];
  for (const b of objs(m['content'])) {
    const type = str(b['type']) ?? '';
    if (type !== 'tool_use' && type !== 'server_tool_use' && type !== 'mcp_tool_use') continue;
    out.push({
      id: String(b['id']),
      name: String(b['name']),
      input: b['input'],
      message,
      server: type !== 'tool_use',
    });
  }
  for (const c of objs(m['tool_calls'])) {
    const f = isObj(c['function']) ? c['function'] : c;
    out.push({
      id: String(c['id']),
      name: String(f['name']),
      input: f['arguments'] ?? f['input'],
      message,
      server: false,
    });
  }
  const type = str(m['type']) ?? '';
  if (!('role' in m) && 'call_id' in m && type.endsWith('_call')) {
    out.push({
      id: String(m['call_id']),
      name: String(m['name'] ?? type),
      input: m['arguments'] ?? m['input'] ?? m['action'],
      message,
      server: false,
    });
  }
  return out;
}

export function resultsOf(list: readonly Obj[]): ResultSeen[] {
  return list.flatMap((m, message) => resultsOfMessage(m, message));
}

export function resultsOfMessage(m: Obj, message: number): ResultSeen[] {
  const out: ResultSeen[] = [];
  arr(m['content']).forEach((b, i) => {
    const type = isObj(b) ? (str(b['type']) ?? '') : '';
    if (!isObj(b) || !type.endsWith('tool_result')) return;
    out.push({
      id: String(b['tool_use_id']),
      content: b['content'],
      key: 'content',
      message,
      path: `/${message}/content/${i}/content`,
      server: type !== 'tool_result',
    });
  });
  if (m['role'] === 'tool') {
    out.push({
      id: String(m['tool_call_id']),
      content: m['content'],
      key: 'content',
      message,
      path: `/${message}/content`,
      server: false,
    });
  }
  if (!('role' in m) && 'call_id' in m && (str(m['type']) ?? '').endsWith('_call_output')) {
    out.push({
      id: String(m['call_id']),
      content: m['output'],
      key: 'output',
      message,
      path: `/${message}/output`,
      server: false,
    });
  }
  return out;
}

/** Names of the tools that a request defines, in order. */
export function toolNames(request: Obj): string[] {
  return objs(request['tools']).map((t) => {
    const f = isObj(t['function']) ? t['function'] : t;
    return String(f['name'] ?? f['type']);
  });
}
