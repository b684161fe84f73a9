// The tool `context_recall` that an agent may offer its model: one constant definition in each provider's shape, and what
// answers its calls. Constant, because a tool list that changes costs the cached prefix.

import type { WireResult } from '../protocol/index.js';
import type { Caller } from './caller.js';

export interface ContextRecallArguments {
  query?: string;
  handle?: string;
  grep?: string;
  topic?: string;
  k?: number;
}

const NAME = 'context_recall';
const DESCRIPTION =
  'Finds earlier parts of this conversation and its project that are no longer in view: cleared tool results, old messages, ' +
  'notes. Give `query` to search (answers with handles and snippets), or `handle`, as written in a cleared result or a hit, to ' +
  'get the exact original text; `grep` keeps its matching lines only.';

const PARAMETERS = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'words to look for' },
    handle: { type: 'string', description: 'gives the original behind it' },
    grep: { type: 'string', description: 'with a handle: only lines that hold this text' },
    topic: { type: 'string', description: 'only what is about this topic' },
    k: { type: 'integer', minimum: 1, maximum: 50, description: 'hits at most; 5 when absent' },
  },
  additionalProperties: false,
} as const;

/** The definition by provider format. */
export const CONTEXT_RECALL = deepFreeze({
  anthropic: { name: NAME, description: DESCRIPTION, input_schema: PARAMETERS },
  'openai-chat': {
    type: 'function',
    function: { name: NAME, description: DESCRIPTION, parameters: PARAMETERS },
  },
  'openai-responses': {
    type: 'function',
    name: NAME,
    description: DESCRIPTION,
    parameters: PARAMETERS,
    strict: false,
  },
} as const);

export function contextRecallTool<F extends keyof typeof CONTEXT_RECALL>(
  format: F,
): (typeof CONTEXT_RECALL)[F] {
  return CONTEXT_RECALL[format];
}

const DEFAULT_K = 5;
/** Tokens of an original that is given whole; the model asks for parts of longer ones by grep. */
const MOST_TOKENS = 8000;

/**
 * Carries out one call of the tool and gives the text for its result. Wrong arguments are answered in words, so that the
 * model can mend them; errors of the daemon are thrown as ClientError.
 */
export async function answerContextRecall(
  client: Pick<Caller, 'call'>,
  session: string,
  args: ContextRecallArguments,
): Promise<string> {
  if (typeof args.handle === 'string' && args.handle !== '') {
    const grep = typeof args.grep === 'string' && args.grep !== '' ? args.grep : undefined;
    const got = await client.call('recall.get', {
      handle: args.handle,
      max_tokens: MOST_TOKENS,
      ...(grep === undefined ? {} : { grep }),
    });
    return told(got, grep);
  }
  const query = typeof args.query === 'string' ? args.query : '';
  const topic = typeof args.topic === 'string' && args.topic !== '' ? { topic: args.topic } : {};
  if (query.trim() === '' && !('topic' in topic)) return 'Give a query, a topic or a handle.';
  const k = Number.isInteger(args.k) ? Math.min(50, Math.max(1, args.k!)) : DEFAULT_K;
  const { hits } = await client.call('recall.search', { session, query, k, ...topic });
  if (hits.length === 0) return 'Nothing found.';
  const head = 'topic' in topic ? [`## L2 — ON-DEMAND (${hits.length} entries)`] : [];
  return [...head, ...hits.map(line)].join('\n');
}

/** An empty answer or a cut one would be taken for the whole. */
function told(
  { text, parts, total_bytes: total }: WireResult<'recall.get'>,
  grep: string | undefined,
): string {
  if (text === undefined) return JSON.stringify(parts);
  if (text === '' && total === 0) return 'The original holds no text.';
  if (text === '') return `No line of the original holds ${JSON.stringify(grep)}.`;
  const given = Buffer.byteLength(text);
  if (grep !== undefined || given >= total) return text;
  return `${text}\n[the first ${given} of ${total} bytes; grep gives the lines that hold a text]`;
}

function line(hit: WireResult<'recall.search'>['hits'][number], i: number): string {
  const where = [hit.tool ?? 'message', ...(hit.turn === undefined ? [] : [`turn ${hit.turn}`])].join(', ');
  return `[${i + 1}] ${hit.handle} (${where}, ${hit.tokens} tokens, sim=${hit.score.toFixed(3)}): ${hit.snippet.replace(/\s+/g, ' ')}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
