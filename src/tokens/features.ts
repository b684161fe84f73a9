// What an estimate is computed from: additive counts over the messages of a request. Pure.
import { CONTENT_CLASSES, classShares } from './content-class.js';

/**
 * Places of a feature vector. `results` counts tool results: a call with its result costs more than their texts.
 * `flat` holds tokens that are known as they are (images, fixed overheads): weight 1.
 */
export const FEATURES = ['messages', 'results', ...CONTENT_CLASSES, 'flat'] as const;

/** NS-1, NS-6: tokens of a message beside its content. */
export const PER_MESSAGE = 4;

/** Weighted places: all but `flat`. */
export const WEIGHTS = FEATURES.length - 1;

/** One number per FEATURES place. The features of a view are the sum of its messages' and its head's. */
export type Features = readonly number[];

export function noFeatures(): number[] {
  return new Array<number>(FEATURES.length).fill(0);
}

export function addFeatures(a: Features, b: Features): number[] {
  const sum = a.slice();
  for (let i = 0; i < sum.length; i++) sum[i]! += b[i]!;
  return sum;
}

export function subtractFeatures(a: Features, b: Features): number[] {
  const rest = a.slice();
  for (let i = 0; i < rest.length; i++) rest[i]! -= b[i]!;
  return rest;
}

/** Adds a text of `tokens` tokens (raw count of the model's encoding) to `into`, split by content class. */
export function addText(into: number[], text: string, tokens: number): void {
  if (tokens === 0) return;
  const shares = classShares(text);
  for (let c = 0; c < shares.length; c++) into[2 + c]! += shares[c]! * tokens;
}
