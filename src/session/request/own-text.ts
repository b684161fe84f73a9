// Text of ours put into a message of the host: how each format takes it. The host's own bytes stay as they are. Pure.

import { sliceValue } from '../../json/index.js';
import type { Format, Native, TextEdit } from '../../providers/types.js';

function block(format: Format, text: string): string {
  return JSON.stringify({ type: format === 'openai-responses' ? 'input_text' : 'text', text });
}

/** The JSON text of a string with another text before or behind it: its own spelling is kept. */
function joined(json: string, text: string, side: 'before' | 'behind'): string {
  const own = json.slice(1, -1);
  const extra = JSON.stringify(side === 'before' ? `${text}\n\n` : `\n\n${text}`).slice(1, -1);
  return side === 'before' ? `"${extra}${own}"` : `"${own}${extra}"`;
}

/**
 * The edit that adds a text to a user message, behind its content or before it; undefined where its shape is unknown.
 * Tool results keep their place in front (PV-A5): `before` goes behind them.
 */
export function addToUser(
  format: Format,
  message: Native,
  text: string,
  side: 'before' | 'behind',
): TextEdit | undefined {
  const value = message.value as { content?: unknown } | null;
  const { content } = value ?? {};
  if (Array.isArray(content)) {
    if (side === 'behind') return { op: 'append', path: ['content'], json: block(format, text) };
    const first = content.findIndex((b) => (b as { type?: unknown } | null)?.type !== 'tool_result');
    const at = first < 0 ? content.length : first;
    return { op: 'before', path: ['content', at], json: block(format, text) };
  }
  const json = typeof content === 'string' ? sliceValue(message.text, ['content']) : undefined;
  if (json === undefined) return undefined;
  if ((content as string).trim() === '') return { op: 'set', path: ['content'], json: JSON.stringify(text) };
  if (format !== 'anthropic') return { op: 'set', path: ['content'], json: joined(json, text, side) };
  // Two blocks, so that the host's text stays a block of its own.
  const own = `{"type":"text","text":${json}}`;
  const list = side === 'behind' ? [own, block(format, text)] : [block(format, text), own];
  return { op: 'set', path: ['content'], json: `[${list.join(',')}]` };
}
