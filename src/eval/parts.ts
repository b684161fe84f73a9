// A conversation cut where the agent's own context was replaced: each part is one session. Pure.
import { applyEdits, type TextEdit } from '../json/index.js';
import { Native } from '../json/native.js';
import { specOf } from '../providers/spec.js';
import type { Conversation, RecordedUsage } from './conversation.js';

/** A stretch of messages that one context window held. */
export interface Part {
  messages: { native: Native; usage: RecordedUsage | undefined }[];
}

/**
 * Cut at `cuts`; the first message of a later part loses its tool results, whose calls belong to the old context, and
 * goes altogether when nothing else is in it.
 */
export function partsOf(c: Conversation): Part[] {
  const bounds = [0, ...c.cuts, c.messages.length];
  const parts: Part[] = [];
  for (let k = 0; k + 1 < bounds.length; k++) {
    const messages: Part['messages'] = [];
    let leading = k > 0;
    for (let i = bounds[k]!; i < bounds[k + 1]!; i++) {
      const native = leading ? withoutResults(c, c.messages[i]!) : c.messages[i]!;
      if (native === undefined) continue;
      leading = false;
      messages.push({ native, usage: c.usage.get(i) });
    }
    if (messages.length > 0) parts.push({ messages });
  }
  return parts;
}

/** The message without tool results; undefined when it was nothing but results. */
function withoutResults(c: Conversation, native: Native): Native | undefined {
  const reading = specOf(c.format).read(native);
  const results = reading.parts.filter((p) => p.kind === 'tool_result');
  if (results.length === 0) return native;
  if (results.length === reading.parts.length) return undefined;
  const edits: TextEdit[] = results.map((p) => ({ op: 'remove', path: p.path }));
  return new Native(applyEdits(native.text, edits));
}
