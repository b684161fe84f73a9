// Builds small cases and observations for the tests of the check runner itself.
import type { Case, Check, Obj, Observation, ScriptStep, Step } from './types.js';

export const user = (content: unknown): Obj => ({ role: 'user', content });
export const assistant = (content: unknown): Obj => ({ role: 'assistant', content });
export const text = (t: string): Obj => ({ type: 'text', text: t });
export const call = (id: string, name = 'read', input: unknown = { p: 1 }): Obj => ({
  type: 'tool_use',
  id,
  name,
  input,
});
export const answer = (id: string, content: unknown = 'result'): Obj => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});

/** A valid Anthropic history: one call, its result, an answer, a second user turn. */
export function history(): Obj[] {
  return [
    user('first task'),
    assistant([text('looking'), call('t1')]),
    user([answer('t1', 'body of the first result')]),
    assistant([text('found')]),
    user('second task'),
  ];
}

export interface Setup {
  messages?: Obj[];
  request?: Obj;
  script?: ScriptStep[];
  config?: Obj;
  format?: 'anthropic' | 'openai';
}

export function caseOf(checks: Check[], s: Setup = {}): Case {
  return {
    id: 'made',
    format: s.format ?? 'anthropic',
    config: s.config ?? {},
    request: s.request ?? { system: 'S', messages: s.messages ?? history() },
    ...(s.script === undefined ? {} : { script: s.script }),
    checks,
  };
}

/** An observation of one or more steps; a step given as a list is an output with these messages. */
export function observed(steps: (Obj[] | Partial<Step>)[], rest: Partial<Observation> = {}): Observation {
  return {
    steps: steps.map((s) =>
      Array.isArray(s) ? { op: 'curate', out: { system: 'S', messages: s } } : { op: 'curate', ...s },
    ),
    alive: true,
    ...rest,
  };
}
