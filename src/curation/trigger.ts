// The operator's triggers (curated.trigger) and marks: when acting is allowed, and how far it goes. Pure.

import type { TargetSettings, TriggerSettings } from '../settings/types.js';
import type { Survey } from './survey.js';

function met(item: TriggerSettings, survey: Survey): boolean {
  const { window, sinceEdit } = survey;
  if (item.tokens !== undefined && survey.viewTokens < item.tokens) return false;
  if (item.fraction !== undefined && (window === undefined || survey.viewTokens < item.fraction * window)) {
    return false;
  }
  if (item.turns !== undefined && sinceEdit.turns < item.turns) return false;
  if (item.calls !== undefined && sinceEdit.calls < item.calls) return false;
  return true;
}

/** True when no trigger is set, or one item holds in all its conditions. */
export function triggered(survey: Survey): boolean {
  const items = survey.settings.curated.trigger;
  return items.length === 0 || items.some((item) => met(item, survey));
}

/** Tokens of the view to come down to, or undefined for "as far as it goes". */
export function lowMark(target: TargetSettings | undefined, window: number | undefined): number | undefined {
  if (target === undefined) return undefined;
  const marks = [
    target.tokens,
    target.fraction !== undefined && window !== undefined ? Math.floor(target.fraction * window) : undefined,
  ].filter((m) => m !== undefined);
  return marks.length === 0 ? undefined : Math.min(...marks);
}
