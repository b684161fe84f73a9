// What stands in place of a result that one of our own rules cleared: which call it was, how large, which names stood in
// it that later calls may need, and the handle that brings the bytes back. Pure.

import { identifierCost, type Occurrence } from './identifiers.js';
import { attribute } from './marker.js';
import { argumentsIdentity } from './repeats.js';

/** Share of the body's tokens that its names may take, and the least and the most of it. Tuned on recorded sessions. */
const SHARE = 0.055;
/** Records (JSON, rows) are made of names: nearly each may be the argument of a later call. */
const SHARE_OF_RECORDS = 0.3;
const LEAST_TOKENS = 24;
const MOST_TOKENS = 1_500;
/** Characters of the arguments that are shown; the call itself stands right before. */
const ARGUMENTS_SHOWN = 60;

export interface DigestFields {
  tool: string;
  args: unknown;
  /** UTF-8 bytes of the body. */
  originalSize: number;
  /** Turn of the first clearing. */
  clearedAt: number;
  handle: string;
  /** Why, where the reader profits: `superseded`, `duplicate` ... */
  note?: string;
  /** Names to carry, in the order of the text. */
  names: readonly string[];
}

export function digest(f: DigestFields): string {
  const args = shownArguments(f.args);
  const head =
    `<tool_result tool="${attribute(f.tool)}"${args === '' ? '' : ` args="${attribute(args)}"`} cleared="true" ` +
    `original_size="${f.originalSize}" cleared_at="turn-${f.clearedAt}" handle="${attribute(f.handle)}"` +
    `${f.note === undefined ? '' : ` note="${attribute(f.note)}"`}`;
  return f.names.length === 0 ? `${head} />` : `${head}>${f.names.join(' ')}</tool_result>`;
}

/** The arguments as short text: values alone where there is one, never half a character. */
function shownArguments(args: unknown): string {
  if (typeof args !== 'object' || args === null) return typeof args === 'string' ? cut(args) : '';
  const values = Object.values(args);
  if (values.length === 0) return '';
  if (values.length === 1 && typeof values[0] === 'string') return cut(values[0]);
  return cut(argumentsIdentity(args));
}

function cut(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat.length <= ARGUMENTS_SHOWN) return flat;
  const points = [...flat.slice(0, ARGUMENTS_SHOWN * 2)];
  return `${points.slice(0, ARGUMENTS_SHOWN - 1).join('')}…`;
}

/** Does the text look like records rather than prose or code? */
function isRecords(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  const end = text.trimEnd();
  // The last character alone: a pattern that ends in `$` would be tried at each one before it.
  return '"]}'.includes(end.charAt(end.length - 1));
}

/** Tokens that names may take in the digest of a body. */
export function nameBudget(text: string, tokens: number): number {
  const share = isRecords(text) ? SHARE_OF_RECORDS : SHARE;
  return Math.min(MOST_TOKENS, Math.max(LEAST_TOKENS, share * tokens));
}

/** What the characters of a name say of it. */
interface Traits {
  /** Digits and what stands in times, versions and dates alone. */
  isNumber: boolean;
  /** Hex digits and dashes alone. */
  isHex: boolean;
  hasDigit: boolean;
  /** A change from small to capital. */
  isCamel: boolean;
  hasUnderscore: boolean;
  hasPath: boolean;
  hasDot: boolean;
}

/** One pass: thousands of names are weighed for one digest. */
function traitsOf(run: string): Traits {
  const t = {
    isNumber: run !== '',
    isHex: run.length >= 8,
    hasDigit: false,
    isCamel: false,
    hasUnderscore: false,
    hasPath: false,
    hasDot: false,
  };
  let wasSmall = false;
  for (let i = 0; i < run.length; i += 1) {
    const code = run.charCodeAt(i);
    const isSmall = code >= 97 && code <= 122;
    if (code >= 48 && code <= 57) t.hasDigit = true;
    else if (code === 45) {
      // A dash stands in numbers and in hex alike.
    } else if (code === 46 || code === 58) {
      t.isHex = false;
      t.hasPath = true;
      if (code === 46) t.hasDot = true;
    } else {
      t.isNumber = false;
      if (!(code >= 97 && code <= 102)) t.isHex = false;
      if (wasSmall && code >= 65 && code <= 90) t.isCamel = true;
      if (code === 95) t.hasUnderscore = true;
      if (code === 47) t.hasPath = true;
    }
    wasSmall = isSmall;
  }
  return t;
}

/** How likely a later call needs the name, against what it costs; fitted to what recorded sessions did need. */
function worth(run: string, t: Traits, cost: number, seen: Occurrence, spread: number): number {
  let score = 1 + Math.min(3, seen.count - 1) * 0.35;
  if (seen.place < 0.1) score *= 1.4;
  if (t.isNumber) score *= 0.2;
  else if (t.isHex) score *= 0.4;
  if ((t.hasDot && /^[a-z]+\.[A-Z]\w+$/.test(run)) || (t.isCamel && !t.hasPath)) score *= 1.5;
  if (t.hasUnderscore) score *= 0.6;
  if (t.hasPath && run.includes('//')) score *= 0.5;
  if (run.endsWith(':') || run.endsWith('.')) score *= 0.8;
  score *= 1 + Math.min(4, Math.max(0, spread - 1)) * 0.3;
  return score / Math.sqrt(cost + 0.5);
}

/**
 * The names that a digest carries: the most useful ones that fit, in the order in which they stand in the text.
 * @param candidates names that stand nowhere else, with where they stand in the body
 * @param spread in how many results of the session a name stands
 */
export function pickNames(
  candidates: readonly (readonly [string, Occurrence])[],
  budget: number,
  spread: (run: string) => number,
): string[] {
  const ranked = candidates
    .map(([run, seen]) => {
      const traits = traitsOf(run);
      const cost = identifierCost(run);
      const stem = traits.hasDigit ? run.replace(/[0-9]+/g, '#') : run;
      return { run, place: seen.place, cost, stem, worth: worth(run, traits, cost, seen, spread(run)) };
    })
    .sort((a, b) => b.worth - a.worth || a.place - b.place);
  // Of a family that differs in numbers alone each further member says less.
  const family = new Map<string, number>();
  for (const c of ranked) {
    const before = family.get(c.stem) ?? 0;
    family.set(c.stem, before + 1);
    c.worth /= Math.sqrt(1 + before);
  }
  ranked.sort((a, b) => b.worth - a.worth || a.place - b.place);
  const chosen: typeof ranked = [];
  let text = '';
  let left = budget;
  for (const c of ranked) {
    if (left <= 0) break;
    if (c.cost > left || text.includes(c.run)) continue;
    chosen.push(c);
    text += ` ${c.run}`;
    left -= c.cost;
  }
  return chosen.sort((a, b) => a.place - b.place).map((c) => c.run);
}
