// Edits with what they change in tokens: each message's edits are counted together, as the message itself was. Pure.

import type { TextEdit } from '../json/index.js';
import type { DocEdit } from '../providers/types.js';
import type { LedgerEdit } from './decisions.js';
import type { Survey } from './survey.js';

/** The same edits, in order; the first of each message carries what all of that message's change. Inserts stay as they are. */
export function priced(
  survey: Pick<Survey, 'messages' | 'tokensChanged'>,
  edits: readonly DocEdit[],
): LedgerEdit[] {
  const byMessage = new Map<number, TextEdit[]>();
  for (const edit of edits) {
    if (!('path' in edit)) continue;
    const list = byMessage.get(edit.at);
    if (list === undefined) byMessage.set(edit.at, [edit]);
    else list.push(edit);
  }
  return edits.map((edit) => {
    if (edit.op === 'drop') return { ...edit, delta: -survey.messages[edit.at]!.tokens };
    const own = 'path' in edit ? byMessage.get(edit.at) : undefined;
    if (own === undefined || own[0] !== edit) return edit;
    return { ...edit, delta: survey.tokensChanged(edit.at, own) };
  });
}
