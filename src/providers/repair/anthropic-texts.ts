// Anthropic messages that repairs write themselves, and the one that a history without a user at its head gets.
import { isObject, str } from '../values.js';
import { CONVERSATION_START, inserted, type RepairDraft } from './draft.js';

export const textBlock = (text: string): string => JSON.stringify({ type: 'text', text });

/** A user message of these blocks, each a JSON text. */
export const userMessage = (blocks: readonly string[]): string =>
  `{"role":"user","content":[${blocks.join(',')}]}`;

/** PV-A10: the first message is the user's, or starts with a compaction. */
export function repairHead(draft: RepairDraft): void {
  const first = draft.history[0];
  if (draft.from > 0 || first === undefined || !isObject(first.native.value)) return;
  const role = str(first.native.value, 'role');
  const compacted = first.reading.parts[0]?.type === 'compaction';
  if ((role !== 'assistant' && role !== 'system') || compacted) return;
  draft.add({
    what: 'the first message must be the user’s: one was put before it',
    rule: 'PV-A10',
    edits: [inserted(0, 'head', userMessage([textBlock(CONVERSATION_START)]))],
  });
}
