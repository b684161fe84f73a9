// The static section is never edited (P-4, S-1): the last wall behind every layer. Repairs of what a provider would
// refuse are not curation and pass.

import type { DecisionFields } from '../../curation/decisions.js';
import { fail } from '../../errors.js';
import type { NewEvent } from '../state/events.js';
import type { SessionState } from '../state/state.js';

export function forbidStaticEdits(state: SessionState, event: NewEvent): void {
  if (!event.type.startsWith('memory.')) return;
  for (const edit of (event.payload as DecisionFields)._edits ?? []) {
    if (edit.op === 'insert') continue;
    if (state.messages[edit.at]?.reading.role !== 'system') continue;
    fail('FORBIDDEN_STATIC', `${event.type} would edit the system message at ${edit.at}`, {
      path: `/messages/${edit.at}`,
    });
  }
}
