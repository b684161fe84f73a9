// Redaction of what agents send, before anything of it is stored: the strings inside messages, system prompts and tool lists.
// Pure; knows JSON values and the few fields of the formats that must stay as they are.
import { applyEdits, type Path, type TextEdit } from '../json/index.js';
import { Native } from '../json/native.js';
import { type CompiledRule, compileRule, type RedactionRule } from './rule.js';

/** Names, ids and what a provider has sealed: another value there would be another message, or none. */
const KEPT = new Set([
  'id',
  'type',
  'role',
  'name',
  'tool_use_id',
  'tool_call_id',
  'call_id',
  'signature',
  'encrypted_content',
  'media_type',
]);

/** Passes over one text until nothing matches any more; a rule whose replacement matches itself ends here. */
const PASSES = 4;

export class Redactor {
  readonly #rules: readonly CompiledRule[];

  constructor(rules: readonly RedactionRule[]) {
    this.#rules = rules.map(compileRule);
  }

  /** `text` after all rules, in their order. What comes out goes through again unchanged, so that a resent text is known. */
  text(text: string): { text: string; count: number } {
    let out = text;
    let count = 0;
    for (let pass = 0; pass < PASSES; pass++) {
      const before = out;
      for (const rule of this.#rules) {
        const found = rule.apply(out);
        if (found === undefined) continue;
        out = found.text;
        // A second pass looks at what the first has made: that is no further finding.
        if (pass === 0) count += found.count;
      }
      if (out === before) break;
    }
    return { text: out, count };
  }

  /** A provider's value: itself where nothing matches, else a new one whose `redactions` says how often. Bytes that no rule touches stay. */
  native(value: Native): Native {
    const edits: TextEdit[] = [];
    const count = this.#walk(value.value, [], edits);
    if (count === 0) return value;
    const redacted = new Native(applyEdits(value.text, edits));
    redacted.redactions = count;
    return redacted;
  }

  /** A plain JSON value of the wire (a plan, a list of todos, an error). */
  value(value: unknown): { value: unknown; count: number } {
    if (value instanceof Native) {
      const native = this.native(value);
      return { value: native, count: native === value ? 0 : (native.redactions ?? 0) };
    }
    if (typeof value === 'string') {
      const { text, count } = this.text(value);
      return { value: text, count };
    }
    if (typeof value !== 'object' || value === null) return { value, count: 0 };
    let count = 0;
    const map = (v: unknown): unknown => {
      const done = this.value(v);
      count += done.count;
      return done.value;
    };
    const out = Array.isArray(value)
      ? value.map(map)
      : Object.fromEntries(Object.entries(value).map(([k, v]) => [k, KEPT.has(k) ? v : map(v)]));
    return count === 0 ? { value, count } : { value: out, count };
  }

  #walk(value: unknown, path: Path, edits: TextEdit[]): number {
    if (typeof value === 'string') {
      const found = path.at(-1) === 'arguments' ? this.#arguments(value) : this.text(value);
      if (found.count > 0) edits.push({ op: 'set', path, json: JSON.stringify(found.text) });
      return found.count;
    }
    if (typeof value !== 'object' || value === null) return 0;
    let count = 0;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) count += this.#item(value, item, i, path, edits);
      return count;
    }
    const fields = value as Record<string, unknown>;
    for (const [key, v] of Object.entries(fields)) {
      if (KEPT.has(key) && typeof v === 'string') continue;
      if (sealed(fields, key, v)) continue;
      count += this.#walk(v, [...path, key], edits);
    }
    return count;
  }

  /** Signed thinking can be removed, and not changed: where a rule finds something in it, it goes as a whole. */
  #item(list: readonly unknown[], item: unknown, i: number, path: Path, edits: TextEdit[]): number {
    const at = [...path, i];
    const block = item as { type?: unknown; thinking?: unknown } | null;
    if (block?.type !== 'thinking' || typeof block.thinking !== 'string') return this.#walk(item, at, edits);
    const { text, count } = this.text(block.thinking);
    if (count === 0) return 0;
    edits.push(
      list.length > 1
        ? { op: 'remove', path: at }
        : { op: 'set', path: at, json: JSON.stringify({ type: 'text', text }) },
    );
    return count;
  }

  /** Arguments of a call are JSON in a string: their values are looked at as values, and what comes out is JSON again. */
  #arguments(text: string): { text: string; count: number } {
    let parsed: Native;
    try {
      parsed = new Native(text, JSON.parse(text));
    } catch {
      return this.text(text);
    }
    const inner = this.native(parsed);
    const whole = this.text(inner.text);
    const count = (inner.redactions ?? 0) + whole.count;
    if (whole.count === 0) return { text: inner.text, count };
    // A rule that reaches over quotes may have torn the JSON: then nothing of it may stay.
    try {
      JSON.parse(whole.text);
      return { text: whole.text, count };
    } catch {
      return { text: '{"redacted":true}', count };
    }
  }
}

/** Bytes in text's clothes: encoded media, and what only the provider can read. */
function sealed(fields: Record<string, unknown>, key: string, v: unknown): boolean {
  if (typeof v !== 'string') return false;
  if (key === 'data') return fields['type'] === 'base64' || fields['type'] === 'redacted_thinking';
  return v.startsWith('data:') && /^data:[\w.+-]+\/[\w.+-]+;base64,/.test(v.slice(0, 100));
}
