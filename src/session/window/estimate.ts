// The session's token estimate: counts, corrected by what the provider has reported so far.

import {
  type Estimate,
  estimate,
  type Fit,
  type Observed,
  observe,
  priorFor,
} from '../../tokens/estimator.js';
import { addFeatures, noFeatures } from '../../tokens/features.js';
import type { Session } from '../session.js';
import type { ReportedUsage } from '../state/state.js';

export function fitOf(session: Session): Fit {
  return (session.state.fit as Fit | undefined) ?? priorFor(session.state.model);
}

/** Features of the request as it would be sent now; after a load or a rewind nothing has been rendered yet. */
export function featuresNow(session: Session): number[] {
  session.rendering.sync(session.state);
  return requestFeatures(session);
}

/** Features of the whole request as it was rendered last. */
export function requestFeatures(session: Session): number[] {
  const { state, settings, rendering } = session;
  let sum = addFeatures(noFeatures(), rendering.features);
  const { system, tools } = state;
  if (system !== undefined && system.features.length > 0) sum = addFeatures(sum, system.features);
  if (tools !== undefined && tools.features.length > 0) {
    const share = Math.max(0, 1 - state.toolList.hiddenTokens / Math.max(1, tools.tokens));
    sum = addFeatures(sum, share === 1 ? tools.features : tools.features.map((v) => v * share));
  }
  sum[sum.length - 1]! += settings.curated.fixedOverheadTokens;
  return sum;
}

/** Tokens of the current request as the provider will count them, with the P95 bound that budgets go by. */
export function estimateRequest(session: Session): Estimate {
  const fit = fitOf(session);
  const features = requestFeatures(session);
  if (fit.anchor !== null) return estimate(fit, features);
  // What the host states it adds is exact: before the first report it widens no bound.
  const overhead = session.settings.curated.fixedOverheadTokens;
  features[features.length - 1]! -= overhead;
  const { tokens, p95 } = estimate(fit, features);
  return { tokens: tokens + overhead, p95: p95 + overhead };
}

/**
 * Takes in a report; what is implausible changes nothing.
 * @param features of the request that the report is for
 * @param reply messages of the answer, where they are in the history by now
 */
export function observeUsage(
  session: Session,
  usage: Pick<ReportedUsage, 'prompt' | 'output'>,
  features: readonly number[],
  reply: readonly { features: readonly number[] }[],
): Observed {
  const { window } = session.budget();
  return observe(fitOf(session), {
    features: [...features],
    usage: usage.prompt,
    window,
    ...(reply.length === 0
      ? {}
      : {
          reply: {
            features: reply.reduce<number[]>((sum, m) => addFeatures(sum, m.features), noFeatures()),
            output: usage.output,
          },
        }),
  });
}

/** The answer to the last main request: what the assistant said right behind it. */
export function replyOf(session: Session): readonly { features: readonly number[] }[] {
  const { messages, sent } = session.state;
  let end = sent.messages;
  while (end < messages.length && messages[end]!.reading.role === 'assistant') end += 1;
  return messages.slice(sent.messages, end);
}
