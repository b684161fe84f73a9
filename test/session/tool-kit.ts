// Helpers of the tests about which tools are listed: tools in Anthropic's shape, turns, and what was decided.

import { assistant, BenchDaemon, type Json, toolRound, user } from './bench-daemon.js';

export function tool(name: string, extra: Json = {}): Json {
  return {
    name,
    description: `The tool ${name}. It does what its name says.`,
    input_schema: { type: 'object', properties: { [`${name}_arg`]: { type: 'string' } } },
    ...extra,
  };
}

export const PRUNER = 'nexus.memory.tool_def_pruner';
export const PROGRESSIVE = 'nexus.discovery.progressive';

export interface Played {
  d: BenchDaemon;
  /** One turn: a question, perhaps calls, an answer. Returns the request's tools and all decisions of the turn. */
  turn(o?: { calls?: string[]; say?: string; answer?: string; prepare?: Json }): Promise<Turn>;
  journal(type: string): Promise<Json[]>;
}

export interface Turn {
  listed: string[];
  prepared: Json;
  decisions: Json[];
}

export function names(tools: Json): string[] {
  return (tools ?? []).map((t: Json) => t.name ?? t.function?.name ?? t.type);
}

export async function play(tools: Json, plugins: Json, open: Json = {}): Promise<Played> {
  const d = new BenchDaemon();
  await d.call('session.open', {
    session: 's',
    format: 'anthropic',
    model: 'claude-sonnet-4-5',
    tools,
    config: { plugins: { active: Object.keys(plugins), ...plugins } },
    ...open,
  });
  return { d, turn: (o) => turn(d, o), journal: (type) => journal(d, type) };
}

let id = 0;

async function turn(
  d: BenchDaemon,
  { calls = [], say = 'go', answer = 'done', prepare = {} }: Parameters<Played['turn']>[0] = {},
): Promise<Turn> {
  const prepared = await d.call('llm.prepare', { session: 's', append: [user(say)], ...prepare });
  for (const name of calls) {
    id += 1;
    await d.call('llm.prepare', { session: 's', append: toolRound(`c${id}`, name, { n: id }, 'ok') });
  }
  await d.call('session.append', { session: 's', messages: [assistant(answer)] });
  const { decisions } = await d.call('turn.end', { session: 's' });
  return { listed: names(prepared.request?.tools), prepared, decisions };
}

async function journal(d: BenchDaemon, type: string): Promise<Json[]> {
  const { events } = await d.call('journal.read', { session: 's' });
  return events.filter((e: Json) => e.type === type);
}
