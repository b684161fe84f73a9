// When the list of tools may change (PROVIDERS 6, row "tools"): tools stand before everything, so on models that bind
// their thinking to the prefix a change voids all of it. Pure.

import type { Survey } from '../survey.js';
import type { ToolSurvey } from './tool-survey.js';

/** Shrinking waits for a turn's end (L2-10), and is not worth the thinking of the whole session. */
export function listMayShrink(survey: Survey, tools: ToolSurvey): boolean {
  return tools.turnBoundary && !hasBoundThinking(survey);
}

/** Growing may come at any time, but the bound thinking of a loop that runs cannot be given up (PV-A31). */
export function listMayGrow(survey: Survey): boolean {
  return survey.freeFrom < 0;
}

/** Is there thinking in the request that another list of tools would void? */
export function hasBoundThinking(survey: Pick<Survey, 'profile' | 'messages' | 'isDropped'>): boolean {
  if (survey.profile.modelClass !== 'AB') return false;
  return survey.messages.some(
    (m, at) => !survey.isDropped(at) && m.reading.parts.some((p) => p.kind === 'thinking'),
  );
}
