// Repairs inside values that all formats share: hints, lone surrogates, call arguments.
import { applyEdits, type Path, pointer, type TextEdit, valueAt } from '../../json/index.js';
import { holdsObject, parsedArgs } from '../arguments.js';
import { isObject, loneStrings, wellFormed } from '../values.js';
import type { RepairDraft } from './draft.js';

/** Takes out keys that begin with `_`, the host's own notes, of an object at `path`. */
export function hintEdits(v: unknown, path: Path): TextEdit[] {
  if (!isObject(v)) return [];
  return Object.keys(v)
    .filter((key) => key.startsWith('_'))
    .map((key) => ({ op: 'remove', path: [...path, key] }));
}

/** U+FFFD for every lone surrogate of a message, except under the paths in `not`. */
export function repairSurrogates(draft: RepairDraft, at: number, not: ReadonlySet<string>): void {
  const { text, value } = draft.history[at]!.native;
  const edits: TextEdit[] = [];
  const lone = loneStrings(text, value);
  // A bad key takes the object around it: keys have no path of their own. Outermost objects win over what is inside.
  const parents = new Map<string, Path>();
  for (const { path, isKey } of lone) if (isKey) parents.set(pointer(path.slice(0, -1)), path.slice(0, -1));
  for (const { path, value: s, isKey } of lone) {
    if (not.has(pointer(path.slice(0, 2)))) continue;
    if (!isKey) edits.push({ op: 'set', path, json: JSON.stringify(wellFormed(s)) });
  }
  for (const path of [...parents.values()].sort((a, b) => b.length - a.length))
    if (!not.has(pointer(path.slice(0, 2))))
      edits.push({ op: 'set', path, json: wellFormedJson(valueAt(value, path)) });
  draft.content(at, 'PV-A18', 'lone surrogates became U+FFFD', edits);
}

function wellFormedJson(v: unknown): string {
  return JSON.stringify(v).replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g, '\ufffd');
}

/**
 * The argument string as it should be: a JSON object without lone surrogates; undefined if it is so already. What is
 * no object is kept as text under one key, so that nothing of it is lost.
 */
export function mendedArguments(argsText: string): string | undefined {
  if (!holdsObject(argsText)) {
    const kept = wellFormed(argsText);
    return /\S/.test(kept) ? JSON.stringify({ invalid_arguments: kept }) : '{}';
  }
  const value = parsedArgs(argsText);
  const lone = loneStrings(argsText, value);
  if (lone.length === 0) return undefined;
  // Keys have no path of their own: the whole is written anew.
  if (lone.some((l) => l.isKey)) return wellFormedJson(value);
  return applyEdits(
    argsText,
    lone.map((l) => ({ op: 'set', path: l.path, json: JSON.stringify(wellFormed(l.value)) })),
  );
}
