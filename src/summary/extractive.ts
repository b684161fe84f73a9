// The built-in summariser: no model, no network, deterministic. Takes what a later turn needs out of the messages and
// writes it as a structured text within a budget. Pure.

import { framed, wellFormed } from './escape.js';
import { rankIdentifiers } from './identifiers.js';
import { clip, type Kind, keySentences, type Sentence, sentencesOf } from './sentences.js';
import type { SourceMessage } from './source.js';

export interface Extract {
  text: string;
  kinds: string[];
}

interface Section {
  title: string;
  kind: Kind | 'technical_detail';
  /** Lines in order of worth; they are written in `order`. */
  lines: { text: string; order: number; worth: number }[];
  /** Share of the budget it may take before the others have had theirs. */
  share: number;
}

/** Tokens of decisions that also a small summary makes room for. */
const SMALL_DECISIONS = 200;

/**
 * @param budget tokens of the text at most
 * @param count tokens of a text
 */
export function extract(
  messages: readonly SourceMessage[],
  budget: number,
  count: (text: string) => number,
): Extract {
  const sentences = keySentences(messages);
  const sections: Section[] = [
    section('Decisions and alternatives', 'decision', sentences, 0.14),
    section('Why', 'rationale', sentences, 0.08),
    {
      title: 'Errors and what came of them',
      kind: 'error',
      lines: [...errorLines(messages), ...section('', 'error', sentences, 0).lines],
      share: 0.1,
    },
    {
      title: 'State and next steps',
      kind: 'next_step',
      lines: [...lastWords(messages), ...section('', 'next_step', sentences, 0).lines],
      share: 0.08,
    },
  ];
  const chosen = sections.map((s) => {
    // In a small summary what was decided comes before names.
    const floor = s.kind === 'decision' ? Math.min(SMALL_DECISIONS, budget * 0.45) : 0;
    return { s, lines: fill(s.lines, Math.floor(Math.max(budget * s.share, floor)), count) };
  });
  const parts = chosen.filter((c) => c.lines.length > 0).map((c) => `${c.s.title}:\n${c.lines.join('\n')}`);
  const used = count(parts.join('\n\n'));
  const names = identifierLine(messages, parts.join('\n'), budget - used - 12, count);
  if (names !== '') parts.push(`Files and identifiers in use:\n${names}`);
  // No cue word, in no language that we know, and no name: an empty summary is none, and the request would not fit.
  if (parts.length === 0) parts.push(workLines(messages, budget, count));
  const kinds = chosen.filter((c) => c.lines.length > 0).map((c) => c.s.kind as string);
  if (names !== '') kinds.push('technical_detail');
  return { text: wellFormed(framed(parts.join('\n\n'))), kinds: [...new Set(kinds)] };
}

function section(title: string, kind: Kind, sentences: readonly Sentence[], share: number): Section {
  const lines = sentences
    .filter((s) => s.kind === kind)
    .map((s) => ({ text: `- ${s.text}`, order: s.at, worth: s.weight }));
  return { title, kind, lines, share };
}

/** The best lines that fit, in their order. */
function fill(lines: Section['lines'], budget: number, count: (text: string) => number): string[] {
  const kept: Section['lines'] = [];
  const seen = new Set<string>();
  let left = budget;
  for (const line of [...lines].sort((a, b) => b.worth - a.worth || b.order - a.order)) {
    if (seen.has(line.text)) continue;
    const cost = count(line.text) + 1;
    if (cost > left) continue;
    left -= cost;
    seen.add(line.text);
    kept.push(line);
  }
  return kept.sort((a, b) => a.order - b.order).map((l) => l.text);
}

/** Failed calls, and the first thing that was said or that worked after each. */
function errorLines(messages: readonly SourceMessage[]): Section['lines'] {
  const lines: Section['lines'] = [];
  messages.forEach((m, i) => {
    for (const r of m.results) {
      if (!r.error) continue;
      const what = clip(sentencesOf(r.text)[0] ?? r.text.trim(), 160);
      if (what === '') continue;
      const after = messages.slice(i + 1, i + 5);
      const said = after.find((n) => n.role === 'assistant' && n.text !== '')?.text;
      const worked = after.some((n) => n.results.some((x) => x.tool === r.tool && !x.error));
      const then =
        said !== undefined
          ? ` → ${clip(sentencesOf(said)[0] ?? said.trim(), 160)}`
          : worked
            ? ' → a later call worked'
            : '';
      const worth = 2 + i / Math.max(1, messages.length);
      lines.push({ text: `- ${r.tool} (untrusted output): ${what}${then}`, order: m.at, worth });
    }
  });
  return lines;
}

/** What the assistant said last: where the work stood. */
function lastWords(messages: readonly SourceMessage[]): Section['lines'] {
  const last = messages.findLast((m) => m.role === 'assistant' && m.text.trim() !== '');
  if (last === undefined) return [];
  return sentencesOf(last.text)
    .slice(0, 3)
    .map((text, i) => ({ text: `- ${clip(text)}`, order: last.at + i / 10, worth: 9 - i }));
}

/** Tools that are named, at most. */
const TOOLS_NAMED = 8;

/** What can be said of any conversation: how long it was, which tools were called how often, and how it ended. */
function workLines(
  messages: readonly SourceMessage[],
  budget: number,
  count: (text: string) => number,
): string {
  const calls = new Map<string, number>();
  for (const { tool } of messages.flatMap((m) => m.calls)) calls.set(tool, (calls.get(tool) ?? 0) + 1);
  let text = `${messages.length} messages without a decision or a name of note.`;
  const add = (more: string): void => {
    if (count(text + more) <= budget) text += more;
  };
  const most = [...calls].sort((a, b) => b[1] - a[1]).slice(0, TOOLS_NAMED);
  for (const [tool, n] of most) add(` Called: ${clip(tool, 64)} (${n}).`);
  for (const { text: line } of lastWords(messages)) add(`\n${line}`);
  return text;
}

/** Candidates whose score is looked at, at most: a list is read by a model, not by a machine. */
const CANDIDATES = 4000;

function identifierLine(
  messages: readonly SourceMessage[],
  said: string,
  budget: number,
  count: (text: string) => number,
): string {
  let line = '';
  let left = budget;
  for (const { id } of rankIdentifiers(messages).slice(0, CANDIDATES)) {
    if (left <= 2) break;
    if (line.includes(id) || said.includes(id)) continue;
    const cost = count(` ${id}`);
    if (cost > left) continue;
    left -= cost;
    line += line === '' ? id : ` ${id}`;
  }
  return line;
}
