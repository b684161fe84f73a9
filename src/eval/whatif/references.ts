// Names that a call needs and that only tool results have told so far: what an edit must not lose. Pure.
import { identifiersIn, leavesOf } from '../../curation/identifiers.js';
import type { MeasuredSession } from './measured.js';

/** By request: the names that its answer's calls use and that stood in tool results alone until then. */
export function referencesOf(m: MeasuredSession): string[][] {
  const results = new Set<string>();
  const elsewhere = new Set<string>();
  const learn = (into: Set<string>, text: string): void => {
    for (const name of identifiersIn(text).keys()) into.add(name);
  };
  for (const part of [m.logged.system, m.logged.tools]) if (part !== undefined) learn(elsewhere, part.text);
  let done = 0;
  const take = (to: number): void => {
    for (; done < to; done++)
      for (const p of m.readings[done]!.parts) {
        learn(p.kind === 'tool_result' ? results : elsewhere, p.text ?? '');
        if (p.kind === 'tool_call') for (const leaf of leavesOf(p.args)) learn(elsewhere, leaf);
      }
  };
  return m.logged.requests.map((r) => {
    take(r.carried);
    const needed = new Set<string>();
    for (let i = r.carried; i < r.carried + r.answer; i++)
      for (const p of m.readings[i]!.parts) {
        if (p.kind !== 'tool_call') continue;
        for (const leaf of leavesOf(p.args))
          for (const name of identifiersIn(leaf).keys())
            if (results.has(name) && !elsewhere.has(name)) needed.add(name);
      }
    return [...needed];
  });
}
