// The conversation as a summariser's model reads it (L4-6): one builder for the first request and for every retry. Tool
// text stands in a frame that it cannot leave; thinking is not in the source. Pure.

import { framed, wellFormed } from './escape.js';
import type { SourceMessage } from './source.js';

const SAYS: Readonly<Record<SourceMessage['role'], string>> = {
  user: '[User]: ',
  assistant: '[Assistant]: ',
  system: '[System]: ',
  tool: '[Tool Result]: ',
};

/** Lines of one message. */
export function linesOf(m: SourceMessage): string[] {
  const lines: string[] = [];
  const calls =
    m.calls.length === 0
      ? ''
      : ` [tool_calls: ${framed(JSON.stringify(m.calls.map((c) => ({ id: c.id, name: c.tool, arguments: c.args }))))}]`;
  if (m.role === 'tool' || (m.text === '' && m.calls.length === 0)) {
    for (const r of m.results) lines.push(resultLine(r.tool, r.text, r.error));
    if (m.role === 'tool' && m.results.length === 0) lines.push(resultLine('', m.text, false));
    return lines;
  }
  for (const r of m.results) lines.push(resultLine(r.tool, r.text, r.error));
  lines.push(`${SAYS[m.role]}${framed(m.text)}${calls}`.trimEnd());
  return lines;
}

function resultLine(tool: string, text: string, error: boolean): string {
  const body = error ? `Error: ${text}` : text;
  const name = tool.replace(/[^\w.:/-]/g, '_');
  return `[Tool Result]: <tool_output tool="${name}" trust="untrusted data">${framed(body)}</tool_output>`;
}

/** The whole transcript. */
export function transcript(messages: readonly SourceMessage[]): string {
  return wellFormed(messages.flatMap(linesOf).join('\n\n'));
}

/** A message cut in the middle so that it has about `chars` characters of text; for one that no window would hold. */
export function shortened(m: SourceMessage, chars: number): SourceMessage {
  const parts = 1 + m.results.length + m.calls.length;
  const each = Math.max(200, Math.floor(chars / parts));
  return {
    ...m,
    text: middle(m.text, each),
    calls: m.calls.map((c) => ({ ...c, args: middle(c.args, each) })),
    results: m.results.map((r) => ({ ...r, text: middle(r.text, each) })),
  };
}

function middle(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const half = Math.floor((chars - 40) / 2);
  return wellFormed(
    `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters …]\n${text.slice(-half)}`,
  );
}
