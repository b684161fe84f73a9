// Sessions that are condensed, for tests: a fake summariser that does as it is told, and waiting for a cycle's end.

import type { Summariser, Summary, SummaryRequest } from '../../src/summary/summariser.js';
import type { BenchDaemon, Json } from './bench-daemon.js';

export const S = 's1';
export const COMPACTION = 'nexus.memory.compaction';
export const GATE = 'nexus.gate.context_window';
export const BUFFER = 'nexus.memory.summary_buffer';

type Behaviour = (r: SummaryRequest, n: number, signal: AbortSignal) => Summary | Promise<Summary>;

/** Records what it was asked; answers a short text unless it is given a behaviour. */
export class FakeSummariser implements Summariser {
  readonly kind = 'client';
  readonly asked: SummaryRequest[] = [];
  behaviour: Behaviour;

  constructor(behaviour: Behaviour = (r) => good(`Turns ${r.turns[0]} to ${r.turns[1]}.`)) {
    this.behaviour = behaviour;
  }

  async summarise(r: SummaryRequest, signal: AbortSignal): Promise<Summary> {
    this.asked.push(r);
    return this.behaviour(r, this.asked.length, signal);
  }
}

export function good(text: string): Summary {
  return { ok: true, text, kinds: null, calls: 1 };
}

export async function open(d: BenchDaemon, active: string[], o: Json = {}): Promise<void> {
  const { blocks, curated, ...rest } = o;
  await d.call('session.open', {
    session: S,
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    config: { plugins: { active, ...blocks }, ...(curated === undefined ? {} : { curated }) },
    ...rest,
  });
  await d.call('session.subscribe', { session: S });
}

/** Until the cycle that runs has ended and been journalled. */
export async function settled(d: BenchDaemon): Promise<void> {
  const actor = await d.registry.get('default', S);
  const cycle = actor.compactor.cycle;
  if (cycle !== undefined) await cycle.done;
  await actor.idle();
}

export async function compact(d: BenchDaemon, more: Json = {}): Promise<Json> {
  const answer = await d.call('memory.compact', { session: S, ...more });
  await settled(d);
  return answer;
}

export function events(d: BenchDaemon, type?: string): Json[] {
  const heard = d.caller.heard.map((h) => h.event);
  return type === undefined ? heard : heard.filter((e) => e.type === type);
}

export async function journal(d: BenchDaemon, type: string): Promise<Json[]> {
  const found: Json[] = [];
  for (let from = 1; ; ) {
    const page = await d.call('journal.read', { session: S, from_seq: from });
    found.push(...page.events.filter((e: Json) => e.type === type));
    if (page.events.length === 0) return found;
    from = page.next_seq;
  }
}

export async function prepare(d: BenchDaemon, append?: Json[], more: Json = {}): Promise<Json> {
  return d.call('llm.prepare', { session: S, ...(append === undefined ? {} : { append }), ...more });
}

export function texts(messages: Json[], role?: string): string {
  return messages
    .filter((m) => role === undefined || m.role === role)
    .map((m) => (typeof m.content === 'string' ? m.content : JSON.stringify(m.content)))
    .join('\n');
}
