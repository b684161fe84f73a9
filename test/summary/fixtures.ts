// Messages for the summarisers' tests, and a counter that needs no tables.

import type { SourceMessage } from '../../src/summary/source.js';
import type { SummaryRequest } from '../../src/summary/summariser.js';

export const count = (text: string) => Math.ceil(text.length / 4);

export function said(at: number, role: 'user' | 'assistant', text: string): SourceMessage {
  return { at, turn: Math.floor(at / 2), role, text, calls: [], results: [] };
}

export function called(
  at: number,
  tool: string,
  args: unknown,
  result: string,
  error = false,
): SourceMessage[] {
  const turn = Math.floor(at / 2);
  const id = `c${at}`;
  return [
    {
      at,
      turn,
      role: 'assistant',
      text: '',
      calls: [{ id, tool, args: JSON.stringify(args) }],
      results: [],
    },
    { at: at + 1, turn, role: 'user', text: '', calls: [], results: [{ id, tool, text: result, error }] },
  ];
}

export function request(messages: SourceMessage[], o: Partial<SummaryRequest> = {}): SummaryRequest {
  return {
    session: 's',
    purpose: 'compaction',
    messages,
    turns: [messages[0]?.turn ?? 0, messages.at(-1)?.turn ?? 0],
    maxTokens: 1000,
    budget: 400,
    encoding: 'o200k_base',
    mustPreserve: [],
    requireKinds: [],
    attempts: 3,
    ...o,
  };
}
