// What of a session's curation its settings leave to the provider's own editing (S-6): our keys compiled into its fields.

import { NativeForecast } from '../../curation/native-forecast.js';
import { NATIVE_DEFAULTS, type NativePlan, nativePlan } from '../../providers/native/fields.js';
import type { NativeEdit, Profile } from '../../providers/types.js';
import type { Settings } from '../../settings/index.js';

/** A plan and the prediction that goes with it; lives as long as the settings and the model it was made for. */
export interface Native {
  plan: NativePlan;
  forecast: NativeForecast;
}

/** @param threshold tokens above which the session condenses by itself */
export function nativeOf(
  settings: Settings,
  profile: Profile,
  window: number | undefined,
  threshold: number,
): Native {
  const { native, keep, trigger, clearAtLeast, excludeTools, clearToolInputs } = settings.curated;
  const wanted: readonly NativeEdit[] =
    settings.mode !== 'enforce'
      ? []
      : profile.format === 'anthropic'
        ? native.anthropic
        : native.openaiResponses;
  const sizes = trigger.flatMap((t) =>
    t.tokens !== undefined
      ? [t.tokens]
      : t.fraction !== undefined && window
        ? [Math.floor(t.fraction * window)]
        : [],
  );
  const plan = nativePlan(profile, wanted, {
    trigger: Math.max(1, sizes.length === 0 ? NATIVE_DEFAULTS.trigger : Math.min(...sizes)),
    compactAt: Math.min(NATIVE_DEFAULTS.compactAt, Math.floor(threshold)),
    keepToolUses: keep.toolUses ?? NATIVE_DEFAULTS.keepToolUses,
    ...(clearAtLeast > 0 ? { clearAtLeast } : {}),
    excludeTools,
    clearToolInputs,
    ...(keep.thinkingTurns === undefined ? {} : { thinkingTurns: keep.thinkingTurns }),
  });
  return { plan, forecast: new NativeForecast(plan.knobs) };
}
