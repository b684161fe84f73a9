// Names that a call needs and that only tool results have told so far: what an edit must not lose. Pure.
import { identifiersIn, leavesOf, namesIn } from '../../curation/identifiers.js';
import type { MeasuredSession } from './measured.js';

/** A name, and the stored messages whose results have told it. */
export interface Reference {
  name: string;
  places: readonly number[];
}

/** By request: the names that its answer's calls use and that stood in tool results alone until then. */
export function referencesOf(m: MeasuredSession): Reference[][] {
  const results = new Map<string, number[]>();
  const elsewhere = new Set<string>();
  const learn = (text: string): void => {
    for (const name of identifiersIn(text).keys()) elsewhere.add(name);
  };
  const told = (names: ReadonlyMap<string, unknown>, at: number): void => {
    for (const name of names.keys()) {
      const places = results.get(name);
      if (places === undefined) results.set(name, [at]);
      else if (places.at(-1) !== at) places.push(at);
    }
  };
  for (const part of [m.logged.system, m.logged.tools]) if (part !== undefined) learn(part.text);
  let done = 0;
  const take = (to: number): void => {
    for (; done < to; done++)
      for (const p of m.readings[done]!.parts) {
        if (p.kind === 'tool_result') told(namesIn(p), done);
        else if (p.kind === 'text') for (const name of namesIn(p).keys()) elsewhere.add(name);
        else learn(p.text ?? '');
        if (p.kind === 'tool_call') for (const leaf of leavesOf(p.args)) learn(leaf);
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
    // The list grows on with the session: what it holds now is what has been told by then.
    return [...needed].map((name) => ({ name, places: [...results.get(name)!] }));
  });
}
