// Files and identifiers that later calls are likely to need again, ranked. Pure.

import type { SourceMessage } from './source.js';

const RUN = /[A-Za-z0-9_./:@-]+/g;

/** A string of 6 to 80 characters with a digit, a separator or an inner capital. */
export function identifiersIn(text: string): string[] {
  const found: string[] = [];
  for (const m of text.matchAll(RUN)) {
    const s = m[0];
    if (s.length < 6 || s.length > 80) continue;
    if (/[0-9_./:@-]/.test(s) || /[a-z][A-Z]/.test(s)) found.push(s);
  }
  return found;
}

interface Seen {
  /** Messages that hold it. */
  messages: number;
  /** The same, weighted by how recent they are. */
  recent: number;
  /** The same, of call arguments alone. */
  called: number;
  order: number;
}

/** Messages after which an occurrence counts half. */
const HALF_LIFE = 30;

/**
 * Identifiers by how likely a later call names them: often, lately, and in the agent's own calls more than in what tools
 * printed. Weights were fitted on recorded compactions.
 * @returns identifier and score, best first
 */
export function rankIdentifiers(messages: readonly SourceMessage[]): { id: string; score: number }[] {
  const seen = new Map<string, Seen>();
  messages.forEach((m, i) => {
    const weight = 0.5 ** ((messages.length - 1 - i) / HALF_LIFE);
    const note = (text: string, called: boolean) => {
      for (const id of new Set(identifiersIn(text))) {
        let s = seen.get(id);
        if (s === undefined) {
          s = { messages: 0, recent: 0, called: 0, order: seen.size };
          seen.set(id, s);
        }
        s.messages += 1;
        s.recent += weight;
        if (called) s.called += weight;
      }
    };
    if (m.text !== '') note(m.text, false);
    for (const c of m.calls) note(argumentText(c.args), true);
    for (const r of m.results) note(r.text, false);
  });
  return [...seen]
    .map(([id, s]) => ({ id, order: s.order, score: scoreOf(s) / Math.sqrt(id.length / 3.3 + 1) }))
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .map(({ id, score }) => ({ id, score }));
}

function scoreOf(s: Seen): number {
  return Math.log1p(s.recent) + Math.log1p(3 * s.called) + Math.log1p(s.messages);
}

/** The strings inside arguments, so that escapes of the JSON are no part of them. */
export function argumentText(args: string): string {
  let value: unknown;
  try {
    value = JSON.parse(args);
  } catch {
    return args;
  }
  const out: string[] = [];
  const todo: unknown[] = [value];
  for (let v = todo.pop(); v !== undefined; v = todo.pop()) {
    if (typeof v === 'string') out.push(v);
    else if (typeof v === 'object' && v !== null) todo.push(...Object.values(v).filter((x) => x != null));
  }
  return out.reverse().join('\n');
}
