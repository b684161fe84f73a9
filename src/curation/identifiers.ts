// Identifiers in text: names that a later call may need word for word (paths, ids, symbols, URLs). Pure, linear.

/** Runs of the characters that identifiers are made of; what is longer than 80 is data, not a name. */
const RUN = /[A-Za-z0-9_./:@-]+/g;
const SHORTEST = 6;
const LONGEST = 80;
/** Text beyond this is not searched: a dump of megabytes names nothing in particular. */
const SEARCHED = 400_000;

/** Six to eighty characters with a digit, a separator or a change of case in it. */
export function isIdentifier(run: string): boolean {
  if (run.length < SHORTEST || run.length > LONGEST) return false;
  return /[0-9_./:@-]|[a-z][A-Z]/.test(run);
}

/** Where an identifier stands in a text: how often, and where first (0 = at its start, 1 = at its end). */
export interface Occurrence {
  count: number;
  place: number;
}

export function identifiersIn(text: string): Map<string, Occurrence> {
  const found = new Map<string, Occurrence>();
  const searched = text.length > SEARCHED ? text.slice(0, SEARCHED) : text;
  for (const match of searched.matchAll(RUN)) {
    const run = match[0];
    const seen = found.get(run);
    if (seen !== undefined) seen.count += 1;
    else if (isIdentifier(run)) found.set(run, { count: 1, place: match.index / searched.length });
  }
  return found;
}

/** All strings and numbers inside a value, as text: what a call's arguments say. Iterative: depth is the host's. */
export function leavesOf(value: unknown): string[] {
  const out: string[] = [];
  const todo: unknown[] = [value];
  for (let v = todo.pop(); v !== undefined || todo.length > 0; v = todo.pop()) {
    if (typeof v === 'string') out.push(v);
    else if (typeof v === 'number') out.push(String(v));
    else if (typeof v === 'object' && v !== null) for (const x of Object.values(v)) todo.push(x);
  }
  return out;
}

/** Tokens that an identifier costs in a list, about: pieces of words, numbers and signs. Needs no tokenizer. */
export function identifierCost(run: string): number {
  const pieces = run.match(/[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,3}|[^A-Za-z0-9]+/g) ?? [];
  let cost = 0;
  for (const p of pieces) cost += p.length > 8 ? 2 : 1;
  return Math.max(1, cost);
}
