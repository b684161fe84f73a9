// Bound thinking (PV-A25, A26, A31): on models that check the prefix, an edit of what was sent voids all thinking behind
// it, so it is taken out with the edit, for good. Pure.

import { pointer } from '../json/index.js';
import { removeParts, thinkingOf } from '../providers/edits.js';
import type { LedgerEdit } from './decisions.js';
import { priced } from './priced.js';
import type { Survey } from './survey.js';

/** @param end thinking from this message on is taken out already */
export function withoutThinking(
  survey: Survey,
  first: number,
  end: number = survey.messages.length,
): LedgerEdit[] {
  if (survey.profile.modelClass !== 'AB') return [];
  const edits: LedgerEdit[] = [];
  for (let at = Math.max(0, first); at < end; at += 1) {
    if (survey.isDropped(at)) continue;
    const thoughts = thinkingOf(at, survey.messages[at]!).filter(
      ({ part }) => !survey.isEditedAt(at, pointer(part.path)),
    );
    edits.push(...priced(survey, removeParts(survey.spec.format, survey.messages, thoughts)));
  }
  return edits;
}
