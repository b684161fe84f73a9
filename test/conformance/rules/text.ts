// Rules that hold for every format: valid Unicode, no host hints, tool definitions. Pure.
import { hasLoneSurrogate } from '../strings.js';
import { isObj, objs } from '../types.js';
import type { Violation } from './violation.js';

/** PV-A18: no lone surrogate in any string or key, also inside JSON strings. Hints: no key that begins with `_`. */
export function textRules(v: unknown, path = '', inJson = false): Violation[] {
  if (typeof v === 'string') {
    if (hasLoneSurrogate(v)) return [{ rule: 'PV-A18', path, message: 'a lone surrogate' }];
    return /^\s*[[{]/.test(v) && v.includes('\\u') ? innerJson(v, path) : [];
  }
  if (Array.isArray(v)) return v.flatMap((x, i) => textRules(x, `${path}/${i}`, inJson));
  if (!isObj(v)) return [];
  return Object.entries(v).flatMap(([k, x]) => {
    const p = `${path}/${k}`;
    const own: Violation[] = [];
    if (hasLoneSurrogate(k)) own.push({ rule: 'PV-A18', path: p, message: 'a lone surrogate in a key' });
    if (k.startsWith('_') && !inJson) own.push({ rule: 'HINT', path: p, message: `the hint ${k} leaked` });
    // What the model wrote as arguments, and what a schema describes, may use any key.
    return [
      ...own,
      ...textRules(x, p, inJson || k === 'input' || k === 'input_schema' || k === 'parameters'),
    ];
  });
}

function innerJson(text: string, path: string): Violation[] {
  try {
    return textRules(JSON.parse(text), path, true);
  } catch {
    return [];
  }
}

/** PV-A45: names are unique and not all tools are deferred. */
export function toolRules(tools: unknown): Violation[] {
  const list = objs(tools);
  const names = list.map((t) => String((isObj(t['function']) ? t['function'] : t)['name'] ?? t['type']));
  const out: Violation[] = names.flatMap((n, i) =>
    names.indexOf(n) === i
      ? []
      : [{ rule: 'PV-A45', path: `/tools/${i}`, message: 'tool names must be unique' }],
  );
  if (list.length > 0 && list.every((t) => t['defer_loading'] === true)) {
    out.push({ rule: 'PV-A45', path: '/tools', message: 'all tools cannot be deferred' });
  }
  list.forEach((t, i) => {
    if (t['defer_loading'] === true && /tool_search/.test(`${String(t['type'])} ${String(t['name'])}`)) {
      out.push({ rule: 'PV-A45', path: `/tools/${i}`, message: 'the tool-search tool cannot be deferred' });
    }
  });
  return out;
}
