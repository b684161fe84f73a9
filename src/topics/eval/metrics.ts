// How well predicted shifts meet the marked ones: precision, recall, F, Pk and WindowDiff. Pure.

export interface Scores {
  precision: number;
  recall: number;
  f1: number;
  f05: number;
  pk: number;
  windowDiff: number;
  /** Predicted shifts a decision; the marked density beside it. */
  density: number;
  marked: number;
  decisions: number;
}

/** One dialogue: a value per exchange; the first is no decision. */
export interface Judged {
  marked: readonly boolean[];
  predicted: readonly boolean[];
}

export function score(dialogues: readonly Judged[]): Scores {
  let tp = 0;
  let fp = 0;
  let fn = 0;
  let decisions = 0;
  let pieces = 0;
  let units = 0;
  for (const { marked, predicted } of dialogues) {
    if (marked.length < 2) continue;
    units += marked.length;
    pieces += 1;
    for (let i = 1; i < marked.length; i += 1) {
      decisions += 1;
      if (marked[i]) pieces += 1;
      if (marked[i] && predicted[i]) tp += 1;
      else if (predicted[i]) fp += 1;
      else if (marked[i]) fn += 1;
    }
  }
  // Half the mean piece; from two on, since a window of one exchange sees no more than precision and recall do.
  const k = Math.max(2, Math.round(units / Math.max(1, pieces) / 2));
  const { pk, windowDiff } = windows(dialogues, k);
  const precision = tp + fp > 0 ? tp / (tp + fp) : 0;
  const recall = tp + fn > 0 ? tp / (tp + fn) : 0;
  const f = (beta: number) => {
    const b = beta * beta;
    return precision + recall > 0 ? ((1 + b) * precision * recall) / (b * precision + recall) : 0;
  };
  return {
    precision,
    recall,
    f1: f(1),
    f05: f(0.5),
    pk,
    windowDiff,
    density: decisions > 0 ? (tp + fp) / decisions : 0,
    marked: decisions > 0 ? (tp + fn) / decisions : 0,
    decisions,
  };
}

/** Errors of windows of `k` exchanges: same piece or not (Pk), same number of shifts or not (WindowDiff). */
function windows(dialogues: readonly Judged[], k: number): { pk: number; windowDiff: number } {
  let seen = 0;
  let apart = 0;
  let unlike = 0;
  for (const { marked, predicted } of dialogues) {
    for (let i = 0; i + k < marked.length; i += 1) {
      let m = 0;
      let p = 0;
      for (let j = i + 1; j <= i + k; j += 1) {
        if (marked[j]) m += 1;
        if (predicted[j]) p += 1;
      }
      seen += 1;
      if (m > 0 !== p > 0) apart += 1;
      if (m !== p) unlike += 1;
    }
  }
  return { pk: seen > 0 ? apart / seen : 0, windowDiff: seen > 0 ? unlike / seen : 0 };
}
