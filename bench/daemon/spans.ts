// What the main thread of a benchmark's daemon did at one stretch, out of its CPU profile: the longest stretches and what they were.
import type { Profiler } from 'node:inspector';

/** One stretch between two looks of the event loop for work, or of several pieces of work right behind each other. */
export interface Span {
  /** Microseconds that the thread ran, about: samples times their interval. */
  micros: number;
  /** The function of ours that most of it went to. */
  name: string;
}

export const SAMPLE_MICROS = 100;
const OUTSIDE = new Set(['(idle)', '(program)', '(root)']);
/** A function says what a stretch was if it took so much of it. */
const MOST = 0.5;

/**
 * Stretches of a profile that took longer than `least` microseconds. Samples are counted, not timed: a thread without a core
 * is not sampled, so the load of the machine does not count.
 */
export function spansOf(profile: Profiler.Profile, least: number): Span[] {
  const nodes = new Map(profile.nodes.map((n) => [n.id, n]));
  const parents = new Map<number, number>();
  for (const n of profile.nodes) for (const child of n.children ?? []) parents.set(child, n.id);
  const spans: Span[] = [];
  let samples = 0;
  let within = new Map<string, { n: number; depth: number }>();
  const end = () => {
    const micros = samples * SAMPLE_MICROS;
    if (micros > least) spans.push({ micros, name: nameOf(within, samples) });
    samples = 0;
    within = new Map();
  };
  for (const id of profile.samples ?? []) {
    if (OUTSIDE.has(nodes.get(id)!.callFrame.functionName)) {
      if (samples > 0) end();
      continue;
    }
    samples += 1;
    const path: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { functionName, url } = nodes.get(at)!.callFrame;
      const file = /\/dist\/src\/(.+)\.js$/.exec(url)?.[1];
      if (functionName === '(garbage collector)') path.push('garbage collector');
      else if (file !== undefined) path.push(`${functionName} ${file}`);
    }
    for (const [depth, name] of path.reverse().entries()) {
      const known = within.get(name);
      if (known === undefined) within.set(name, { n: 1, depth });
      else if (path.indexOf(name) === depth) known.n += 1;
    }
  }
  if (samples > 0) end();
  return spans;
}

/** The innermost function that most of a stretch went to; without one, the one that it went to most. */
function nameOf(within: ReadonlyMap<string, { n: number; depth: number }>, samples: number): string {
  const all = [...within].sort(([, a], [, b]) => b.depth - a.depth || b.n - a.n);
  const most = all.find(([, { n }]) => n >= MOST * samples);
  return (most ?? all.sort(([, a], [, b]) => b.n - a.n)[0])?.[0] ?? 'node itself';
}
