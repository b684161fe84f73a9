// What the topic rules are worth on marked dialogues, beside the trivial ones: always, never, and the seed's centroid.

import { cosine } from '../../pool/vectors.js';
import { seeded } from '../../random.js';
import { type Rolling, rollingStep } from '../centroid.js';
import { embedHashed, HASHED_DIMS } from '../hashed.js';
import { matchPhrase, type PhraseRule } from '../phrases.js';
import type { Rule } from '../rule.js';
import { scan, Words } from '../scan.js';
import { INPUT_CHARS, Tracker } from '../tracker.js';
import { WEIGHTS } from '../weights.js';
import type { Dialogue } from './data.js';
import { learn } from './learn.js';
import { type Judged, type Scores, score } from './metrics.js';
import { run, type Sets } from './run.js';
import type { Spliced } from './splice.js';

export type Rated = Readonly<Record<string, Scores>>;

const judge = (dialogues: readonly Dialogue[], predict: (d: Dialogue) => boolean[]): Judged[] =>
  dialogues.map((d) => ({ marked: d.exchanges.map((e) => e.shift), predicted: predict(d) }));

const fixed = (value: boolean) => (d: Dialogue) => d.exchanges.map((_, i) => i > 0 && value);

/** The seed's rule with the default embedder's vectors. */
function seedRule(phrases: PhraseRule, threshold: number): (d: Dialogue) => boolean[] {
  const words = new Words();
  return (d) => {
    let state: Rolling | undefined;
    return d.exchanges.map((e) => {
      const v = new Float32Array(HASHED_DIMS);
      embedHashed(scan(e.input, words, INPUT_CHARS), e.input, v);
      const said = matchPhrase(e.input, phrases) !== undefined;
      const step = rollingStep(said ? undefined : state, v, threshold, cosine);
      state = step.state;
      return said || step.verdict.shift;
    });
  };
}

/** The rules that need no training, and the shipped weights. On the files they were trained on these are no test. */
export function rateRules(dialogues: readonly Dialogue[], phrases: PhraseRule, rule: Rule = WEIGHTS): Rated {
  const rolled = run(new Map([['set', dialogues]]), rule);
  return {
    always: score(judge(dialogues, fixed(true))),
    never: score(judge(dialogues, fixed(false))),
    seed: score(judge(dialogues, seedRule(phrases, 0.55))),
    provisional: score(rolled.input.get('set')!),
    confirmed: score(rolled.end.get('set')!),
    precise: score(run(new Map([['set', dialogues]]), rule, 'precise').end.get('set')!),
  };
}

export interface Unseen {
  provisional: Map<string, Judged[]>;
  confirmed: Map<string, Judged[]>;
  precise: Map<string, Judged[]>;
}

/**
 * Each dialogue judged by weights that never saw it: folds by dialogue, thresholds from the training part alone.
 * @param split 0 deals the dialogues out in their order, others in an order of chance
 */
export function crossValidate(sets: Sets, folds: number, spliced?: Spliced, split = 0): Unseen {
  const out: Unseen = { provisional: new Map(), confirmed: new Map(), precise: new Map() };
  const dealt = split === 0 ? sets : new Map([...sets].map(([name, ds]) => [name, shuffled(ds, split)]));
  for (let fold = 0; fold < folds; fold += 1) {
    const part = (mine: boolean) =>
      new Map(
        [...dealt].map(([name, ds]) => [name, ds.filter((_, i) => (i % folds === fold) === mine)] as const),
      );
    add(out, part(true), learn(part(false), spliced));
  }
  return out;
}

/** Each set judged by weights from the other sets, and from those that are spliced of other conversations. */
export function leaveOneSetOut(sets: Sets, spliced?: Spliced): Unseen {
  const out: Unseen = { provisional: new Map(), confirmed: new Map(), precise: new Map() };
  for (const [name, dialogues] of sets) {
    const others = new Map([...sets].filter(([other]) => other !== name));
    add(out, new Map([[name, dialogues]]), learn(others, spliced));
  }
  return out;
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seeded(seed);
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map((k) => k.item);
}

function add(out: Unseen, sets: Sets, rule: Rule): void {
  const rolled = run(sets, rule);
  const sure = run(sets, rule, 'precise');
  for (const name of sets.keys()) {
    out.provisional.set(name, [...(out.provisional.get(name) ?? []), ...rolled.input.get(name)!]);
    out.confirmed.set(name, [...(out.confirmed.get(name) ?? []), ...rolled.end.get(name)!]);
    out.precise.set(name, [...(out.precise.get(name) ?? []), ...sure.end.get(name)!]);
  }
}

export interface Returns {
  /** Returns whose resumed topic is ranked first among all topics so far, the one just left included. */
  first: number;
  returns: number;
}

/** With the marked pieces given: does a return rank its topic first, by the input alone or with the reply? */
export function rateReturns(dialogues: readonly Dialogue[], withReply: boolean): Returns {
  const out: Returns = { first: 0, returns: 0 };
  for (const d of dialogues) {
    const tracker = new Tracker();
    for (const [at, e] of d.exchanges.entries()) {
      tracker.read(e.input, at, at);
      if (withReply && e.reply !== '') tracker.answer(e.reply);
      const matches = tracker.matches();
      const back = e.returnsTo;
      if (back !== undefined) {
        out.returns += 1;
        const best = matches[0];
        if (best?.past.start === back && best.score > tracker.likeness) out.first += 1;
      }
      if (!withReply && e.reply !== '') tracker.answer(e.reply);
      const past = back === undefined ? undefined : tracker.past.findLast((p) => p.start === back);
      tracker.fold(e.shift, past);
    }
  }
  return out;
}
