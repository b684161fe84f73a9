// Which topics of a project a text speaks of (L2's trigger). Pure.

import { wordsIn } from './recall/words.js';
import type { Topic } from './topic.js';

/** Topics that one text brings in. */
const MOST = 3;
/** Of the words a topic is known by so many must be there: one alone is in many texts. */
const ENOUGH = 2;

/** Topics whose whole label the text holds, or two of the words they are known by; those with most words first, then the biggest. */
export function mentioned<T extends Topic>(text: string, topics: readonly T[]): T[] {
  const said = new Set(wordsIn(text));
  return topics
    .map((topic) => {
      const label = new Set(wordsIn(topic.label));
      const known = new Set([...label, ...(topic.terms ?? []).flatMap(wordsIn)]);
      const there = [...known].filter((w) => said.has(w)).length;
      const whole = label.size > 0 && [...label].every((w) => said.has(w));
      return { topic, there, named: whole || there >= ENOUGH };
    })
    .filter((t) => t.named)
    .sort((a, b) => b.there - a.there || b.topic.doc_count - a.topic.doc_count)
    .slice(0, MOST)
    .map((t) => t.topic);
}
