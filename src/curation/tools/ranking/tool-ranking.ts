// Which tools a question is about: words (BM25) and spelling (hashed n-grams) over the whole and its clauses, words that
// such tasks need, words that are used for the same thing, and the company a tool keeps. No model; equal input, equal
// order. Pure.

import { GramIndex } from './gram-index.js';
import { taskWords } from './task-words.js';
import { type Bag, highest, normalized, WordIndex } from './word-index.js';
import { stems } from './words.js';

export interface RankedTool {
  key: string;
  name: string;
  description: string;
  /** Parsed parameter schema. */
  parameters?: unknown;
  /** Class or server, where known. */
  group?: string | undefined;
}

/** Words used for the same thing: stem of a question -> stems of tools with weights. */
export type WordLinks = (stem: string) => readonly (readonly [string, number])[];

export interface RankOptions {
  links?: WordLinks;
  /** Earlier questions, oldest first: they say which groups the work is about. */
  history?: readonly string[];
}

/** Weight of a word by the field it stands in. */
const FIELD = { name: 3, description: 1, parameter: 0.7, parameterText: 0.35, group: 1, shared: 0.3 };
/** Share of spelling against words, of clauses against the whole question. */
const SPELLING = 0.35;
const CLAUSES = 0.35;
/** Weights of what is added to that. */
const GROUP = 0.6;
const LINKED = 1;
const TASK = 0.5;
const HISTORY = 0.1;
/** Best tools of a group that speak for it. */
const SPEAKERS = 3;
/** A first sentence that so many tools share says what group they are of. */
const SHARED_BY = 3;
const SHARED_MIN_CHARS = 20;
/** Characters of a question that are looked at. */
const QUESTION_MAX = 4000;
const CLAUSES_MAX = 12;
const HISTORY_MAX = 5;

export class ToolRanking {
  readonly #tools: readonly RankedTool[];
  readonly #words: WordIndex;
  readonly #grams: GramIndex;
  readonly #groups: readonly (readonly number[])[];

  constructor(tools: readonly RankedTool[]) {
    this.#tools = tools;
    const leads = new Map<string, number>();
    for (const t of tools) leads.set(lead(t), (leads.get(lead(t)) ?? 0) + 1);
    const isShared = (t: RankedTool) => lead(t).length > SHARED_MIN_CHARS && leads.get(lead(t))! >= SHARED_BY;
    this.#words = new WordIndex(tools.map((t) => bagOf(t, isShared(t))));
    this.#grams = new GramIndex(tools.map(spellingOf));
    const groups = new Map<string, number[]>();
    tools.forEach((t, i) => {
      const group = isShared(t)
        ? lead(t)
        : (t.group ?? (t.name.includes('.') ? t.name.split('.')[0]! : undefined));
      if (group === undefined) return;
      const members = groups.get(group);
      if (members === undefined) groups.set(group, [i]);
      else members.push(i);
    });
    this.#groups = [...groups.values()].filter((g) => g.length > 1);
  }

  /** Keys, best first; tools that nothing speaks for are left out. */
  rank(question: string, k: number, o: RankOptions = {}): string[] {
    const scores = this.#scores(question.slice(0, QUESTION_MAX), o);
    return [...scores.keys()]
      .filter((i) => scores[i]! > 0)
      .sort((a, b) => scores[b]! - scores[a]! || a - b)
      .slice(0, k)
      .map((i) => this.#tools[i]!.key);
  }

  #scores(question: string, o: RankOptions): Float64Array {
    const scores = this.#text(question);
    const clauses = clausesOf(question);
    if (clauses.length > 1) {
      const heard = clauses.map((c) => this.#text(c));
      for (let i = 0; i < scores.length; i += 1) {
        const best = heard.reduce((top, clause) => Math.max(top, clause[i]!), 0);
        scores[i] = (1 - CLAUSES) * scores[i]! + CLAUSES * best;
      }
    }
    this.#addGroups(scores, scores, GROUP);
    for (const past of (o.history ?? []).slice(-HISTORY_MAX)) {
      this.#addGroups(scores, this.#text(past.slice(0, QUESTION_MAX)), HISTORY);
    }
    const linked = new Map<string, number>();
    for (const stem of o.links === undefined ? [] : new Set(stems(question))) {
      for (const [word, weight] of o.links!(stem)) linked.set(word, Math.max(linked.get(word) ?? 0, weight));
    }
    // On the scale of what the question's own words say, so that a clear question is not talked over.
    const scale = highest(this.#words.scores(bagOfWords(stems(question))));
    this.#add(scores, this.#words.scores(linked), LINKED, scale);
    this.#add(scores, this.#words.scores(taskWords(question)), TASK, scale);
    return scores;
  }

  #text(text: string): Float64Array {
    const words = stems(text);
    const scores = normalized(this.#words.scores(bagOfWords(words)));
    const alike = this.#grams.scores(words);
    return scores.map((s, i) => (1 - SPELLING) * s + SPELLING * alike[i]!);
  }

  /** Each group's best tools speak for all of it. */
  #addGroups(into: Float64Array, by: Float64Array, weight: number): void {
    const speech = this.#groups.map((group) => {
      const best = group.map((i) => by[i]!).sort((a, b) => b - a);
      return best.slice(0, SPEAKERS).reduce((a, b) => a + b, 0) / Math.min(SPEAKERS, group.length);
    });
    this.#groups.forEach((group, g) => {
      for (const i of group) into[i]! += weight * speech[g]!;
    });
  }

  #add(into: Float64Array, scores: Float64Array, weight: number, scale: number): void {
    const top = scale || highest(scores) || 1;
    for (let i = 0; i < scores.length; i += 1) into[i]! += (weight * scores[i]!) / top;
  }
}

function bagOfWords(words: readonly string[]): Bag {
  return new Map(words.map((w) => [w, 1]));
}

function lead(t: RankedTool): string {
  return t.description.split(/(?<=[.!?])\s/, 1)[0] ?? '';
}

function bagOf(t: RankedTool, shared: boolean): Bag {
  const bag = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of stems(text)) bag.set(word, (bag.get(word) ?? 0) + weight);
  };
  add(t.name, FIELD.name);
  add(shared ? t.description.slice(lead(t).length) : t.description, FIELD.description);
  if (shared) add(lead(t), FIELD.shared);
  for (const [name, text] of parametersOf(t.parameters)) {
    add(name, FIELD.parameter);
    add(text, FIELD.parameterText);
  }
  if (t.group !== undefined) add(t.group, FIELD.group);
  return bag;
}

function spellingOf(t: RankedTool): string[] {
  const name = stems(t.name);
  const parameters = parametersOf(t.parameters).flatMap(([p]) => stems(p));
  return [...name, ...name, ...stems(t.description.slice(0, 400)), ...parameters];
}

/** Names and texts of a schema's properties, nested ones included. */
function parametersOf(schema: unknown, depth = 0): [string, string][] {
  if (typeof schema !== 'object' || schema === null || depth > 8) return [];
  const { properties, items } = schema as { properties?: unknown; items?: unknown };
  const found = parametersOf(items, depth + 1);
  if (typeof properties !== 'object' || properties === null) return found;
  for (const [name, value] of Object.entries(properties)) {
    const { description, enum: values } = (value ?? {}) as { description?: unknown; enum?: unknown };
    const text = typeof description === 'string' ? description : '';
    found.push([name, Array.isArray(values) ? `${text} ${values.join(' ')}` : text]);
    found.push(...parametersOf(value, depth + 1));
  }
  return found;
}

const CLAUSE =
  /(?<=[.!?;:\n])\s+|,\s*(?:and |then |also )?|\b(?:and|then|after that|afterwards|also|before|following|while)\b/i;

function clausesOf(question: string): string[] {
  return question
    .split(CLAUSE)
    .filter((c) => stems(c).length >= 2)
    .slice(0, CLAUSES_MAX);
}
