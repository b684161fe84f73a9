// Assertions held against a run and what was recorded. Pure.
import { isDeepStrictEqual } from 'node:util';
import { quantile } from '../stats.js';
import type { Assertion } from './assertions.js';

/** An event of a journal; payload fields beside the envelope's. */
export interface RunEvent {
  type: string;
  turn: number;
  payload: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  tool: string;
  args: unknown;
}

export interface TurnTokens {
  input: number;
  output: number;
}

/** What a played case left behind. */
export interface Run {
  events: RunEvent[];
  calls: ToolCall[];
  /** By turn, in order. */
  turns: TurnTokens[];
  /** Of each llm.prepare, ms. */
  latencies: number[];
}

export interface Recorded {
  events: RunEvent[];
  calls: ToolCall[];
}

export interface Checked {
  kind: Assertion['kind'];
  passed: boolean;
  /** What was found, and what was wanted. */
  message: string;
}

export function check(a: Assertion, run: Run, recorded: Recorded): Checked {
  const [passed, message] = verdict(a, run, recorded);
  return { kind: a.kind, passed, message };
}

function verdict(a: Assertion, run: Run, recorded: Recorded): [boolean, string] {
  switch (a.kind) {
    case 'event_emitted': {
      const { type, where, count } = a.params;
      const n = run.events.filter((e) => e.type === type && matches(e, where)).length;
      return [within(n, count), `${n} x ${type}, ${wanted(count)}`];
    }
    case 'event_count_bounds': {
      const { type } = a.params;
      const n = run.events.filter((e) => type === undefined || e.type === type).length;
      return [within(n, a.params), `${n} ${type ?? 'events'}, ${wanted(a.params)}`];
    }
    case 'event_sequence_strict': {
      const { pattern } = a.params;
      const found = typesOf(run.events, a.params.filter ?? pattern);
      const at = pattern.findIndex((t, i) => found[i] !== t);
      if (at < 0 && found.length === pattern.length) return [true, `${pattern.length} events in order`];
      const place = at < 0 ? pattern.length : at;
      const [is, want] = [found[place] ?? 'nothing', pattern[place] ?? 'nothing'];
      return [false, `event ${place + 1} is ${is}, wanted ${want}`];
    }
    case 'event_sequence_distance': {
      const { threshold, filter } = a.params;
      if (recorded.events.length === 0) return [false, 'nothing was recorded to compare with'];
      const share = distanceShare(typesOf(run.events, filter), typesOf(recorded.events, filter));
      return [share <= threshold, `distance ${share.toFixed(3)}, wanted at most ${threshold}`];
    }
    case 'tool_invocation_parity':
      return parity(run.calls, recorded.calls, a.params);
    case 'token_budget':
      return budget(run.turns, a.params);
    case 'latency': {
      const sorted = [...run.latencies].sort((x, y) => x - y);
      if (sorted.length === 0) return [false, 'no request was prepared'];
      const p50 = quantile(sorted, 0.5);
      const p95 = quantile(sorted, 0.95);
      const ok = p50 <= (a.params.p50_ms ?? Infinity) && p95 <= (a.params.p95_ms ?? Infinity);
      const want = [a.params.p50_ms ?? 'any', a.params.p95_ms ?? 'any'].join(' / ');
      return [ok, `p50 / p95 ${p50.toFixed(1)} / ${p95.toFixed(1)} ms, wanted at most ${want}`];
    }
  }
}

/** `where` by dotted path into the payload; `turn` is the envelope's. */
function matches(e: RunEvent, where: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(where).every(([path, want]) => {
    let v: unknown = { turn: e.turn, ...e.payload };
    for (const step of path.split('.')) v = (v as Record<string, unknown> | undefined | null)?.[step];
    return isDeepStrictEqual(v, want);
  });
}

interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

function within(n: number, b: Bounds): boolean {
  return n >= (b.min ?? 0) && n <= (b.max ?? Infinity);
}

function wanted(b: Bounds): string {
  return `wanted ${b.min ?? 0} to ${b.max ?? 'any'}`;
}

function typesOf(events: readonly RunEvent[], filter: readonly string[] | undefined): string[] {
  const types = events.map((e) => e.type);
  return filter === undefined ? types : types.filter((t) => filter.includes(t));
}

/** Levenshtein distance as a share of the longer sequence; 0 for two empty ones. */
export function distanceShare(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 && b.length === 0) return 0;
  let row = Uint32Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = new Uint32Array(b.length + 1);
    next[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(swap, row[j]! + 1, next[j - 1]! + 1);
    }
    row = next;
  }
  return row[b.length]! / Math.max(a.length, b.length);
}

function parity(
  run: readonly ToolCall[],
  recorded: readonly ToolCall[],
  o: { count_tolerance: number; arg_keys: readonly string[] },
): [boolean, string] {
  for (const tool of new Set([...recorded, ...run].map((c) => c.tool))) {
    const now = run.filter((c) => c.tool === tool);
    const then = recorded.filter((c) => c.tool === tool);
    if (Math.abs(now.length - then.length) > o.count_tolerance)
      return [false, `${tool}: ${now.length} calls, ${then.length} recorded`];
    for (const key of o.arg_keys) {
      const values = (calls: readonly ToolCall[]) =>
        calls.map((c) => (c.args as Record<string, unknown> | null | undefined)?.[key]);
      const [a, b] = [values(now), values(then)];
      const shared = Math.min(a.length, b.length);
      const at = a.slice(0, shared).findIndex((v, i) => !isDeepStrictEqual(v, b[i]));
      if (at >= 0) return [false, `${tool}: ${key} of call ${at + 1} differs`];
    }
  }
  return [true, `${run.length} calls, ${recorded.length} recorded`];
}

function budget(
  turns: readonly TurnTokens[],
  o: {
    max_input_tokens?: number | undefined;
    max_output_tokens?: number | undefined;
    per_turn: boolean;
  },
): [boolean, string] {
  const add = (key: keyof TurnTokens): number =>
    o.per_turn ? Math.max(0, ...turns.map((t) => t[key])) : turns.reduce((n, t) => n + t[key], 0);
  const [input, output] = [add('input'), add('output')];
  const ok = input <= (o.max_input_tokens ?? Infinity) && output <= (o.max_output_tokens ?? Infinity);
  const where = o.per_turn ? 'in the largest turn' : 'in all';
  const want = `wanted at most ${o.max_input_tokens ?? 'any'} / ${o.max_output_tokens ?? 'any'}`;
  return [ok, `${input} / ${output} tokens ${where}, ${want}`];
}
