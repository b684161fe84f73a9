// Checks about tokens: of the output, of summaries, of the summariser's input.
import { requestTokens, textTokens } from '../tokens.js';
import { liveRequest } from '../world.js';
import {
  type CheckFn,
  type Context,
  NotObservable,
  perOut,
  type SeenOut,
  stepsWith,
  within,
} from './context.js';

function outTokens(o: SeenOut, cx: Context): number {
  return requestTokens(o.out, cx.world.pixels);
}

function liveTokens(o: SeenOut, cx: Context): number {
  return requestTokens(liveRequest(o.snapshot), cx.world.pixels);
}

export const reduced: CheckFn = (check, cx) =>
  perOut(check, cx, (o) =>
    within(liveTokens(o, cx) - outTokens(o, cx), check['min_tokens'], undefined, 'tokens saved'),
  );

export const neverLonger: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => within(outTokens(o, cx), undefined, liveTokens(o, cx), 'tokens of out'));

export const maxTokens: CheckFn = (check, cx) =>
  perOut(check, cx, (o) => within(outTokens(o, cx), undefined, check['value'], 'tokens of out'));

function calls(cx: Context): { input_text: string }[] {
  if (cx.obs.summarizer === undefined) throw new NotObservable('summarizer');
  return cx.obs.summarizer;
}

export const summarizerCalls: CheckFn = (check, cx) =>
  within(calls(cx).length, check['min'], check['max'], 'summariser calls');

export const summarizerInputMaxTokens: CheckFn = (check, cx) =>
  calls(cx).flatMap((c, i) =>
    within(textTokens(c.input_text), undefined, check['value'], `input tokens of summariser call ${i}`),
  );

export const summaryMaxTokens: CheckFn = (check, cx) =>
  stepsWith(check, cx, (s) => s.summaries !== undefined, 'summaries').flatMap((s) =>
    within(
      s.step.summaries!.reduce((n, t) => n + textTokens(t), 0),
      undefined,
      check['value'],
      `step ${s.index}: tokens of summaries`,
    ),
  );

export const summaryCount: CheckFn = (check, cx) =>
  stepsWith(check, cx, (s) => s.summaries !== undefined, 'summaries').flatMap((s) =>
    within(s.step.summaries!.length, check['min'], check['max'], `step ${s.index}: summaries`),
  );
