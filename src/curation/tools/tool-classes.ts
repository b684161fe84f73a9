// Classes of tools and the index that tells the model which of them it does not see (REQUIREMENTS 9, D-1 and D-4). Pure.

import { attribute } from '../marker.js';
import type { ToolEntry } from './catalog.js';

/** Classes that are never hidden. */
export const ALWAYS_SHOWN: readonly string[] = ['communication', 'agents'];

export const DISCOVER = 'discover';

/** Longest description of a class, in characters. */
const DESCRIPTION_MAX = 200;

/** `<tool_discovery>` over the entries that are hidden; '' when none is. */
export function toolIndex(hidden: readonly ToolEntry[]): string {
  const classes = new Map<string, ToolEntry[]>();
  for (const entry of hidden) {
    if (entry.class === undefined) continue;
    const members = classes.get(entry.class);
    if (members === undefined) classes.set(entry.class, [entry]);
    else members.push(entry);
  }
  if (classes.size === 0) return '';
  const lines = [...classes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, tools]) => line(name, tools));
  return `<tool_discovery>\n<tool_classes>\n${lines.join('\n')}\n</tool_classes>\n</tool_discovery>`;
}

function line(name: string, tools: readonly ToolEntry[]): string {
  const subclasses = [...new Set(tools.map((t) => t.subclass).filter((s) => s !== undefined))].sort();
  const more = subclasses.length === 0 ? '' : ` subclasses="${attribute(subclasses.join(','))}"`;
  const text = attribute(classDescription(tools));
  return `<class name="${attribute(name)}" tools="${tools.length}"${more}>${text}</class>`;
}

/** First sentences of the tools, each once whatever its case, at most 200 characters. */
function classDescription(tools: readonly ToolEntry[]): string {
  const seen = new Map<string, string>();
  for (const { description } of tools) {
    const sentence = firstSentence(description);
    if (sentence !== '' && !seen.has(sentence.toLowerCase())) seen.set(sentence.toLowerCase(), sentence);
  }
  const text = [...seen.values()].join('; ');
  const points = [...text];
  return points.length <= DESCRIPTION_MAX ? text : `${points.slice(0, DESCRIPTION_MAX - 3).join('')}...`;
}

function firstSentence(text: string): string {
  const line = text.trim().split('\n', 1)[0]!.trim();
  return /^(.+?[.!?])(?:\s|$)/.exec(line)?.[1] ?? line;
}
