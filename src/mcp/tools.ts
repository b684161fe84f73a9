// The tools that an MCP client sees: methods of the protocol with the schemas that check its frames, so that the two cannot
// differ. Pure.

import { sliceValue } from '../json/index.js';
import type { Native } from '../json/native.js';
import { type MethodName, methodSchemas, type ObjectSchema } from '../protocol/index.js';

/** What the command line gave for calls that name none. */
export interface Defaults {
  /** For recall and durable state. */
  session?: string | undefined;
  /** For search, as a filter; absent = all projects. */
  project?: string | undefined;
  /** For the context tools, which need one. */
  folder: string;
}

export interface CuratedTool {
  name: string;
  title: string;
  description: string;
  method: MethodName;
  readOnly: boolean;
  /** Fields that a default fills, by name. */
  fills(d: Defaults): Readonly<Record<string, unknown>>;
  /** The answer in words for the model; the value itself goes beside it. */
  say(answer: Native): string;
}

/** Tokens of an original that is given without being asked how much; the model asks for parts of longer ones. */
const MOST_TOKENS = 8000;

const ofSession = (d: Defaults) => given({ session: d.session });
const ofFolder = (d: Defaults) => ({ project: d.folder });

export const TOOLS: readonly CuratedTool[] = [
  {
    name: 'recall_search',
    title: 'Search what was said',
    description:
      'Finds earlier parts of conversations and filed notes that are no longer in view: cleared tool results, old messages, ' +
      'decisions. Answers with handles and snippets; recall_get gives the original behind a handle.',
    method: 'recall.search',
    readOnly: true,
    fills: (d) => given({ session: d.session, project: d.project }),
    say: hits,
  },
  {
    name: 'recall_get',
    title: 'Original behind a handle',
    description:
      'The exact original behind a handle, as written in a cleared result or a hit of recall_search. `grep` keeps the lines that ' +
      `hold a text, \`range\` bytes [from, to); at most ${MOST_TOKENS} tokens unless \`max_tokens\` says otherwise.`,
    method: 'recall.get',
    readOnly: true,
    fills: () => ({ max_tokens: MOST_TOKENS }),
    say: (answer) => (answer.value as { text?: string }).text ?? sliceValue(answer.text, ['parts'])!,
  },
  {
    name: 'durable_get',
    title: 'Durable state',
    description: 'The plan, todos, manifest and decisions of a session, which survive every compaction.',
    method: 'durable.get',
    readOnly: true,
    fills: ofSession,
    say: block,
  },
  {
    name: 'durable_set_plan',
    title: 'Set the plan',
    description:
      'Replaces the approved plan. It stands in every later request of the session, whatever is compacted.',
    method: 'durable.set_plan',
    readOnly: false,
    fills: ofSession,
    say: block,
  },
  {
    name: 'durable_set_todos',
    title: 'Set the todos',
    description: 'Replaces the todo list: strings, {text, done} or {content, status}.',
    method: 'durable.set_todos',
    readOnly: false,
    fills: ofSession,
    say: block,
  },
  {
    name: 'durable_set_manifest',
    title: 'Set the manifest',
    description: 'Replaces the manifest: what this session works on and by which rules.',
    method: 'durable.set_manifest',
    readOnly: false,
    fills: ofSession,
    say: block,
  },
  {
    name: 'durable_add_decision',
    title: 'Add a decision',
    description: 'Adds a decision with its reason. Decisions are never removed.',
    method: 'durable.add_decision',
    readOnly: false,
    fills: ofSession,
    say: block,
  },
  {
    name: 'context_packet',
    title: 'What the project is',
    description:
      'The wake-up packet of a project folder: identity, topic map and the story so far, within 900 tokens.',
    method: 'context.packet',
    readOnly: true,
    fills: ofFolder,
    say: (answer) => (answer.value as { text: string }).text || 'Nothing is known of this project.',
  },
  {
    name: 'context_topics',
    title: 'Topics of the project',
    description:
      "The project's topics; with `topic`, those whose label holds it, with their terms and documents.",
    method: 'context.topics',
    readOnly: true,
    fills: ofFolder,
    say: topics,
  },
  {
    name: 'context_mention',
    title: 'What is known of a topic',
    description:
      'What is known of the topics of the project that a text names: documents, notes, what was said; 500 tokens at most.',
    method: 'context.mention',
    readOnly: true,
    fills: ofFolder,
    say: (answer) => (answer.value as { text: string }).text || 'No topic of the project is named.',
  },
  {
    name: 'context_refresh',
    title: "Refresh the project's map",
    description: "Rebuilds the project's topic map from its files.",
    method: 'context.refresh',
    readOnly: false,
    fills: ofFolder,
    say: (answer) => {
      const { topics: n, tokens } = answer.value as { topics: number; tokens: number };
      return `${n} topics, a map of ${tokens} tokens.`;
    },
  },
];

/** As `tools/list` shows it. A field with a default need not be given. */
export function listed(tool: CuratedTool, defaults: Defaults): Record<string, unknown> {
  const { params, result } = methodSchemas(tool.method);
  // Keys of idempotency are the connection's business.
  const { key: _, ...properties } = params.properties ?? {};
  const fills = tool.fills(defaults);
  for (const [name, value] of Object.entries(fills))
    if (properties[name] !== undefined) properties[name] = { ...properties[name], default: value };
  const required = (params.required ?? []).filter((name) => !Object.hasOwn(fills, name));
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: objectSchema(params, properties, required),
    outputSchema: result,
    annotations: { readOnlyHint: tool.readOnly, destructiveHint: false, openWorldHint: false },
  };
}

function objectSchema(
  params: ObjectSchema,
  properties: NonNullable<ObjectSchema['properties']>,
  required: string[],
): ObjectSchema {
  const { required: _, ...rest } = params;
  return { ...rest, properties, ...(required.length === 0 ? {} : { required }) };
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function hits(answer: Native): string {
  const { hits: found } = answer.value as {
    hits: { handle: string; score: number; turn?: number; tool?: string; snippet: string; tokens: number }[];
  };
  if (found.length === 0) return 'Nothing found.';
  return found
    .map((hit, i) => {
      const where = [hit.tool ?? 'text', ...(hit.turn === undefined ? [] : [`turn ${hit.turn}`])].join(', ');
      return `[${i + 1}] ${hit.handle} (${where}, ${hit.tokens} tokens, sim=${hit.score.toFixed(3)}): ${hit.snippet.replace(/\s+/g, ' ')}`;
    })
    .join('\n');
}

function block(answer: Native): string {
  return (answer.value as { block: string }).block || 'No durable state.';
}

function topics(answer: Native): string {
  const { topics: all } = answer.value as {
    topics: { label: string; prefix: string; count: number; terms?: string[] }[];
  };
  if (all.length === 0) return 'No topics.';
  return all
    .map(
      (t) => `${t.prefix}: ${t.label} (${t.count})${t.terms === undefined ? '' : `: ${t.terms.join(', ')}`}`,
    )
    .join('\n');
}
