// Random histories of each format: valid ones, and ways to break them.
import fc from 'fast-check';
import type { Format } from '../../src/providers/types.js';
import { assistant, type Msg, result, text, use, user } from './kit.js';

interface Round {
  kind: 'round';
  calls: { tool: string; body: unknown; args: Record<string, unknown> }[];
  say: string | undefined;
  beside: string | undefined;
}
interface Turn {
  kind: 'turn';
  ask: string;
  answer: string;
}
export type Step = Round | Turn;

const word = fc.constantFrom('look', 'fix it', 'why?', 'the build fails', '資料', '👍🏽', 'x'.repeat(300));
const body = fc.oneof(word, fc.constant('line\n'.repeat(50)));

const round: fc.Arbitrary<Round> = fc.record({
  kind: fc.constant('round' as const),
  calls: fc.array(
    fc.record({
      tool: fc.constantFrom('read', 'ls'),
      body,
      args: fc.dictionary(fc.constantFrom('path', 'n'), fc.oneof(word, fc.nat()), { maxKeys: 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  say: fc.option(word, { nil: undefined }),
  beside: fc.option(word, { nil: undefined, freq: 4 }),
});
const turn: fc.Arbitrary<Turn> = fc.record({ kind: fc.constant('turn' as const), ask: word, answer: word });

export const steps: fc.Arbitrary<Step[]> = fc.array(fc.oneof(round, turn), { maxLength: 6 });

/** A valid history that ends with the user. */
export function build(format: Format, plan: readonly Step[]): Msg[] {
  const out: Msg[] = [say(format, 'user', 'start')];
  let n = 0;
  for (const step of plan) {
    if (step.kind === 'turn') out.push(say(format, 'assistant', step.answer), say(format, 'user', step.ask));
    else {
      const ids = step.calls.map(() => `call_${n++}`);
      out.push(...ROUNDS[format](step, ids));
    }
  }
  return out;
}

function say(format: Format, role: 'user' | 'assistant', t: string): Msg {
  if (format === 'openai-responses') return { type: 'message', role, content: t };
  return format === 'anthropic' && role === 'assistant' ? assistant(text(t)) : { role, content: t };
}

const ROUNDS: Record<Format, (step: Round, ids: string[]) => Msg[]> = {
  anthropic: (step, ids) => [
    assistant(
      { type: 'thinking', thinking: 'hm', signature: 's' },
      ...(step.say === undefined ? [] : [text(step.say)]),
      ...step.calls.map((c, i) => use(ids[i]!, c.args)),
    ),
    user([
      ...step.calls.map((c, i) => result(ids[i]!, c.body)),
      ...(step.beside === undefined ? [] : [text(step.beside)]),
    ]),
  ],
  'openai-chat': (step, ids) => [
    {
      role: 'assistant',
      content: step.say ?? null,
      tool_calls: step.calls.map((c, i) => ({
        id: ids[i],
        type: 'function',
        function: { name: c.tool, arguments: JSON.stringify(c.args) },
      })),
    },
    ...step.calls.map((c, i) => ({ role: 'tool', tool_call_id: ids[i], content: c.body })),
    ...(step.beside === undefined ? [] : [user(step.beside)]),
  ],
  'openai-responses': (step, ids) => [
    { type: 'reasoning', id: `rs_${ids[0]}`, summary: [], encrypted_content: 'e' },
    ...step.calls.map((c, i) => ({
      type: 'function_call',
      call_id: ids[i],
      name: c.tool,
      arguments: JSON.stringify(c.args),
    })),
    ...step.calls.map((c, i) => ({ type: 'function_call_output', call_id: ids[i], output: c.body })),
    ...(step.beside === undefined ? [] : [{ type: 'message', role: 'user', content: step.beside }]),
  ],
};

export interface Damage {
  kind: 'drop' | 'double' | 'swap' | 'blank' | 'block-drop' | 'block-double' | 'split' | 'id';
  at: number;
  to: number;
}

export const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Damage['kind']>(
      'drop',
      'double',
      'swap',
      'blank',
      'block-drop',
      'block-double',
      'split',
      'id',
    ),
    at: fc.nat(100),
    to: fc.nat(100),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Breaks a history in the ways that hosts do. */
export function damage(messages: readonly Msg[], what: readonly Damage[]): Msg[] {
  let out = structuredClone([...messages]) as Msg[];
  for (const { kind, at, to } of what) {
    if (out.length === 0) break;
    const i = at % out.length;
    const m = out[i]!;
    const key = Array.isArray(m['tool_calls']) ? 'tool_calls' : 'content';
    const list = Array.isArray(m[key]) ? (m[key] as unknown[]) : undefined;
    if (kind === 'drop') out = out.filter((_, k) => k !== i);
    else if (kind === 'double') out.splice(to % out.length, 0, structuredClone(m));
    else if (kind === 'swap') out.splice(to % out.length, 0, ...out.splice(i, 1));
    else if (kind === 'blank') m['output' in m ? 'output' : 'content'] = to % 2 === 0 ? '' : [];
    else if (list !== undefined && list.length > 0) {
      const k = to % list.length;
      if (kind === 'block-drop') m[key] = list.filter((_, x) => x !== k);
      else if (kind === 'block-double') m[key] = [...list, structuredClone(list[k])];
      else if (kind === 'split' && key === 'content')
        out.splice(i, 1, { ...m, content: list.slice(0, k) }, { ...m, content: list.slice(k) });
      else if (kind === 'id') m[key] = list.map((b) => rename(b));
    }
  }
  return out;
}

function rename(block: unknown): unknown {
  const b = block as Msg;
  for (const key of ['id', 'tool_use_id'] as const) if (key in b) return { ...b, [key]: 'call_0' };
  return block;
}
