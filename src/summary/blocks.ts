// Summary blocks: each stands for a range of turns and messages. Older ones are merged as blocks, never summarised inside
// another one, and all of them together keep to a bound (L4-20). Pure.

export interface SummaryBlock {
  turns: [number, number];
  /** First and last stored message. */
  covers: [number, number];
  text: string;
  kinds: string[];
  /** Lines of the text that stay whatever the budget. */
  pins?: string[];
}

const CUES: readonly [RegExp, number][] = [
  [/\b(decid|decision|chose|instead of|rather than|reject|must|never|do not|don't)/i, 4],
  [/\b(because|root cause|reason|so that)/i, 3],
  [/\b(error|fail|fix|bug)/i, 2.5],
  [/\b(next|todo|pending|blocked|remaining)/i, 2],
  [/[/\\]\w+\.\w+|\w+\.(ts|js|go|py|rs|md|json)\b/, 1.5],
];

const PINNED = 100;

/** The lines of a text that matter most, in their order, within a budget: those of `pins` before any other. */
export function condense(
  text: string,
  budget: number,
  count: (text: string) => number,
  pins: readonly string[] = [],
): string {
  if (count(text) <= budget) return text;
  const lines = text.split('\n').filter((l) => l.trim() !== '');
  const first = new Set(pins);
  const ranked = lines
    .map((line, i) => ({ line, i, worth: first.has(line.trim()) ? PINNED : worthOf(line) }))
    .sort((a, b) => b.worth - a.worth || a.i - b.i);
  const kept = new Set<number>();
  let left = budget - 2;
  for (const { line, i } of ranked) {
    const cost = count(line) + 1;
    if (cost <= left) {
      left -= cost;
      kept.add(i);
    } else if (kept.size === 0) {
      // Not even the most important line fits: as much of it as does.
      const share = Math.max(1, Math.floor((line.length * left) / cost));
      return line.slice(0, (line.charCodeAt(share - 1) & 0xfc00) === 0xd800 ? share - 1 : share);
    }
  }
  return lines.filter((_, i) => kept.has(i)).join('\n');
}

function worthOf(line: string): number {
  const cue = CUES.find(([re]) => re.test(line));
  // Long lists of names are worth less a line than a sentence that says something.
  return (cue?.[1] ?? 1) - Math.min(1, line.length / 2000);
}

/** Blocks as few and as short as the budget wants: the oldest are merged and condensed first, the newest stays longest. */
export function bounded(
  blocks: readonly SummaryBlock[],
  budget: number,
  count: (text: string) => number,
): SummaryBlock[] {
  const out = blocks.map((b) => ({ ...b }));
  const total = () => out.reduce((sum, b) => sum + count(b.text), 0);
  while (out.length > 1 && total() > budget) {
    const [a, b] = out.splice(0, 2) as [SummaryBlock, SummaryBlock];
    const rest = out.reduce((sum, x) => sum + count(x.text), 0);
    // The newest block keeps at least half; what is older shares the other half.
    const room = Math.max(Math.floor(budget / 2), budget - rest);
    const merged = merge(a, b);
    const share = out.length === 0 ? budget : room;
    out.unshift({ ...merged, text: condense(merged.text, share, count, merged.pins) });
    if (out.length > 1 && count(out[0]!.text) <= room && total() <= budget) break;
  }
  const only = out[0];
  if (out.length === 1 && only !== undefined && count(only.text) > budget)
    out[0] = { ...only, text: condense(only.text, budget, count, only.pins) };
  return out;
}

function merge(a: SummaryBlock, b: SummaryBlock): SummaryBlock {
  const seen = new Set<string>();
  const lines = `${a.text}\n${b.text}`.split('\n').filter((l) => {
    const key = l.trim();
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const pins = [...new Set([...(a.pins ?? []), ...(b.pins ?? [])])];
  return {
    ...(pins.length === 0 ? {} : { pins }),
    turns: [Math.min(a.turns[0], b.turns[0]), Math.max(a.turns[1], b.turns[1])],
    covers: [Math.min(a.covers[0], b.covers[0]), Math.max(a.covers[1], b.covers[1])],
    text: lines.join('\n'),
    kinds: [...new Set([...a.kinds, ...b.kinds])],
  };
}
