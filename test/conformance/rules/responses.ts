// PV-R: rules on an OpenAI Responses request with full input. Pure.
import { type Obj, objs, str } from '../types.js';
import type { RuleProfile } from './profile.js';
import { blank, parsesToObject, type Violation } from './violation.js';

const isCall = (type: string): boolean =>
  type.endsWith('_call') && type !== 'web_search_call' && type !== 'file_search_call';
const isOutput = (type: string): boolean => type.endsWith('_call_output');

function pairRules(list: readonly Obj[]): Violation[] {
  const calls = new Map<string, number>();
  const outputs = new Map<string, number>();
  const out: Violation[] = [];
  list.forEach((m, i) => {
    const type = str(m['type']) ?? '';
    // A local shell call is answered under `id`, or like a function.
    const id = type === 'local_shell_call_output' ? m['id'] : m['call_id'];
    if (typeof id !== 'string') return;
    const path = `/input/${i}`;
    if (isOutput(type)) {
      if (!calls.has(id))
        out.push({ rule: 'PV-R1', path, message: `No tool call found for function call output ${id}` });
      if (outputs.has(id)) out.push({ rule: 'PV-R1', path, message: `two outputs for ${id}` });
      outputs.set(id, i);
    } else if (isCall(type)) {
      if (calls.has(id)) out.push({ rule: 'PV-C3', path, message: `duplicate call id ${id}` });
      calls.set(id, i);
    }
  });
  for (const [id, i] of calls) {
    if (!outputs.has(id))
      out.push({ rule: 'PV-R1', path: `/input/${i}`, message: `No tool output found for ${id}` });
  }
  return out;
}

function reasoningRules(list: readonly Obj[], p: RuleProfile): Violation[] {
  return list.flatMap((m, i): Violation[] => {
    if (m['type'] !== 'reasoning') return [];
    const path = `/input/${i}`;
    const out: Violation[] = [];
    const next = list[i + 1];
    const type = str(next?.['type']) ?? '';
    const assistant = next?.['role'] === 'assistant' && (type === 'message' || type === '');
    if (
      next === undefined ||
      !(assistant || type === 'reasoning' || type.endsWith('_call') || type === 'mcp_approval_request')
    ) {
      out.push({ rule: 'PV-R3', path, message: 'reasoning without its required following item' });
    }
    if (!Array.isArray(m['summary'])) out.push({ rule: 'PV-R5', path, message: 'reasoning without summary' });
    if (!p.stored && blank(m['encrypted_content'])) {
      out.push({ rule: 'PV-R6', path, message: 'items are not persisted when store is false' });
    }
    return out;
  });
}

function contentRules(list: readonly Obj[], p: RuleProfile): Violation[] {
  return list.flatMap((m, i): Violation[] => {
    const path = `/input/${i}`;
    const type = str(m['type']) ?? 'message';
    if (type === 'item_reference' && !p.stored) {
      return [{ rule: 'PV-R6', path, message: 'a reference to an item that is not stored' }];
    }
    if (type === 'compaction' && blank(m['encrypted_content'])) {
      return [{ rule: 'PV-R7', path, message: 'encrypted content could not be verified' }];
    }
    if (type === 'function_call' && !parsesToObject(m['arguments'])) {
      return [{ rule: 'PV-C5', path: `${path}/arguments`, message: 'arguments are not valid JSON' }];
    }
    if (isOutput(type)) {
      return m['output'] === undefined || m['output'] === null || m['output'] === ''
        ? [{ rule: 'PV-C6', path: `${path}/output`, message: 'expected a non-empty output' }]
        : [];
    }
    if (type !== 'message') return [];
    const content = m['content'];
    const empty =
      typeof content === 'string'
        ? content === ''
        : objs(content).length === 0 ||
          objs(content).some((b) => /text$/.test(String(b['type'])) && b['text'] === '');
    return empty ? [{ rule: 'PV-C6', path: `${path}/content`, message: 'expected non-empty content' }] : [];
  });
}

export function responsesRules(request: Obj, p: RuleProfile): Violation[] {
  const list = objs(request['input']);
  if (list.length === 0) return [{ rule: 'PV-C7', path: '/input', message: 'input is empty' }];
  return [...pairRules(list), ...reasoningRules(list, p), ...contentRules(list, p)];
}
