// PV-A10 to PV-A24: roles, emptiness, inputs and thinking of an Anthropic request. Pure.
import { isObj, type Obj } from '../types.js';
import type { RuleProfile } from './profile.js';
import { blank, blocksOf, typeOf, type Violation } from './violation.js';

const ASSISTANT_ONLY = new Set([
  'tool_use',
  'server_tool_use',
  'thinking',
  'redacted_thinking',
  'compaction',
]);
const USER_ONLY = new Set(['tool_result']);

function roleRules(m: Obj, path: string, p: RuleProfile): Violation[] {
  const role = m['role'];
  if (role === 'system') {
    return p.midSystem
      ? []
      : [{ rule: 'PV-A11', path, message: "role 'system' is not supported on this model" }];
  }
  if (role !== 'user' && role !== 'assistant') {
    return [{ rule: 'ROLE', path, message: `role ${JSON.stringify(role)} is unknown` }];
  }
  const wrong = role === 'user' ? ASSISTANT_ONLY : USER_ONLY;
  return blocksOf(m, path)
    .filter((b) => wrong.has(typeOf(b.block)))
    .map((b) => ({ rule: 'ROLE', path: b.path, message: `${typeOf(b.block)} in a ${role} message` }));
}

function emptyRules(m: Obj, path: string, last: boolean): Violation[] {
  const content = m['content'];
  const empty =
    content === undefined ||
    content === null ||
    content === '' ||
    (Array.isArray(content) && content.length === 0);
  if (empty) {
    const finalAssistant = last && m['role'] === 'assistant';
    const rule = finalAssistant ? 'EMPTY_FINAL' : 'PV-A17';
    return m['role'] === 'system' ? [] : [{ rule, path, message: 'a message without content' }];
  }
  if (typeof content === 'string') {
    return blank(content)
      ? [{ rule: 'PV-A17', path, message: 'text content must contain non-whitespace text' }]
      : [];
  }
  return blocksOf(m, path).flatMap((b) => emptyBlock(b.block, b.path));
}

function emptyBlock(b: Obj, path: string): Violation[] {
  const type = typeOf(b);
  if (type === 'text' && blank(b['text'])) {
    return [{ rule: 'PV-A17', path, message: 'text content blocks must be non-empty' }];
  }
  if (type === 'compaction' && b['content'] === '') {
    return [{ rule: 'PV-A35', path, message: 'a compaction block with an empty string' }];
  }
  if (type !== 'tool_result') return [];
  const content = b['content'];
  if (typeof content === 'string') return [];
  return blocksOf(b, path).flatMap((x) => emptyBlock(x.block, x.path));
}

function inputRules(m: Obj, path: string): Violation[] {
  return blocksOf(m, path)
    .filter((b) => /^(?:server_|mcp_)?tool_use$/.test(typeOf(b.block)) && !isObj(b.block['input']))
    .map((b) => ({ rule: 'PV-A19', path: `${b.path}/input`, message: 'input should be a valid dictionary' }));
}

function thinkingRules(m: Obj, path: string): Violation[] {
  return blocksOf(m, path).flatMap((b): Violation[] => {
    const type = typeOf(b.block);
    if (type === 'thinking') {
      if (typeof b.block['thinking'] !== 'string') {
        return [{ rule: 'PV-A22', path: b.path, message: 'a thinking block without its text' }];
      }
      const sig = b.block['signature'];
      if (typeof sig !== 'string' || sig === '') {
        return [{ rule: 'PV-A24', path: b.path, message: 'Invalid signature in thinking block' }];
      }
    }
    if (type === 'redacted_thinking' && blank(b.block['data'])) {
      return [{ rule: 'PV-A22', path: b.path, message: 'a redacted thinking block without its data' }];
    }
    return [];
  });
}

/** PV-A10: the list is not empty and starts with the user, or with a compaction block. */
function headRules(list: readonly Obj[]): Violation[] {
  const first = list[0];
  if (first === undefined) return [{ rule: 'PV-A10', path: '/messages', message: 'messages is empty' }];
  const compaction = first['role'] === 'assistant' && blocksOf(first, '')[0]?.block['type'] === 'compaction';
  if (first['role'] === 'user' || compaction) return [];
  return [{ rule: 'PV-A10', path: '/messages/0', message: 'first message must use the user role' }];
}

export function anthropicContent(list: readonly Obj[], p: RuleProfile): Violation[] {
  return [
    ...headRules(list),
    ...list.flatMap((m, i) => {
      const path = `/messages/${i}`;
      return [
        ...roleRules(m, path, p),
        ...emptyRules(m, path, i === list.length - 1),
        ...inputRules(m, path),
        ...thinkingRules(m, path),
      ];
    }),
  ];
}
