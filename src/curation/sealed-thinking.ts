// Bound thinking (PV-A25, A26, A31): on models that check the prefix, an edit of what was sent voids all thinking behind
// it, so it is taken out with the edit, for good. Pure.

import type { LedgerEdit } from './decisions.js';
import type { Survey } from './survey.js';

export function withoutThinking(survey: Survey, first: number): LedgerEdit[] {
  if (survey.profile.modelClass !== 'AB') return [];
  const edits: LedgerEdit[] = [];
  for (let at = Math.max(0, first); at < survey.messages.length; at += 1) {
    if (survey.isDropped(at)) continue;
    const { reading } = survey.messages[at]!;
    const thoughts = reading.parts.filter((p) => p.kind === 'thinking');
    if (thoughts.length === 0) continue;
    if (thoughts.length === reading.parts.length) {
      edits.push({ op: 'drop', at, delta: -survey.messages[at]!.tokens });
      continue;
    }
    for (const part of thoughts) {
      edits.push({ op: 'remove', at, path: part.path, delta: -survey.count(part.text ?? '') });
    }
  }
  return edits;
}
