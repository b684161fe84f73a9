// PV-N1 to N4, A36 and the beta headers behind them: rules on the fields beside the conversation. Written from
// PROVIDERS.md alone. Pure.
import { arr, isObj, num, type Obj, str } from '../types.js';
import type { Violation } from './violation.js';

const HEADER: Record<string, string> = {
  clear_tool_uses_20250919: 'context-management-2025-06-27',
  clear_thinking_20251015: 'context-management-2025-06-27',
  compact_20260112: 'compact-2026-01-12',
};
const RULE: Record<string, string> = {
  clear_tool_uses_20250919: 'PV-N1',
  clear_thinking_20251015: 'PV-N2',
  compact_20260112: 'PV-N3',
};

/** @param beta the anthropic-beta header, '' without one */
export function nativeRules(request: Obj, beta: string): Violation[] {
  const out: Violation[] = [];
  const add = (rule: string, path: string, message: string) => out.push({ rule, path, message });
  const field = request['context_management'];
  if (field !== undefined) {
    for (const [i, edit] of arr(isObj(field) ? field['edits'] : undefined).entries()) {
      const path = `/context_management/edits/${i}`;
      const type = isObj(edit) ? (str(edit['type']) ?? '') : '';
      const rule = RULE[type];
      if (!isObj(edit) || rule === undefined) {
        add('PV-N1', path, `Input tag '${type}' found using 'type' does not match any of the expected tags`);
        continue;
      }
      if (!beta.includes(HEADER[type]!)) add(rule, path, 'Extra inputs are not permitted');
      if (type === 'clear_thinking_20251015') {
        if (i > 0) add(rule, path, 'clear_thinking must be the first edit');
        const keep = edit['keep'];
        const n = isObj(keep) ? (num(keep['value']) ?? 0) : keep === 'all' || keep === undefined ? 1 : 0;
        if (n <= 0) add(rule, `${path}/keep`, 'keep must be "all" or more than 0 thinking_turns');
      }
      const trigger = edit['trigger'];
      const from = isObj(trigger) ? num(trigger['value']) : undefined;
      if (type === 'compact_20260112' && from !== undefined && from < 50_000)
        add(rule, `${path}/trigger`, 'trigger must be at least 50000 input_tokens');
      if (trigger !== undefined && (from === undefined || from < 1))
        add(rule, `${path}/trigger`, 'trigger needs a value');
    }
    if (!isObj(field) || !Array.isArray(field['edits']))
      add('PV-N1', '/context_management', 'edits: Field required');
  }
  const compaction = request['compaction'];
  if (compaction !== undefined) {
    if (!beta.includes('compact-2026-09-04')) add('PV-A36', '/compaction', 'Extra inputs are not permitted');
    if (field !== undefined)
      add('PV-A36', '/compaction', 'compaction cannot be used together with context_management');
  }
  return out;
}

/** PV-N4. */
export function responsesFieldRules(request: Obj): Violation[] {
  const out: Violation[] = [];
  const field = request['context_management'];
  const good = arr(field).every(
    (e) => isObj(e) && e['type'] === 'compaction' && Number(e['compact_threshold']) > 0,
  );
  if (field !== undefined && (!Array.isArray(field) || !good))
    out.push({ rule: 'PV-N4', path: '/context_management', message: 'invalid context_management' });
  const truncation = request['truncation'];
  if (truncation !== undefined && truncation !== 'auto' && truncation !== 'disabled')
    out.push({ rule: 'PV-N4', path: '/truncation', message: 'truncation must be auto or disabled' });
  return out;
}
