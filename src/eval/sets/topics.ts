// `curated eval --set topics`: the topic rules on dialogues with marked shifts, beside the trivial ones.
import { readdirSync } from 'node:fs';
import { COARSE, type Dialogue, readDialogues } from '../../topics/eval/data.js';
import { type Returns, rateReturns, rateRules } from '../../topics/eval/evaluate.js';
import type { Scores } from '../../topics/eval/metrics.js';
import type { PhraseRule } from '../../topics/phrases.js';

export interface TopicSetReport {
  set: string;
  dialogues: number;
  /** By rule: always, never, the seed's, and ours at the input, at the turn's end, and where only sure shifts count. */
  rules: Readonly<Record<string, Scores>>;
  /** Returns to an older topic that rank it first, with the reply. */
  returns: Returns;
}

export interface TopicsReport {
  schema_version: '1';
  /** Mean F1 over the coarse sets that are there, by rule; null where none is. */
  macro_f1: Readonly<Record<string, number>> | null;
  sets: TopicSetReport[];
}

/**
 * @param folder of `*.jsonl`, one dialogue `{id, turns: [{role, text, topic_shift, returns_to?}]}` a line
 * @throws Error naming the file and line of one that is damaged
 */
export function rateTopics(
  folder: string,
  phrases: PhraseRule,
  onSet?: (name: string) => void,
): TopicsReport {
  const sets: TopicSetReport[] = [];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.jsonl')) continue;
    const set = file.slice(0, -'.jsonl'.length);
    onSet?.(set);
    const dialogues: Dialogue[] = readDialogues(folder, file).filter((d) => d.exchanges.length > 1);
    if (dialogues.length === 0) continue;
    sets.push({
      set,
      dialogues: dialogues.length,
      rules: rateRules(dialogues, phrases),
      returns: rateReturns(dialogues, true),
    });
  }
  const coarse = sets.filter((s) => (COARSE as readonly string[]).includes(s.set));
  const rules = Object.keys(coarse[0]?.rules ?? {});
  const mean = (rule: string) => coarse.reduce((sum, s) => sum + s.rules[rule]!.f1, 0) / coarse.length;
  return {
    schema_version: '1',
    macro_f1: coarse.length === 0 ? null : Object.fromEntries(rules.map((rule) => [rule, mean(rule)])),
    sets,
  };
}
